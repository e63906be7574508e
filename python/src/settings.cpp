#include "settings.hpp"

#include <fmt/core.h>
#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "base/mention.hpp"
#include "problem/loss.hpp"
#include "solve/options/table.hpp"

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
    return row.choices.empty() && row.name != "penalty" ? text : DictReader::with_hyphens(text);
  }
  if (PyIndex_Check(value.ptr())) return nb::cast<std::string>(nb::str(nb::steal(PyNumber_Index(value.ptr()))));
  double number = 0;
  if (nb::try_cast(value, number)) return fmt::format("{}", number);
  throw Error(ErrorCode::bad_value, row.name, opt(row.name) + " is " + nb::cast<std::string>(nb::repr(value)),
              "give " + row.expects);
}

// All options of a group that a text can say; those that Python has no name for are the program's.
void read_group(DictReader& from, const std::string& group, OptionValues& values, const std::string& skipped = {}) {
  static const OptionValues kByItself;
  for (const OptionRow& row : option_table()) {
    const bool elsewhere = row.name == "binary" || row.name == "class-weight" || row.name == "scale";
    if (row.group != group || !row.set || elsewhere || row.name == skipped) continue;
    const nb::object found = from.get(DictReader::with_underscores(row.name).c_str());
    if (!found.is_valid()) continue;
    const std::string text = text_of(found, row);
    try {
      if (text != row.get(kByItself)) row.set(values, text);
    } catch (const Error& error) {
      throw error.within(DictReader::with_underscores(row.name));
    }
  }
}

// Penalties of the whole matrix of weights are softmax's, and not in the table.
void read_softmax_penalty(DictReader& spec, TaskSpec& task) {
  std::string words = "l2";
  spec.read("penalty", words);
  words = DictReader::with_hyphens(std::move(words));
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
  ProblemSpec stated = problem;
  if (softmax) {
    read_softmax_penalty(spec, settings.task);
    stated.penalty = {};  // has a table of its own
  }
  check_problem_options(stated);
  spec.finish();
}

void read_options(DictReader options, Settings& settings) {
  OptionValues values;
  for (const char* group : {kSolverOptions, kGraphOptions, kStopOptions, kStateOptions, kTraceOptions})
    read_group(options, group, values);
  settings.solve = values.solve;
  bool trace = false;
  options.read("trace", trace);
  if (trace && settings.solve.trace_every == 0) settings.solve.trace_every = -1;
  options.read("threads", settings.task.problem.threads);
  options.read("check", settings.check);
  bool keep = false;
  options.read("keep_on_interrupt", keep);
  settings.on_interrupt = keep ? OnInterrupt::keep : OnInterrupt::raise;
  options.finish();
}

}  // namespace

Settings settings_of(const nb::dict& spec, const nb::dict& options) {
  Settings settings;
  read_spec(DictReader(spec, "spec"), settings);
  read_options(DictReader(options, "options"), settings);
  return settings;
}

}  // namespace s3gd::python
