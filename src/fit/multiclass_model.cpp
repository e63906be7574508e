#include "s3gd/multiclass.hpp"

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

}  // namespace

Model one_vs_rest_model(const Dataset& data, const ProblemSpec& spec, const std::vector<std::string>& classes,
                        std::span<const std::vector<double>> parameters, const Scaling& scaling,
                        const Certificate& certificate) {
  const Link link = spec.loss.kind == LossKind::logistic ? Link::logistic : Link::identity;
  return make_model(data, spec, classes, parameters, link, scaling, certificate);
}

Model softmax_model(const SoftmaxProblem& problem, std::span<const double> w, const Scaling& scaling,
                    const Certificate& certificate) {
  const MatrixPenaltySpec& penalty = problem.spec().penalty;
  ProblemSpec spec;
  spec.penalty.kind = kind_on_record(penalty.kind);
  spec.penalty.lambda = penalty.lambda;
  spec.penalty.alpha = penalty.alpha;
  spec.intercept = problem.spec().intercept;
  const PerClass parts = per_class(problem, w);
  std::vector<std::vector<double>> parameters;
  for (Index k = 0; k < problem.classes(); ++k) {
    const auto first = parts.weights.begin() + k * problem.cols();
    parameters.emplace_back(first, first + problem.cols());
    if (problem.has_intercept()) parameters.back().push_back(parts.intercepts[static_cast<std::size_t>(k)]);
  }
  Model model =
      make_model(problem.data(), spec, problem.class_names(), parameters, Link::softmax, scaling, certificate);
  if (is_of_whole_matrix(penalty.kind)) model.matrix_penalty = name_of(penalty.kind);
  return model;
}

}  // namespace s3gd
