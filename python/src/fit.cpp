#include <nlohmann/json.hpp>

#include "arrays.hpp"
#include "base/clock.hpp"
#include "calls.hpp"
#include "data/margin_watch.hpp"
#include "finish/finisher.hpp"
#include "fit/fit_json.hpp"
#include "model/same_problem.hpp"
#include "model/targets.hpp"
#include "results.hpp"
#include "s3gd/error.hpp"
#include "s3gd/multiclass.hpp"
#include "s3gd/softmax.hpp"
#include "task_data.hpp"
#include "work.hpp"

namespace s3gd::python {
namespace {

using Json = nlohmann::ordered_json;

struct Outcome {
  Coefficients coefficients;
  Json summary;
  std::vector<TraceRow> trace;
};

struct FitCall {
  const Settings& settings;
  const Dataset& train;
  const std::optional<Dataset>& test;
  const std::optional<Coefficients>& start;
  std::function<bool(const TraceRow&)> watch;  // may be empty
  std::function<bool(const std::string&, const Summary&)> watch_class;
  double started = wall_now();

  FitFacts facts(const std::string& formula, const Summary& summary) const {
    FitFacts facts{train, formula, summary};
    if (settings.task != Task::regression) facts.classes = settings.classes;
    facts.total_seconds = wall_now() - started;
    facts.seed = settings.solve.seed;
    return facts;
  }
};

// Whether every row is first met in a pass that makes margins. Other ways begin with k-means, norms or columns of the rows,
// where numbers that are not finite do harm before anybody notices.
bool begins_with_margins(const Problem& problem, const SolveOptions& options) {
  if (options.solver != "auto" || !options.checkpoint.empty()) return false;
  const Finisher& first = first_that_suits(problem);
  return first.name == "sampled-newton" && first.start_passes(problem) == 0;
}

Solution solve_checked(const Problem& problem, const SolveOptions& options, const SolveInput& input,
                       const MarginWatch* unseen) {
  const int threads = problem.spec().threads;
  if (unseen != nullptr && !begins_with_margins(problem, options)) unseen->insist(threads);
  Solution solution = solve(problem, options, input);
  if (unseen != nullptr) unseen->insist(threads);
  return solution;
}

Outcome fit_one_output(const FitCall& call) {
  Dataset train = call.train;
  std::shared_ptr<const MarginWatch> unseen;
  if (call.settings.check && train.x.is_dense()) train.verifier = unseen = std::make_shared<MarginWatch>(train.x);
  const Problem problem(train, one_output_spec(call.settings));
  std::optional<Problem> test;
  const bool classes = call.settings.task == Task::binary;
  if (call.test) test.emplace(classes ? with_both_classes(*call.test) : *call.test, same_problem(problem));
  SolveOptions options = call.settings.solve;
  if (call.start) options.start = parameters_of(*call.start, 0, problem.cols(), problem.has_intercept());
  SolveInput input;
  input.test = test ? &*test : nullptr;
  input.watch = call.watch;
  Solution solution = solve_checked(problem, options, input, unseen.get());
  Outcome outcome;
  append_output(outcome.coefficients, solution.w, problem.cols());
  outcome.summary = to_json(call.facts(problem.formula(), solution.summary));
  outcome.trace = std::move(solution.trace);
  return outcome;
}

Outcome fit_one_vs_rest(const FitCall& call) {
  OneVsRestInput input;
  const bool intercept = call.settings.problem.intercept != Intercept::none;
  for (Index k = 0; call.start && k < call.settings.classes; ++k)
    input.starts.push_back(parameters_of(*call.start, k, call.train.cols(), intercept));
  input.test = call.test ? &*call.test : nullptr;
  input.watch = call.watch_class;
  require_all_classes(static_cast<Index>(classes_of(call.train, call.settings.problem.loss.kind).size()),
                      call.settings);
  OneVsRest fit = solve_one_vs_rest(call.train, call.settings.problem, call.settings.solve, input);
  ProblemSpec first = call.settings.problem;
  first.positive = fit.classes.front();
  FitFacts facts = call.facts(Problem(call.train, first).formula() + kForEachClass, fit.summary);
  facts.multiclass = "ovr";
  facts.class_names = fit.classes;
  facts.class_summaries = fit.class_summaries;
  Outcome outcome;
  for (const std::vector<double>& w : fit.w) append_output(outcome.coefficients, w, call.train.cols());
  outcome.summary = to_json(facts);
  outcome.trace = std::move(fit.trace);
  return outcome;
}

Outcome fit_softmax(const FitCall& call) {
  const SoftmaxProblem problem(call.train, call.settings.softmax);
  require_all_classes(problem.classes(), call.settings);
  std::optional<SoftmaxProblem> test;
  if (call.test) test.emplace(on_rows(problem, *call.test));
  SolveOptions options = call.settings.solve;
  if (call.start) options.start = from_per_class(problem, {call.start->weights, call.start->intercepts});
  SoftmaxInput input;
  input.test = test ? &*test : nullptr;
  input.watch = call.watch;
  SoftmaxSolution solution = solve_softmax(problem, options, input);
  FitFacts facts = call.facts(problem.formula(), solution.summary);
  facts.multiclass = "softmax";
  facts.rank = solution.rank;
  PerClass parts = per_class(problem, solution.w);
  return {{std::move(parts.weights), std::move(parts.intercepts)}, to_json(facts), std::move(solution.trace)};
}

Outcome fit_task(const FitCall& call) {
  const bool one_output = call.settings.task == Task::binary || call.settings.task == Task::regression;
  if (call.settings.check) {
    if (!one_output || !call.train.x.is_dense()) call.train.x.check(call.settings.problem.threads);
    if (call.test) call.test->x.check(call.settings.problem.threads);
  }
  switch (call.settings.task) {
    case Task::ovr:
      return fit_one_vs_rest(call);
    case Task::softmax:
      return fit_softmax(call);
    default:
      return fit_one_output(call);
  }
}

nb::dict class_row(const std::string& name, const Summary& summary) {
  nb::dict row;
  row["class"] = std::stoi(name);
  row["status"] = name_of(summary.status);
  row["train_objective"] = summary.objective;
  row["gap"] = summary.certificate.relative_gap;
  row["passes"] = summary.passes;
  row["iteration"] = summary.iterations;
  return row;
}

}  // namespace

nb::dict fit(nb::object x, nb::object y, nb::object sample_weight, nb::dict spec, nb::dict options, nb::object start,
             nb::object x_val, nb::object y_val, nb::object callback) {
  Settings settings = settings_of(spec, options);
  const Dataset train = dataset_of(x, y, sample_weight, settings);
  const std::optional<Dataset> test = validation_of(x_val, y_val, settings);
  const bool many = settings.task == Task::ovr || settings.task == Task::softmax;
  const Index outputs = many ? settings.classes : 1;
  const std::optional<Coefficients> from = start_of(start, outputs, train.cols());

  Work work(settings.on_interrupt);
  FitCall call{settings, train, test, from, {}, {}};
  if (!callback.is_none()) {
    if (settings.solve.trace_every == 0) settings.solve.trace_every = -1;
    call.watch = [&](const TraceRow& row) { return work.tell(callback, [&] { return to_python(row); }); };
    call.watch_class = [&](const std::string& name, const Summary& summary) {
      return work.tell(callback, [&] { return class_row(name, summary); });
    };
  }
  Outcome outcome;
  work.run([&] { outcome = fit_task(call); });

  nb::dict result;
  const auto rows = static_cast<std::size_t>(outputs), cols = static_cast<std::size_t>(train.cols());
  result["coef"] = array_from(std::move(outcome.coefficients.weights), {rows, cols});
  result["intercept"] = array_from(std::move(outcome.coefficients.intercepts));
  result["summary"] = to_python(outcome.summary);
  result["trace"] = to_python(outcome.trace);
  return result;
}

}  // namespace s3gd::python
