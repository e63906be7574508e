#include "problem_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/file.hpp"
#include "base/text.hpp"
#include "output.hpp"
#include "problem/names.hpp"
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
  const std::vector<std::string> known = std::exchange(row.choices, {});
  row.help = join(known) + ", or a FILE";
  add_table_option(app, row, name_of(options.spec.class_weight), [&options, known](const std::string& word) {
    const bool named = std::find(known.begin(), known.end(), word) != known.end();
    if (!named && file_exists(word))
      options.class_weight_file = word;
    else
      options.spec.class_weight = parse_name<ClassWeight>("name or file", word);
  });
}

// A word that is looked at when the rows are there.
Option& add_later(Arguments& app, const OptionRow& row, std::string& word) {
  return add_table_option(app, row, word, [&word](const std::string& given) { word = given; });
}

bool is_matrix_penalty(const std::string& name) {
  return name == "group" || name == "group-lasso" || name == "nuclear";
}

// What the options ask for together. --loss softmax and penalties of the whole matrix of weights mean softmax.
Outputs asked_outputs(const ProblemOptions& options) {
  const bool matrix = is_matrix_penalty(options.penalty);
  if (!options.softmax_loss && !matrix && options.multiclass != "softmax")
    return options.multiclass == "ovr" ? Outputs::one_vs_rest : Outputs::automatic;
  const std::string what = matrix ? "--penalty " + options.penalty : "softmax";
  if (options.multiclass == "ovr") throw UsageError(what + " fits all classes together: leave out --multiclass ovr");
  if (!options.spec.positive.empty()) throw UsageError(what + " fits all classes together: leave out --binary");
  if (matrix && options.c) throw UsageError("--C goes with --penalty l2 or l1; give --lambda");
  if (options.spec.loss.kind != LossKind::logistic)
    throw UsageError(what + " has the softmax loss: leave out --loss, or " +
                     (matrix ? "take --penalty l2, l1 or elastic-net" : "use --multiclass ovr"));
  return Outputs::softmax;
}

}  // namespace

void add_problem_options(Arguments& app, ProblemOptions& options, const ProblemKinds& kinds) {
  const OptionTarget target{.scale = &options.scale, .problem = &options.spec};
  app.in_group(kProblemOptions);
  for (const std::string& name : names_in(kProblemOptions)) {
    const OptionRow& row = *find_option(name);
    if (name == "penalty" && kinds.many_classes)
      add_later(app, row, options.penalty).help += "; all classes together: group, nuclear";
    else if (name == "penalty")
      add_later(app, row, options.penalty);
    else if (name == "penalty-factor")
      add_later(app, row, options.penalty_factor_file);
    else if (name == "class-weight")
      add_class_weight(app, options);
    else if (name == "loss" && kinds.many_classes)
      add_table_option(app, row, row.get(target.values()), [&row, target, &options](const std::string& word) {
        options.softmax_loss = word == "softmax";
        target.set(row, options.softmax_loss ? "logistic" : word);
      }).help += ", softmax";
    else if (name != "lambda" || !kinds.many_lambdas)
      add_table_options(app, target, {name});
    if (name == "lambda" && !kinds.many_lambdas)
      app.add("--C", &options.c, "LIBLINEAR's C instead of lambda (docs/theory.md)", {.excludes = {"--lambda"}});
  }
  if (kinds.many_classes)
    app.add("--multiclass", &options.multiclass,
            "more than two classes (default: softmax for logistic and auto, else ovr)",
            {.choices = {"ovr", "softmax"}, .excludes = {"--binary"}});
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

TaskSpec task_spec(ProblemOptions options, const Dataset& data, const Common& common) {
  TaskSpec spec;
  spec.outputs = asked_outputs(options);
  if (is_matrix_penalty(options.penalty)) {
    spec.matrix_penalty = options.penalty == "nuclear" ? MatrixPenaltyKind::nuclear : MatrixPenaltyKind::group_lasso;
    options.penalty = "l2";  // lambda and factors are read as l2's
  }
  spec.problem = problem_spec(options, data, common);
  return spec;
}

void add_sample_weight_option(Arguments& app, RowOptions& options) {
  app.in_group("Data");
  app.add("--sample-weight", &options.sample_weight, "a COLUMN of a CSV file, or a FILE of numbers",
          {.takes = "COLUMN"});
}

Dataset load_weighted(RowOptions& options, const Common& common) {
  const std::string& weights = options.sample_weight;
  options.load.threads = common.threads;
  const bool in_file = !weights.empty() && std::filesystem::exists(weights);
  if (!weights.empty() && !in_file) options.load.weight_column = weights;
  Dataset rows = load(options.data, options.load);
  if (!in_file) return rows;
  rows.weights = Array<double>(read_numbers(weights));
  if (rows.weights.size() != rows.rows())
    throw Error(fmt::format("{} holds {} weights for {} rows", weights, rows.weights.size(), rows.rows()));
  return rows;
}

std::vector<FileUse> files_read(const RowOptions& rows, const ProblemOptions& problem) {
  return {{"DATA", file_of_source(rows.data)},
          {"--labels", rows.load.labels_path},
          {"--sample-weight", file_exists(rows.sample_weight) ? rows.sample_weight : ""},
          {"--penalty-factor", problem.penalty_factor_file},
          {"--class-weight", problem.class_weight_file}};
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

void print_advice(const std::vector<Advice>& advice, const Common& common) {
  for (const Advice& one : advice) remark(common, "advice: " + one.sentence(program_words));
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

std::vector<SolverInfo> softmax_only_solvers() {
  const std::vector<SolverInfo> usual = solvers();
  std::vector<SolverInfo> list = softmax_solvers();
  std::erase_if(list, [&](const SolverInfo& solver) {
    return std::any_of(usual.begin(), usual.end(), [&](const SolverInfo& one) { return one.name == solver.name; });
  });
  return list;
}

}  // namespace s3gd::app
