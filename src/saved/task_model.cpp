#include "s3gd/task.hpp"

#include "problem/loss.hpp"

namespace s3gd {
namespace {

bool is_of_whole_matrix(MatrixPenaltyKind kind) {
  return kind == MatrixPenaltyKind::group_lasso || kind == MatrixPenaltyKind::nuclear;
}

// For the record in a model; a penalty of the whole matrix has its name beside.
PenaltyKind kind_on_record(MatrixPenaltyKind kind) {
  switch (kind) {
    case MatrixPenaltyKind::l1:
      return PenaltyKind::l1;
    case MatrixPenaltyKind::elastic_net:
      return PenaltyKind::elastic_net;
    case MatrixPenaltyKind::none:
      return PenaltyKind::none;
    default:
      return PenaltyKind::l2;
  }
}

std::vector<std::vector<double>> of_each(std::span<const double> w, std::size_t outputs) {
  const std::size_t dim = w.size() / outputs;
  std::vector<std::vector<double>> parameters;
  for (std::size_t k = 0; k < outputs; ++k) {
    const auto one = w.subspan(k * dim, dim);
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

Model model_of(const SoftmaxProblem& problem, std::span<const double> w, const Scaling& scaling,
               const Certificate& certificate) {
  const MatrixPenaltySpec& penalty = problem.spec().penalty;
  ProblemSpec spec;
  spec.penalty.kind = kind_on_record(penalty.kind);
  spec.penalty.lambda = penalty.lambda;
  spec.penalty.alpha = penalty.alpha;
  spec.intercept = problem.spec().intercept;
  const std::vector<std::string> classes = problem.class_names();
  Model model =
      make_model(problem.data(), spec, classes, of_each(w, classes.size()), Link::softmax, scaling, certificate);
  if (is_of_whole_matrix(penalty.kind)) model.matrix_penalty = name_of(penalty.kind);
  return model;
}

}  // namespace

Model Task::model(std::span<const double> w, const Scaling& scaling, const Certificate& certificate) const {
  return std::visit([&](const auto& problem) { return model_of(problem, w, scaling, certificate); }, stated_);
}

}  // namespace s3gd
