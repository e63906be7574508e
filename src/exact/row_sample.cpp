#include "exact/row_sample.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "problem/loss.hpp"

namespace s3gd {

std::optional<Problem> sample_rows(const Problem& problem, Index every, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Index> rows;
  for (Index begin = 0; begin < problem.rows(); begin += every)
    rows.push_back(begin + rng.below(std::min(every, problem.rows() - begin)));
  std::vector<double> targets, weights;
  bool positive = false, negative = false;
  for (const Index i : rows) {
    targets.push_back(problem.targets()[static_cast<std::size_t>(i)]);
    weights.push_back(problem.weight(i));
    if (weights.back() > 0) (targets.back() > 0 ? positive : negative) = true;
  }
  const TargetKind kind = traits_of(problem.spec().loss.kind).targets;
  const bool classifies = kind == TargetKind::classes;
  if (classifies ? !(positive && negative) : !positive && (kind == TargetKind::counts || !negative))
    return std::nullopt;

  Dataset whole;
  whole.x = problem.x();
  Dataset data = take_rows(whole, rows);
  data.y = {Array<double>(std::move(targets)), classifies ? LabelKind::classes : LabelKind::real, {}};
  if (!problem.weights().empty()) data.weights = Array<double>(std::move(weights));
  ProblemSpec spec = problem.spec();
  spec.class_weight = ClassWeight::none;  // it is in the weights
  spec.positive.clear();
  spec.penalty.lambda /= problem.total_weight();
  for (PenaltySpec& term : spec.penalty.also) term.lambda /= problem.total_weight();
  return Problem(std::move(data), spec);
}

}  // namespace s3gd
