#include "softmax/identity.hpp"

#include "model/names.hpp"
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
  parts.problem = {
      {"--multiclass", "softmax"},
      {"--lambda", penalty.lambda},
      {"--penalty", {name_of(penalty.kind), penalty.alpha, checksum_text(std::as_bytes(std::span(penalty.factors)))}},
      {"--intercept", name_of(problem.spec().intercept)}};
  if (input.test != nullptr) parts.validate = rows_of(*input.test);
  parts.graph = input.graph;
  return run_identity(parts, options);
}

}  // namespace s3gd
