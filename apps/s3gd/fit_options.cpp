#include "fit_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/file.hpp"
#include "data/class_weights.hpp"
#include "help.hpp"
#include "model/penalty_words.hpp"
#include "model/translate.hpp"
#include "output.hpp"
#include "s3gd/error.hpp"

namespace s3gd::app {
namespace {

double parse_number(std::string_view text, const std::string& option) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw UsageError("'" + std::string(text) + "' is not a number: " + option);
  return value;
}

// LIBLINEAR's 1/2 ||w||^2 + C sum loss, or ||w||_1 + C sum loss: C and lambda are each other's reciprocal up to the
// same constant, so one formula serves both ways.
double lambda_for_c(double c, LossKind loss, const std::string& penalty, Index rows) {
  if (!(c > 0) || !std::isfinite(c)) throw UsageError("--C must be a positive number");
  if (penalty == "l2") return translate::liblinear_c(loss, c, std::max<Index>(1, rows));
  if (penalty == "l1") return translate::liblinear_c_for_l1(loss, c, std::max<Index>(1, rows));
  throw UsageError("--C is LIBLINEAR's: it goes with --penalty l2 or l1; give --lambda");
}

// One of the names, or a file.
void add_class_weight(Arguments& app, ProblemOptions& options, const std::string& group) {
  std::string all;
  for (const auto& word : all_names<ClassWeight>()) all += word + ", ";
  app.add_option_function<std::string>(
         "--class-weight",
         [&options](const std::string& word) {
           const auto known = all_names<ClassWeight>();
           if (std::find(known.begin(), known.end(), word) == known.end() && file_exists(word)) {
             options.class_weight_file = word;
             return;
           }
           try {
             options.spec.class_weight = parse_name<ClassWeight>("name or file", word);
           } catch (const std::exception& error) {
             refuse_value("--class-weight", error.what());
           }
         },
         all + "or a FILE")
      ->type_name("NAME")
      ->default_str(name_of(options.spec.class_weight))
      ->group(group);
}

}  // namespace

void add_problem_options(Arguments& app, ProblemOptions& options, Strength strength) {
  const std::string group = "Problem";
  add_choice(app, "--loss", options.spec.loss.kind, "")->group(group);
  app.add_option("--beta", options.spec.loss.beta, "smooth-hinge: closeness to the hinge")
      ->capture_default_str()
      ->group(group);
  app.add_option("--penalty", options.penalty, "l2, l1, elastic-net, l1-l2norm, none, l1+l2 ..")
      ->type_name("NAME")
      ->capture_default_str()
      ->group(group);
  if (strength == Strength::one) {
    Option* lambda = app.add_option("--lambda", options.spec.penalty.lambda, "strength: lambda ||w||^2 has no one half")
                         ->capture_default_str()
                         ->group(group);
    app.add_option("--C", options.c, "LIBLINEAR's C instead of lambda (docs/theory.md)")
        ->excludes(lambda)
        ->group(group);
  }
  app.add_option("--alpha", options.spec.penalty.alpha, "elastic nets: (1-alpha) |w| + alpha w^2")
      ->capture_default_str()
      ->group(group);
  app.add_option("--penalty-factor", options.penalty_factor_file, "one factor for each feature, one a line")
      ->type_name("FILE")
      ->group(group);
  add_choice(app, "--intercept", options.spec.intercept, "")->group(group);
  app.add_option("--binary", options.spec.positive, "largest, or a LABEL: that class against the rest")
      ->type_name("LABEL")
      ->group(group);
  add_class_weight(app, options, group);
  add_choice(app, "--scale", options.scale, "")->group(group);
}

void add_graph_options(Arguments& app, GraphOptions& options) {
  const std::string group = kGraphGroup;
  app.add_option("--anchors", options.anchors, "anchor rows m")->capture_default_str()->group(group);
  app.add_option("--neighbours", options.neighbours, "anchors each row is tied to")
      ->capture_default_str()
      ->group(group);
  add_choice(app, "--kernel", options.kernel, "")->group(group);
}

void add_control_options(Arguments& app, SolveOptions& options) {
  const std::string group = "Solver";
  add_choice(app, "--graph-mode", options.graph_mode, "")->group(group);
  add_choice(app, "--control", options.control, "")->group(group);
}

