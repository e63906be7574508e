#include "s3gd/model.hpp"

#include <cmath>

#include "problem/loss.hpp"
#include "problem/names.hpp"
#include "s3gd/error.hpp"
#include "s3gd/solve.hpp"

namespace s3gd {
namespace {

std::string name_of_class(const Problem& problem, double value) {
  return std::isnan(value) ? kRestClass : problem.data().y.name_of(value);
}

Model from_training(const Dataset& data, const ProblemSpec& spec, const Scaling& scaling,
                    const Certificate& certificate) {
  Model model;
  model.unit_rows = scaling.kind == Scale::unit_rows;
  model.loss = spec.loss;
  model.penalty = spec.penalty;
  model.penalty.factors.clear();
  for (PenaltySpec& term : model.penalty.also) term.factors.clear();
  model.feature_names = data.feature_names;
  model.index_base = data.index_base;
  model.label_column = data.label_column;
  model.objective = certificate.primal;
  model.relative_gap = certificate.relative_gap;
  model.intercepts.clear();
  return model;
}

// Appends an output with the scaling folded in: w.(f x - s) + b = (f w).x + (b - w.s).
void add_output(Model& model, std::span<const double> w, bool has_intercept, const Scaling& scaling) {
  double intercept = has_intercept ? w.back() : 0.0;
  if (has_intercept) w = w.first(w.size() - 1);
  for (std::size_t j = 0; j < scaling.shift.size(); ++j) intercept -= w[j] * scaling.shift[j];
  for (std::size_t j = 0; j < w.size(); ++j)
    model.weights.push_back(scaling.factor.empty() ? w[j] : w[j] * scaling.factor[j]);
  model.intercepts.push_back(intercept);
}

std::vector<double> difference(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result(a);
  for (std::size_t j = 0; j < a.size(); ++j) result[j] -= b[j];
  return result;
}

std::vector<std::vector<double>> of_each(std::span<const double> w, std::size_t outputs) {
  std::vector<std::vector<double>> parameters;
  for (std::size_t k = 0; k < outputs; ++k) {
    const auto one = w.subspan(k * (w.size() / outputs), w.size() / outputs);
    parameters.emplace_back(one.begin(), one.end());
  }
  return parameters;
}

Model model_of(const Problem& problem, std::span<const double> w, const Scaling& scaling,
               const Certificate& certificate) {
  return make_model(problem, w, scaling, certificate);
}

Model model_of(const OneVsRestProblem& problem, std::span<const double> w, const Scaling& scaling,
               const Certificate& certificate) {
  const Link link = traits_of(problem.spec().loss.kind).link;
  const std::vector<std::string>& classes = problem.classes();
  return make_model(problem.data(), problem.spec(), classes, of_each(w, classes.size()), link, scaling, certificate);
}

// A penalty of the whole matrix goes on record by its name.
Model model_of(const SoftmaxProblem& problem, std::span<const double> w, const Scaling& scaling,
               const Certificate& certificate) {
  const MatrixPenaltySpec& penalty = problem.spec().penalty;
  const bool of_matrix = penalty.kind == MatrixPenaltyKind::group_lasso || penalty.kind == MatrixPenaltyKind::nuclear;
  ProblemSpec spec;
  if (!of_matrix) spec.penalty.kind = parse_name<PenaltyKind>("penalty", name_of(penalty.kind));
  spec.penalty.lambda = penalty.lambda;
  spec.penalty.alpha = penalty.alpha;
  spec.intercept = problem.spec().intercept;
  const std::vector<std::string> classes = problem.class_names();
  Model model =
      make_model(problem.data(), spec, classes, of_each(w, classes.size()), Link::softmax, scaling, certificate);
  if (of_matrix) model.matrix_penalty = name_of(penalty.kind);
  return model;
}

}  // namespace

std::string Model::loss_name() const { return link == Link::softmax ? "softmax" : std::string(name_of(loss.kind)); }

std::string Model::penalty_name() const {
  if (!matrix_penalty.empty()) return matrix_penalty;
  std::string name(name_of(penalty.kind));
  for (const PenaltySpec& term : penalty.also) name += "+" + std::string(name_of(term.kind));
  return name;
}

Model make_model(const Problem& problem, std::span<const double> w, const Scaling& scaling,
                 const Certificate& certificate) {
  Model model = from_training(problem.data(), problem.spec(), scaling, certificate);
  add_output(model, w, problem.has_intercept(), scaling);
  model.link = traits_of(model.loss.kind).link;
  if (std::isnan(problem.positive_class())) return model;
  model.classes = {name_of_class(problem, problem.negative_class()), name_of_class(problem, problem.positive_class())};
  return model;
}

Model make_model(const Dataset& data, const ProblemSpec& spec, const std::vector<std::string>& classes,
                 std::span<const std::vector<double>> parameters, Link link, const Scaling& scaling,
                 const Certificate& certificate) {
  if (classes.size() < 2 || classes.size() != parameters.size())
    throw Error(
        std::to_string(parameters.size()) + " vectors of parameters for " + std::to_string(classes.size()) + " classes",
        "give one for each of at least two classes");
  const bool has_intercept = spec.intercept != Intercept::none;
  const auto dim = static_cast<std::size_t>(data.cols()) + (has_intercept ? 1 : 0);
  for (const auto& w : parameters)
    if (w.size() != dim)
      throw Error(std::to_string(w.size()) + " parameters of a class", "there are " + std::to_string(dim));
  Model model = from_training(data, spec, scaling, certificate);
  model.classes = classes;
  model.link = link;
  if (classes.size() == 2) {
    add_output(model, difference(parameters[1], parameters[0]), has_intercept, scaling);
  } else {
    model.weights.reserve(classes.size() * static_cast<std::size_t>(data.cols()));
    for (const auto& w : parameters) add_output(model, w, has_intercept, scaling);
  }
  return model;
}

Model Task::model(std::span<const double> w, const Scaling& scaling, const Certificate& certificate) const {
  return std::visit([&](const auto& problem) { return model_of(problem, w, scaling, certificate); }, stated_);
}

}  // namespace s3gd
