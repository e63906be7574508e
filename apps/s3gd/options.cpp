#include "options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/file.hpp"
#include "base/text.hpp"
#include "data/catalog.hpp"
#include "data/generate.hpp"
#include "output.hpp"
#include "problem/names.hpp"
#include "problem/translate.hpp"
#include "s3gd/class_weights.hpp"
#include "s3gd/error.hpp"

namespace s3gd::app {
namespace {

bool is_no_plain_file(const std::string& path) {
  std::error_code ignored;
  const auto kind = std::filesystem::status(path, ignored).type();
  return kind != std::filesystem::file_type::not_found && kind != std::filesystem::file_type::none &&
         kind != std::filesystem::file_type::regular;
}

bool clash(const FileUse& a, const FileUse& b) { return same_file(a.path, b.path) && !is_no_plain_file(a.path); }

// LIBLINEAR's 1/2 ||w||^2 + C sum loss, or ||w||_1 + C sum loss: C and lambda are each other's reciprocal up to the
// same constant, so one formula serves both ways.
double lambda_for_c(double c, const ProblemSpec& spec, Index rows) {
  const auto lambda_of = spec.penalty.kind == PenaltyKind::l1 ? translate::liblinear_c_for_l1 : translate::liblinear_c;
  return lambda_of(spec.loss.kind, c, std::max<Index>(1, rows));
}

// One of the names, or a file.
void add_class_weight(Arguments& app, ProblemOptions& options) {
  OptionRow row = *find_option("class-weight");
  const std::vector<std::string> known = std::exchange(row.choices, {});
  row.help = join(known) + ", or a FILE";
  add_table_option(app, row, name_of(ClassWeight::none), [&options, known](const std::string& word) {
    const bool named = std::find(known.begin(), known.end(), word) != known.end();
    if (!named && file_exists(word))
      options.class_weight_file = word;
    else
      options.values.problem.class_weight = parse_name<ClassWeight>("name or file", word);
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
  const Outputs asked = options.values.outputs;
  if (!options.softmax_loss && !matrix && asked != Outputs::softmax) return asked;
  const std::string what = matrix ? "--penalty " + options.penalty : "softmax";
  const ProblemSpec& spec = options.values.problem;
  if (asked == Outputs::one_vs_rest) throw UsageError(what + " fits all classes together: leave out --multiclass ovr");
  if (!spec.positive.empty()) throw UsageError(what + " fits all classes together: leave out --binary");
  if (spec.loss.kind != LossKind::logistic)
    throw UsageError(what + " has the softmax loss: leave out --loss, or " +
                     (matrix ? "take --penalty l2, l1 or elastic-net" : "use --multiclass ovr"));
  return Outputs::softmax;
}

// What the options state of the problem without looking at rows.
TaskSpec stated(const ProblemOptions& options) {
  TaskSpec spec{.problem = options.values.problem, .outputs = asked_outputs(options), .matrix_penalty = {}};
  PenaltySpec& penalty = spec.problem.penalty;
  if (!options.penalty_factor_file.empty()) penalty.factors = read_numbers(options.penalty_factor_file);
  if (is_matrix_penalty(options.penalty))  // lambda and factors are read as l2's
    spec.matrix_penalty = options.penalty == "nuclear" ? MatrixPenaltyKind::nuclear : MatrixPenaltyKind::group_lasso;
  else
    penalty = penalty_in_words(options.penalty, penalty);
  return spec;
}

}  // namespace

void refuse_standard_output(const std::string& path, const std::string& option) {
  if (path == "-") throw UsageError(option + " is '-', but this goes to a file only: give it a name");
}

void add_common_options(Arguments& app, Common& common) {
  app.in_group(kCommonGroup);
  app.add("--json", &common.json, "one JSON object on standard output");
  app.add("--quiet", &common.quiet, "no progress and no remarks");
  for (const char* name : {"threads", "seed"}) {
    const OptionRow& row = *find_option(name);
    add_table_option(app, row, row.get({}), [&row, &common](const std::string& word) {
      OptionValues values;
      values.problem.threads = common.threads;
      values.solve.seed = common.seed;
      row.set(values, word);
      common.threads = values.problem.threads;
      common.seed = values.solve.seed;
    }).group = kCommonGroup;
  }
  app.add_config("--config", "read options from a file: lines NAME = VALUE");
}

std::string table_help(const OptionRow& row) {
  const std::string help = in_words(row.help, program_words);
  return row.choices.empty() ? help : help + (help.empty() ? "" : ": ") + join(row.choices);
}

Option& add_table_option(Arguments& app, const OptionRow& row, const std::string& by_itself,
                         const std::function<void(const std::string& word)>& use) {
  Details details{.takes = row.takes, .flag = row.takes.empty()};
  if (!details.flag) details.by_itself = by_itself;
  if (!row.excludes.empty() && app.has("--" + row.excludes)) details.excludes = {"--" + row.excludes};
  Option& added = app.add("--" + row.name, use, table_help(row), details);
  added.group = row.group;
  return added;
}

void set_option(const OptionRow& row, OptionValues& values, const std::string& word) {
  if (!row.choices.empty() && std::find(row.choices.begin(), row.choices.end(), word) == row.choices.end())
    throw_unknown_name("value", word, row.choices);
  row.set(values, word);
}

void add_table_options(Arguments& app, OptionValues& values, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const OptionRow& row = *find_option(name);
    add_table_option(app, row, row.get(values),
                     [&row, &values](const std::string& word) { set_option(row, values, word); });
  }
}

std::vector<std::string> names_in(const std::string& group) {
  std::vector<std::string> names;
  for (const OptionRow& row : option_table())
    if (row.group == group) names.push_back(row.name);
  return names;
}

std::string file_of_source(const std::string& source) {
  std::error_code ignored;
  if (source.empty() || source == "-" || is_generated(source)) return {};
  if (std::filesystem::exists(source, ignored)) return source;
  return find_known(source).value_or("");
}

bool same_file(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty() || a == "-" || b == "-") return false;
  std::error_code ignored;
  const auto plain = [&](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
  };
  return std::filesystem::equivalent(a, b, ignored) || plain(a) == plain(b);
}

void check_files(const Common& common, std::vector<FileUse> read, const std::vector<FileUse>& written) {
  for (const FileUse& output : written) refuse_standard_output(output.path, output.option);
  read.push_back({"--config", common.config});
  for (auto output = written.begin(); output != written.end(); ++output) {
    for (const FileUse& input : read)
      if (clash(input, *output))
        throw UsageError(output->option + " and " + input.option + " name the same file, " + output->path +
                         ": what is read would be overwritten");
    for (auto other = written.begin(); other != output; ++other)
      if (clash(*other, *output))
        throw UsageError(other->option + " and " + output->option + " name the same file, " + output->path +
                         ": give each its own");
  }
}

void add_problem_options(Arguments& app, ProblemOptions& options, const ProblemKinds& kinds) {
  OptionValues& values = options.values;
  for (const std::string& name : names_in(kProblemOptions)) {
    const OptionRow& row = *find_option(name);
    if ((kinds.many_lambdas && (name == "lambda" || name == "C")) || (!kinds.many_classes && name == "multiclass"))
      continue;
    if (name == "penalty")
      add_later(app, row, options.penalty).help += kinds.many_classes ? "; all classes together: group, nuclear" : "";
    else if (name == "penalty-factor")
      add_later(app, row, options.penalty_factor_file);
    else if (name == "class-weight")
      add_class_weight(app, options);
    else if (name == "loss" && kinds.many_classes)
      add_table_option(app, row, row.get(values), [&row, &options](const std::string& word) {
        options.softmax_loss = word == "softmax";
        set_option(row, options.values, options.softmax_loss ? "logistic" : word);
      }).help += ", softmax";
    else
      add_table_options(app, values, {name});
  }
}

void check_given(const ProblemOptions& options) {
  const TaskSpec spec = stated(options);
  OptionValues values = options.values;
  values.problem = spec.problem;
  OptionScene scene = scene_of(spec, values.solve.solver);
  scene.validates = !values.validate.empty();
  scene.keeps = !values.solve.checkpoint.empty();
  s3gd::check_given(values, scene);
}

TaskSpec task_spec(const ProblemOptions& options, const Dataset& data, const Common& common) {
  TaskSpec spec = stated(options);
  spec.problem.threads = common.threads;
  if (options.values.c > 0) spec.problem.penalty.lambda = lambda_for_c(options.values.c, spec.problem, data.rows());
  return spec;
}

Dataset load_weighted(ProblemOptions& options, const Common& common) {
  const std::string& weights = options.values.sample_weight;
  LoadOptions& with = options.values.load;
  with.threads = common.threads;
  const bool in_file = file_exists(weights);
  if (!weights.empty() && !in_file) with.weight_column = weights;
  Dataset rows = load(options.data, with);
  if (!in_file) return rows;
  rows.weights = Array<double>(read_numbers(weights));
  if (rows.weights.size() != rows.rows())
    throw Error(fmt::format("{} holds {} weights for {} rows", weights, rows.weights.size(), rows.rows()));
  return rows;
}

std::vector<FileUse> files_read(const ProblemOptions& options) {
  const std::string& weights = options.values.sample_weight;
  return {{"DATA", file_of_source(options.data)},
          {"--labels", options.values.load.labels_path},
          {"--sample-weight", file_exists(weights) ? weights : ""},
          {"--penalty-factor", options.penalty_factor_file},
          {"--class-weight", options.class_weight_file}};
}

FitOptions fit_options(const ProblemOptions& options) {
  FitOptions with;
  with.scale = options.values.scale;
  if (!options.class_weight_file.empty()) with.class_weights = read_class_weights(options.class_weight_file);
  return with;
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

}  // namespace s3gd::app
