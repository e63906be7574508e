#include "settings.hpp"

#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "model/penalty_words.hpp"

namespace s3gd::python {
namespace {

Task task_named(const std::string& name) {
  const std::vector<std::string> names{"binary", "ovr", "softmax", "regression"};
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw_unknown_name("task", name, names);
  return static_cast<Task>(found - names.begin());
}

void read_penalty(DictReader& spec, Settings& settings) {
  PenaltySpec common;
  spec.read("lambda", common.lambda);
  spec.read("alpha", common.alpha);
  if (const nb::object factors = spec.get("penalty_factor"); factors.is_valid())
    common.factors = numbers_of(factors, "penalty_factor");
  std::string words = "l2";
  spec.read("penalty", words);
  words = DictReader::with_hyphens(std::move(words));
  if (settings.task != Task::softmax) {
    settings.problem.penalty = penalty_in_words(words, common);
    return;
  }
  const auto kind = matrix_penalty_named(words);
  if (!kind)
    throw Error("softmax has no penalty '" + words + "'",
                "it has l2, l1, elastic-net, none, group-lasso and nuclear; one-vs-rest has those of one output");
  settings.softmax.penalty = {*kind, common.lambda, common.alpha, common.factors};
}

void read_spec(DictReader spec, Settings& settings) {
  std::string task = "binary";
  spec.read("task", task);
  settings.task = task_named(task);
  spec.read("n_classes", settings.classes);
  if (settings.task == Task::regression) settings.problem.loss.kind = LossKind::squared;
  spec.read_name("loss", settings.problem.loss.kind);
  spec.read("beta", settings.problem.loss.beta);
  if (settings.task == Task::softmax && settings.problem.loss.kind != LossKind::logistic)
    throw Error("softmax has a loss of its own", "leave out the loss, or use the task ovr");
  if (settings.task == Task::regression && settings.problem.loss.kind != LossKind::squared)
    throw Error("regression has the loss squared", "leave out the loss, or use the task binary");
  spec.read_name("intercept", settings.problem.intercept);
  settings.softmax.intercept = settings.problem.intercept;
  read_penalty(spec, settings);
  spec.finish();
}

void read_step(DictReader& options, SolveOptions& solve) {
  options.read("decay", solve.decay);
  const nb::object step = options.get("step");
  if (!step.is_valid()) return;
  if (nb::isinstance<nb::str>(step)) {
    if (nb::cast<std::string>(step) != "auto") throw Error("the step is a number, or 'auto'");
    return;
  }
  options.read("step", solve.step);
}

void read_order(DictReader& options, SolveOptions& solve) {
  const std::vector<std::string> names{"auto", "weighted", "shuffled"};
  std::string order = "auto";
  options.read("order", order);
  const auto found = std::find(names.begin(), names.end(), order);
  if (found == names.end()) throw_unknown_name("order", order, names);
  solve.order = static_cast<RowOrder>(found - names.begin());
}

void read_trace(DictReader& options, SolveOptions& solve) {
  bool trace = false;
  options.read("trace", trace);
  if (trace) solve.trace_every = -1;
  options.read("trace_every", solve.trace_every);
  options.read("trace_gradients", solve.trace_gradients);
}

void read_options(DictReader options, Settings& settings) {
  SolveOptions& solve = settings.solve;
  options.read("solver", solve.solver);
  read_step(options, solve);
  options.read("batch", solve.batch);
  options.read("inner", solve.inner);
  read_order(options, solve);
  options.read("average", solve.average_snapshot);
  options.read("accelerated", solve.accelerated);
  options.read("anchors", solve.graph.anchors);
  options.read("neighbours", solve.graph.neighbours);
  options.read_name("kernel", solve.graph.kernel);
  options.read_name("graph_mode", solve.graph_mode);
  options.read_name("control", solve.control);
  options.read("tol", solve.tol);
  options.read("passes", solve.passes);
  options.read("iterations", solve.iterations);
  options.read("seconds", solve.seconds);
  options.read("patience", solve.patience);
  options.read("seed", solve.seed);
  options.read("checkpoint", solve.checkpoint);
  options.read("checkpoint_every", solve.checkpoint_every);
  options.read("resume", solve.resume);
  read_trace(options, solve);
  options.read("threads", settings.problem.threads);
  settings.softmax.threads = settings.problem.threads;
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
