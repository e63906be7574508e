#include "fit_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/file.hpp"
#include "problem/penalty_words.hpp"
#include "problem/translate.hpp"
#include "s3gd/class_weights.hpp"
#include "s3gd/error.hpp"

namespace s3gd::app {
namespace {

// LIBLINEAR's 1/2 ||w||^2 + C sum loss, or ||w||_1 + C sum loss: C and lambda are each other's reciprocal up to the
// same constant, so one formula serves both ways.
double lambda_for_c(double c, LossKind loss, const std::string& penalty, Index rows) {
  if (!(c > 0) || !std::isfinite(c)) throw UsageError("--C must be a positive number");
  if (penalty == "l2") return translate::liblinear_c(loss, c, std::max<Index>(1, rows));
  if (penalty == "l1") return translate::liblinear_c_for_l1(loss, c, std::max<Index>(1, rows));
  throw UsageError("--C is LIBLINEAR's: it goes with --penalty l2 or l1; give --lambda");
}

// One of the names, or a file.
void add_class_weight(Arguments& app, ProblemOptions& options) {
  OptionRow row = *find_option("class-weight");
  std::string all;
  for (const std::string& word : row.choices) all += word + ", ";
  const std::vector<std::string> known = std::exchange(row.choices, {});
  row.help = all + "or a FILE";
  add_table_option(app, row, name_of(options.spec.class_weight), [&options, known](const std::string& word) {
    const bool named = std::find(known.begin(), known.end(), word) != known.end();
    if (!named && file_exists(word))
      options.class_weight_file = word;
    else
      options.spec.class_weight = parse_name<ClassWeight>("name or file", word);
  });
}

// A word that is looked at when the rows are there.
void add_later(Arguments& app, const char* name, std::string& word) {
  add_table_option(app, *find_option(name), word, [&word](const std::string& given) { word = given; });
}

}  // namespace

void add_problem_options(Arguments& app, ProblemOptions& options, Strength strength) {
  const OptionTarget target{.scale = &options.scale, .problem = &options.spec};
  add_table_options(app, target, {"loss", "beta", "knee"});
  add_later(app, "penalty", options.penalty);
  if (strength == Strength::one) {
    add_table_options(app, target, {"lambda"});
    app.add_option("--C", options.c, "LIBLINEAR's C instead of lambda (docs/theory.md)")
        ->excludes("--lambda")
        ->group(kProblemOptions);
  }
  add_table_options(app, target, {"alpha"});
  add_later(app, "penalty-factor", options.penalty_factor_file);
  add_table_options(app, target, {"intercept", "binary"});
  add_class_weight(app, options);
  add_table_options(app, target, {"scale"});
}

void add_graph_options(Arguments& app, GraphOptions& options) {
  OptionValues values;
  values.solve.graph = options;
  for (const std::string& name : names_in(kGraphOptions)) {
    const OptionRow& row = *find_option(name);
    add_table_option(app, row, row.get(values), [&row, &options](const std::string& word) {
      OptionValues changed;
      changed.solve.graph = options;
      row.set(changed, word);
      options = changed.solve.graph;
    });
  }
}

std::vector<FileUse> files_read(const std::string& data, const ProblemOptions& problem, const LoadOptions& load,
                                const std::string& sample_weight) {
  return {{"DATA", file_of_source(data)},
          {"--labels", load.labels_path},
          {"--sample-weight", file_exists(sample_weight) ? sample_weight : ""},
          {"--penalty-factor", problem.penalty_factor_file},
          {"--class-weight", problem.class_weight_file}};
}

ProblemSpec problem_spec(const ProblemOptions& options, const Dataset& data, const Common& common) {
  ProblemSpec spec = options.spec;
  spec.threads = common.threads;
  if (!options.penalty_factor_file.empty()) spec.penalty.factors = read_numbers(options.penalty_factor_file);
  if (options.c) spec.penalty.lambda = lambda_for_c(*options.c, spec.loss.kind, options.penalty, data.rows());
  spec.penalty = penalty_in_words(options.penalty, spec.penalty);
  check_problem_options(spec);
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

FitOptions fit_options(const ProblemOptions& problem) {
  FitOptions options;
  options.scale = problem.scale;
  if (!problem.class_weight_file.empty()) options.class_weights = read_class_weights(problem.class_weight_file);
  return options;
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
