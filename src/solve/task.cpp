#include "s3gd/task.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "base/mention.hpp"
#include "problem/judged_rows.hpp"
#include "problem/loss.hpp"
#include "problem/matrix_penalty.hpp"
#include "problem/penalty.hpp"
#include "problem/targets.hpp"
#include "s3gd/error.hpp"
#include "s3gd/solve.hpp"

namespace s3gd {
namespace {

constexpr const char* kForEachClass = " for each class, with y_i = 1 for its rows and -1 for all others";

bool is_among(const std::vector<SolverInfo>& list, const std::string& name) {
  return std::any_of(list.begin(), list.end(), [&](const SolverInfo& one) { return one.name == name; });
}

// Whether softmax has what is asked for, and the solver is not one that others have as well.
bool suits_softmax(const ProblemSpec& spec, const std::string& solver) {
  const bool solves = solver == "auto" || (is_among(softmax_solvers(), solver) && !is_among(solvers(), solver));
  return solves && spec.loss.kind == LossKind::logistic && spec.penalty.kind != PenaltyKind::l1_l2norm &&
         spec.penalty.also.empty() && spec.class_weight != ClassWeight::paper;
}

Outputs chosen(const Dataset& data, const TaskSpec& asked, const std::string& solver) {
  if (asked.matrix_penalty) return Outputs::softmax;
  const ProblemSpec& spec = asked.problem;
  if (asked.outputs == Outputs::softmax || asked.outputs == Outputs::one) return asked.outputs;
  if (!spec.positive.empty()) return Outputs::one;
  if (asked.outputs == Outputs::automatic) {
    const bool regression = !Loss(spec.loss).classifies() && data.y.class_names.empty();
    if (regression || data.y.kind != LabelKind::classes) return Outputs::one;
  }
  if (classes_of(data, spec.loss.kind).size() == 2) return Outputs::one;
  if (asked.outputs == Outputs::one_vs_rest) return asked.outputs;
  return suits_softmax(spec, solver) ? Outputs::softmax : Outputs::one_vs_rest;
}

SoftmaxSpec softmax_spec(const TaskSpec& asked) {
  const ProblemSpec& stated = asked.problem;
  SoftmaxSpec spec;
  if (asked.matrix_penalty)
    spec.penalty = {*asked.matrix_penalty, stated.penalty.lambda, stated.penalty.alpha, stated.penalty.factors};
  else
    spec.penalty = matrix_penalty(stated.penalty);
  spec.intercept = stated.intercept;
  spec.class_weight = stated.class_weight;
  spec.threads = stated.threads;
  return spec;
}

Task::Stated state(const Dataset& data, const TaskSpec& spec, const std::string& solver) {
  switch (chosen(data, spec, solver)) {
    case Outputs::softmax:
      return SoftmaxProblem(data, softmax_spec(spec));
    case Outputs::one_vs_rest:
      return OneVsRestProblem(data, spec.problem);
    default:
      return Problem(data, spec.problem);
  }
}

PenaltySpec at_lambda(PenaltySpec penalty, double lambda) {
  const double before = penalty.lambda;
  for (PenaltySpec& term : penalty.also) term.lambda = before > 0 ? term.lambda / before * lambda : lambda;
  penalty.lambda = lambda;
  return penalty;
}

std::vector<std::string> classes_in(const Problem& problem) {
  const auto name = [&](double value) { return std::isnan(value) ? kRestClass : problem.data().y.name_of(value); };
  if (std::isnan(problem.positive_class())) return {};
  return {name(problem.negative_class()), name(problem.positive_class())};
}
std::vector<std::string> classes_in(const OneVsRestProblem& problem) { return problem.classes(); }
std::vector<std::string> classes_in(const SoftmaxProblem& problem) { return problem.class_names(); }

std::string formula_of(const OneVsRestProblem& problem) { return problem.of(0).formula() + kForEachClass; }
template <class P>
std::string formula_of(const P& problem) {
  return problem.formula();
}

double loss_over(const Problem& test, std::span<const double> w) {
  return objective(test, w) - Penalty(test.spec().penalty, test.cols(), test.spec().intercept).value(w);
}
double loss_on(const Problem& problem, const Dataset& rows, std::span<const double> w) {
  return loss_over(on_rows(problem, rows), w);
}
double loss_on(const SoftmaxProblem& problem, const Dataset& rows, std::span<const double> w) {
  const std::vector<double> turned = feature_by_feature(problem, w);
  return objective(on_rows(problem, rows), turned) - MatrixPenalty(problem).value(turned);
}
double loss_on(const OneVsRestProblem& problem, const Dataset& rows, std::span<const double> w) {
  const std::size_t dim = w.size() / problem.classes().size();
  double sum = 0;
  for (std::size_t k = 0; k < problem.classes().size(); ++k)
    sum += loss_on(problem.of(static_cast<Index>(k)), rows, w.subspan(k * dim, dim));
  return sum;
}

}  // namespace

OneVsRestProblem::OneVsRestProblem(Dataset data, const ProblemSpec& spec) {
  if (!spec.positive.empty())
    throw Error("one-vs-rest has every class positive once, but one class is named positive",
                "leave " + opt("binary") + " out");
  std::vector<std::string> names;
  for (const double value : classes_of(data, spec.loss.kind)) names.push_back(data.y.name_of(value));
  state_ = std::make_shared<const State>(State{std::move(data), spec, std::move(names)});
}

Problem OneVsRestProblem::on(Index k, const Dataset& rows) const {
  ProblemSpec one = spec();
  one.positive = classes()[at(k)];
  return {rows, one};
}

OneVsRestProblem OneVsRestProblem::with_penalty(const PenaltySpec& penalty) const {
  State changed = *state_;
  changed.spec.penalty = penalty;
  OneVsRestProblem problem = *this;
  problem.state_ = std::make_shared<const State>(std::move(changed));
  return problem;
}

Task::Task(const Dataset& data, const TaskSpec& spec, const std::string& solver) : stated_(state(data, spec, solver)) {}

Outputs Task::kind() const {
  constexpr Outputs kKinds[] = {Outputs::one, Outputs::one_vs_rest, Outputs::softmax};
  return kKinds[stated_.index()];
}

const Dataset& Task::data() const {
  return std::visit([](const auto& problem) -> const Dataset& { return problem.data(); }, stated_);
}

int Task::threads() const {
  return std::visit([](const auto& problem) { return problem.spec().threads; }, stated_);
}

std::vector<std::string> Task::classes() const {
  return std::visit([](const auto& problem) { return classes_in(problem); }, stated_);
}

Index Task::outputs() const { return kind() == Outputs::one ? 1 : static_cast<Index>(classes().size()); }

bool Task::has_intercept() const {
  return std::visit([](const auto& problem) { return problem.spec().intercept != Intercept::none; }, stated_);
}

std::string Task::formula() const {
  return std::visit([](const auto& problem) { return formula_of(problem); }, stated_);
}

Task Task::with_lambda(double lambda) const {
  return std::visit([&](const auto& problem) -> Task { return s3gd::with_lambda(problem, lambda); }, stated_);
}

JudgedRows Task::judged(Dataset rows) const {
  std::vector<std::string> known = classes();
  // Against all others: every label means something.
  if (const auto* one = std::get_if<Problem>(&stated_); one != nullptr && std::isnan(one->negative_class()))
    known.clear();
  return rows_of_classes(std::move(rows), known);
}

double Task::mean_loss(const Dataset& rows, std::span<const double> w) const {
  return std::visit([&](const auto& problem) { return loss_on(problem, rows, w); }, stated_);
}

Problem with_lambda(const Problem& problem, double lambda) {
  return problem.with_penalty(at_lambda(problem.spec().penalty, lambda));
}

OneVsRestProblem with_lambda(const OneVsRestProblem& problem, double lambda) {
  return problem.with_penalty(at_lambda(problem.spec().penalty, lambda));
}

SoftmaxProblem with_lambda(const SoftmaxProblem& problem, double lambda) {
  SoftmaxSpec spec = problem.spec();
  spec.penalty.lambda = lambda;
  return SoftmaxProblem(problem.data(), spec);
}

}  // namespace s3gd
