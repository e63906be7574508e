#include "s3gd/task.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "base/index.hpp"
#include "base/mention.hpp"
#include "problem/judged_rows.hpp"
#include "problem/loss.hpp"
#include "problem/matrix_penalty.hpp"
#include "problem/penalty.hpp"
#include "problem/targets.hpp"
#include "s3gd/error.hpp"
#include "solve/inputs.hpp"

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

const std::string kWarmStartRemedy = "leave " + opt("warm-start") + " out, or give a model of the same kind";

std::string what(const std::vector<std::string>& classes) {
  if (classes.empty()) return "predicts numbers";
  if (classes.size() > 2) return "tells " + std::to_string(classes.size()) + " classes apart";
  return "tells " + classes[1] + " from " + classes[0];
}

void check_rows(const Model& model, const Scaling& scaling) {
  if (model.unit_rows != (scaling.kind == Scale::unit_rows))
    throw Error(std::string("the model to start from is for rows ") +
                    (model.unit_rows ? "of length 1" : "as they are") + ", this run is not",
                model.unit_rows ? "give " + opt("scale", "unit-rows") : "leave " + opt("scale", "unit-rows") + " out");
}

void refuse_kind(const Model& model, const std::vector<std::string>& classes) {
  const auto known = [&](const std::string& name) {
    return std::find(model.classes.begin(), model.classes.end(), name) != model.classes.end();
  };
  const auto stranger = std::find_if_not(classes.begin(), classes.end(), known);
  if (model.classes.size() > 2 && model.classes.size() == classes.size() && stranger != classes.end())
    throw Error("the model to start from does not know the class " + *stranger, kWarmStartRemedy);
  throw Error("the model to start from " + what(model.classes) + ", this run " + what(classes), kWarmStartRemedy);
}

// The model's place for each feature of the rows.
std::vector<std::size_t> places_of_features(const Model& model, const Dataset& data) {
  if (model.features() != data.cols())
    throw Error("the model to start from has " + std::to_string(model.features()) + " features, the rows have " +
                    std::to_string(data.cols()),
                kWarmStartRemedy);
  std::vector<std::size_t> places(at(data.cols()));
  std::iota(places.begin(), places.end(), std::size_t{0});
  const std::vector<std::string>& names = data.feature_names;
  if (names.empty() || model.feature_names.empty()) return places;
  std::unordered_map<std::string, std::size_t> by_name;
  for (std::size_t j = 0; j < names.size(); ++j) by_name[model.feature_names[j]] = j;
  for (std::size_t j = 0; j < names.size(); ++j) {
    const auto found = by_name.find(names[j]);
    if (found == by_name.end())
      throw Error("the model to start from has no feature '" + names[j] + "'", kWarmStartRemedy);
    places[j] = found->second;
  }
  return places;
}

// Appends one output's weights and intercept, times `share`, with the scaling taken out.
void append_output(const Model& model, Index output, double share, const std::vector<std::size_t>& places,
                   bool has_intercept, const Scaling& scaling, std::vector<double>& start) {
  const std::size_t from = start.size();
  for (const std::size_t place : places) start.push_back(share * model.weights_of(output)[place]);
  double intercept = share * model.intercepts[at(output)];
  for (std::size_t j = 0; j < scaling.factor.size(); ++j) start[from + j] /= scaling.factor[j];
  for (std::size_t j = 0; j < scaling.shift.size(); ++j) intercept += start[from + j] * scaling.shift[j];
  if (has_intercept) start.push_back(intercept);
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

std::vector<double> start_from(const Model& model, const Task& task, const Scaling& scaling) {
  const std::vector<std::string> classes = task.classes();
  const bool one = task.kind() == Outputs::one;
  const bool same =
      one ? model.classes == classes
          : std::is_permutation(classes.begin(), classes.end(), model.classes.begin(), model.classes.end());
  if (!same) refuse_kind(model, classes);
  check_rows(model, scaling);
  const std::vector<std::size_t> places = places_of_features(model, task.data());
  std::vector<double> start;
  for (Index output = 0; output < task.outputs(); ++output) {
    const auto find = [&] { return std::find(model.classes.begin(), model.classes.end(), classes[at(output)]); };
    const Index k = one ? 0 : find() - model.classes.begin();
    // Two classes have one output, the difference of theirs: half of it for each.
    const double share = one || model.outputs() > 1 ? 1.0 : k == 1 ? 0.5 : -0.5;
    append_output(model, model.outputs() > 1 ? k : 0, share, places, task.has_intercept(), scaling, start);
  }
  return start;
}

}  // namespace s3gd
