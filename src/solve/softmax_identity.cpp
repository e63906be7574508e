#include "solve/softmax_identity.hpp"

#include "problem/names.hpp"
#include "solve/run_identity.hpp"

namespace s3gd {
namespace {

std::string rows_of(const SoftmaxProblem& problem) {
  return rows_checksum(problem.x(), problem.spec().threads) + checksum_text(std::as_bytes(problem.targets())) +
         checksum_text(std::as_bytes(problem.class_values())) + checksum_text(std::as_bytes(problem.weights()));
}

}  // namespace

std::string run_identity(const SoftmaxProblem& problem, const SolveOptions& options, const SoftmaxInput& input) {
  const MatrixPenaltySpec& penalty = problem.spec().penalty;
  IdentityParts parts;
  parts.data = rows_of(problem);
  parts.problem.penalty = {PenaltyKind::l2, penalty.lambda, penalty.alpha, penalty.factors, {}};
  parts.problem.intercept = problem.spec().intercept;
  parts.further = {{"multiclass", "softmax"}, {"penalty", name_of(penalty.kind)}};
  if (input.test != nullptr) parts.validate = rows_of(*input.test);
  parts.graph = input.graph;
  return run_identity(parts, options);
}

}  // namespace s3gd
