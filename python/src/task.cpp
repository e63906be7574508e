#include "task.hpp"

#include <fmt/core.h>

#include <cmath>

#include "base/mention.hpp"
#include "problem/loss.hpp"

namespace s3gd::python {
namespace {

void read_task(DictReader& spec, Settings& settings) {
  const std::vector<std::string> names{"binary", "ovr", "softmax", "regression"};
  std::string task = names.front();
  spec.read("task", task);
  const auto found = std::find(names.begin(), names.end(), task);
  if (found == names.end()) throw_unknown_name("task", task, names);
  constexpr Outputs kOutputs[] = {Outputs::one, Outputs::one_vs_rest, Outputs::softmax, Outputs::one};
  settings.task.outputs = kOutputs[found - names.begin()];
  spec.read("n_classes", settings.classes);
  if (task != "regression") return;
  settings.classes = 0;
  settings.task.problem.loss.kind = usual_loss(LabelKind::real);
}

// A value as the library's table of options takes it: numbers by their digits, names with hyphens.
std::string text_of(nb::handle value, const OptionRow& row) {
  if (PyBool_Check(value.ptr())) return value.is(Py_True) ? "true" : "false";
  if (nb::isinstance<nb::str>(value)) {
    const std::string text = nb::cast<std::string>(value);
    return row.choices.empty() && row.name != "penalty" ? text : with_hyphens(text);
  }
  if (PyIndex_Check(value.ptr())) return nb::cast<std::string>(nb::str(nb::steal(PyNumber_Index(value.ptr()))));
  double number = 0;
  if (nb::try_cast(value, number)) return fmt::format("{}", number);
  throw Error(ErrorCode::bad_value, row.name, opt(row.name) + " is " + nb::cast<std::string>(nb::repr(value)),
              "give " + row.expects);
}

// Penalties of the whole matrix of weights are softmax's, and not in the table.
void read_softmax_penalty(DictReader& spec, TaskSpec& task) {
  std::string words = "l2";
  spec.read("penalty", words);
  words = with_hyphens(std::move(words));
  task.matrix_penalty = matrix_penalty_named(words);
  if (!task.matrix_penalty)
    throw Error("softmax has no penalty '" + words + "'",
                "it has l2, l1, elastic-net, none, group-lasso and nuclear; one-vs-rest has those of one output");
}

void read_spec(DictReader spec, Settings& settings) {
  ProblemSpec& problem = settings.task.problem;
  read_task(spec, settings);
  const bool softmax = settings.task.outputs == Outputs::softmax;
  OptionValues values{.problem = problem};
  read_group(spec, kProblemOptions, values, softmax ? "penalty" : "");
  problem = values.problem;
  if (const nb::object factors = spec.get("penalty_factor"); factors.is_valid())
    problem.penalty.factors = numbers_of(factors, "penalty_factor");
  for (PenaltySpec& term : problem.penalty.also) term.factors = problem.penalty.factors;
  const LossTraits& traits = traits_of(problem.loss.kind);
  if (softmax && problem.loss.kind != LossKind::logistic)
    throw Error("softmax has a loss of its own", "leave out the loss, or use the task ovr");
  if (settings.classes == 0 && traits.targets == TargetKind::classes)
    throw Error("regression needs a loss of numbers; " + std::string(traits.name) + " takes classes",
                "leave out the loss, or use the task binary");
  if (settings.classes > 0 && traits.targets == TargetKind::counts)
    throw Error(std::string(traits.name) + " takes counts, not classes", "use the task regression");
  spec.read("scale", settings.scale);
  if (softmax) read_softmax_penalty(spec, settings.task);
  check_given({.problem = problem}, scene_of(settings.task, "auto"));
  spec.finish();
}

void read_options(DictReader options, Settings& settings) {
  OptionValues values;
  for (const char* group : {kSolverOptions, kGraphOptions, kStopOptions, kStateOptions, kTraceOptions})
    read_group(options, group, values);
  settings.solve = values.solve;
  settings.task.problem.threads = values.problem.threads;
  bool trace = false;
  options.read("trace", trace);
  if (trace && settings.solve.trace_every == 0) settings.solve.trace_every = -1;
  options.read("check", settings.check);
  bool keep = false;
  options.read("keep_on_interrupt", keep);
  settings.on_interrupt = keep ? OnInterrupt::keep : OnInterrupt::raise;
  options.finish();
}

void check_codes(const Array<double>& codes, Index classes) {
  for (Index i = 0; i < codes.size(); ++i)
    if (!(codes[i] >= 0 && codes[i] < static_cast<double>(classes) && codes[i] == std::floor(codes[i])))
      throw Error("y holds " + std::to_string(codes[i]) + " in row " + std::to_string(i),
                  "classes are numbered from 0 to " + std::to_string(classes - 1));
}

}  // namespace

void read_group(DictReader& from, const std::string& group, OptionValues& values, const std::string& skipped) {
  static const OptionValues kByItself;
  for (const OptionRow& row : option_table()) {
    if (row.group != group || !row.set || !row.python || row.name == skipped) continue;
    const nb::object found = from.get(with_underscores(row.name).c_str());
    if (!found.is_valid()) continue;
    const std::string text = text_of(found, row);
    try {
      if (text != row.get(kByItself)) row.set(values, text);
    } catch (const Error& error) {
      throw error.within(with_underscores(row.name));
    }
  }
}

Settings settings_of(const nb::dict& spec, const nb::dict& options) {
  Settings settings;
  read_spec(DictReader(spec, "spec"), settings);
  read_options(DictReader(options, "options"), settings);
  return settings;
}

Dataset dataset_of(nb::handle x, nb::handle y, nb::handle weights, LabelKind labels) {
  Dataset data;
  data.x = matrix_of(x);
  data.y.kind = labels;
  if (labels != LabelKind::none) data.y.values = vector_of<double>(y, "y");
  if (labels != LabelKind::none && data.y.values.size() != data.rows())
    throw Error("y has " + std::to_string(data.y.values.size()) + " elements for " + std::to_string(data.rows()) +
                " rows");
  if (!weights.is_none()) data.weights = vector_of<double>(weights, "sample_weight");
  return data;
}

Dataset dataset_of(nb::handle x, nb::handle y, nb::handle weights, const Settings& settings) {
  Dataset data = dataset_of(x, y, weights, settings.classes == 0 ? LabelKind::real : LabelKind::classes);
  if (settings.classes > 0) check_codes(data.y.values, settings.classes);
  return data;
}

std::optional<Dataset> validation_of(nb::handle x, nb::handle y, const Settings& settings) {
  if (x.is_none() != y.is_none()) throw Error("X_val and y_val go together");
  if (x.is_none()) return std::nullopt;
  return dataset_of(x, y, nb::none(), settings);
}

Task task_of(const Dataset& data, const Settings& settings) {
  TaskSpec spec = settings.task;
  if (settings.classes > 0 && spec.outputs == Outputs::one) spec.problem.positive = "1";
  const Task task(data, spec);
  if (const Index fitted = std::ssize(task.classes()); fitted != settings.classes)
    throw Error("only " + std::to_string(fitted) + " of the " + std::to_string(settings.classes) +
                    " classes have rows of positive weight",
                "leave out the classes without any");
  return task;
}

void append(Coefficients& all, std::span<const double> w, const Task& task) {
  const auto cols = static_cast<std::size_t>(task.data().cols()), dim = static_cast<std::size_t>(task.dim());
  for (; !w.empty(); w = w.subspan(dim)) {
    all.weights.insert(all.weights.end(), w.begin(), w.begin() + task.data().cols());
    all.intercepts.push_back(dim > cols ? w[cols] : 0.0);
  }
}

Coefficients coefficients_of(nb::handle pair, Index outputs, Index features) {
  nb::tuple parts;
  if (!nb::try_cast(pair, parts) || nb::len(parts) != 2) throw Error("start is a tuple of two: coef, intercept");
  const Matrix weights = matrix_of(parts[0]);
  const auto* view = std::get_if<DenseView<double>>(&weights.view());
  if (view == nullptr || view->rows != outputs || view->cols != features)
    throw Error("the start's coef is not float64 of " + std::to_string(outputs) + " x " + std::to_string(features));
  Coefficients all;
  for (Index k = 0; k < outputs; ++k) all.weights.insert(all.weights.end(), view->row(k), view->row(k) + features);
  all.intercepts = numbers_of(parts[1], "the start's intercept");
  if (std::ssize(all.intercepts) != outputs)
    throw Error("the start has " + std::to_string(all.intercepts.size()) + " intercepts, expected " +
                std::to_string(outputs));
  return all;
}

std::vector<double> parameters_of(const Coefficients& all, bool intercept) {
  const std::size_t outputs = all.intercepts.size(), features = all.weights.size() / outputs;
  std::vector<double> w;
  for (std::size_t k = 0; k < outputs; ++k) {
    const auto weights = std::span(all.weights).subspan(k * features, features);
    w.insert(w.end(), weights.begin(), weights.end());
    if (intercept) w.push_back(all.intercepts[k]);
  }
  return w;
}

}  // namespace s3gd::python