std::vector<FileUse> files_read(const std::string& data, const ProblemOptions& problem, const LoadOptions& load,
                                const std::string& sample_weight) {
  return {{"DATA", file_of_source(data)},
          {"--labels", load.labels_path},
          {"--sample-weight", file_exists(sample_weight) ? sample_weight : ""},
          {"--penalty-factor", problem.penalty_factor_file},
          {"--class-weight", problem.class_weight_file}};
}

void remark_on_idle(Arguments& app, const ProblemOptions& options, const Common& common) {
  const auto given = [&](const char* option) { return app.get_option(option)->count() > 0; };
  const bool mixes = options.penalty.find("elastic-net") != std::string::npos ||
                     options.penalty.find("l1-l2norm") != std::string::npos;
  if (given("--beta") && options.spec.loss.kind != LossKind::smooth_hinge)
    remark(common, "--beta changes nothing: it is for --loss smooth-hinge");
  if (given("--alpha") && !mixes)
    remark(common, "--alpha changes nothing: it is for --penalty elastic-net and l1-l2norm");
}

ProblemSpec problem_spec(const ProblemOptions& options, const Dataset& data, const Common& common) {
  ProblemSpec spec = options.spec;
  spec.threads = common.threads;
  if (!options.penalty_factor_file.empty()) spec.penalty.factors = read_numbers(options.penalty_factor_file);
  if (options.c) spec.penalty.lambda = lambda_for_c(*options.c, spec.loss.kind, options.penalty, data.rows());
  try {
    spec.penalty = penalty_in_words(options.penalty, spec.penalty);
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
  return spec;
}

void add_sample_weight_option(Arguments& app, std::string& sample_weight) {
  app.add_option("--sample-weight", sample_weight, "a COLUMN of a CSV file, or a FILE of numbers")
      ->type_name("COLUMN")
      ->group("Data");
}

Dataset load_weighted(const std::string& data, const std::string& sample_weight, LoadOptions& options,
                      const Common& common) {
  options.threads = common.threads;
  const bool in_file = !sample_weight.empty() && std::filesystem::exists(sample_weight);
  if (!sample_weight.empty() && !in_file) options.weight_column = sample_weight;
  Dataset rows = load(data, options);
  if (!in_file) return rows;
  rows.weights = Array<double>(read_numbers(sample_weight));
  if (rows.weights.size() != rows.rows())
    throw Error(fmt::format("{} holds {} weights for {} rows", sample_weight, rows.weights.size(), rows.rows()));
  return rows;
}

Dataset weighted_by_class(Dataset data, const ProblemOptions& options, bool further_rows) {
  if (options.class_weight_file.empty()) return data;
  return with_class_weights(std::move(data), read_class_weights(options.class_weight_file), further_rows);
}

void parse_step(const std::string& text, SolveOptions& options) {
  constexpr std::string_view kDecay = "decay:";
  const std::string form = "--step takes auto, a NUMBER, or decay:STEP,T0";
  options.decay = 0;
  if (text == "auto") {
    options.step = 0;
  } else if (text.starts_with(kDecay)) {
    const std::string_view both = std::string_view(text).substr(kDecay.size());
    const auto comma = both.find(',');
    if (comma == std::string_view::npos) throw UsageError("'" + text + "' lacks its T0: " + form);
    options.step = parse_number(both.substr(0, comma), form);
    options.decay = parse_number(both.substr(comma + 1), form);
    if (!(options.decay > 0)) throw UsageError("T0 must be positive: " + form);
  } else {
    options.step = parse_number(text, form);
    if (!(options.step > 0)) throw UsageError("the step must be positive: " + form);
  }
}

int exit_code(Status status) {
  if (status == Status::interrupted) return kInterrupted;
  return status == Status::converged || status == Status::early_stopped ? kGood : kStoppedEarly;
}

std::vector<double> read_numbers(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw Error("cannot open " + path, "check the path");
  std::vector<double> numbers;
  std::string line;
  for (std::int64_t at = 1; std::getline(in, line); ++at) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    double value = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    if (error != std::errc() || end != line.data() + line.size())
      throw Error({path, at, 1}, "'" + line.substr(0, 40) + "'", "one number a line");
    numbers.push_back(value);
  }
  return numbers;
}

}  // namespace s3gd::app
