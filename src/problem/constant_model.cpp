#include "problem/constant_model.hpp"

#include "base/index.hpp"
#include "problem/loss.hpp"

namespace s3gd {
namespace {

ConstantModel constant_by_rows(const Problem& problem, double l2, double start) {
  const Loss loss(problem.spec().loss);
  ConstantModel model{.b = 0, .loss = 0, .curvature = 0};
  const auto slopes = [&](double b) {
    const SlopeSum rows = slopes_at(problem, {}, b);
    return SlopeSum{rows.slope + 2 * l2 * b, rows.curvature + 2 * l2};
  };
  if (problem.has_intercept()) model.b = rising_zero(slopes, start, 0.1 * std::max(1.0, std::abs(start)));
  for (Index i = 0; i < problem.rows(); ++i)
    model.loss += problem.weight(i) * loss.value(model.b, problem.targets()[at(i)]);
  model.curvature = slopes_at(problem, {}, model.b).curvature;
  return model;
}

}  // namespace

SlopeSum slopes_at(const Problem& problem, std::span<const double> u, double b) {
  const Loss loss(problem.spec().loss);
  SlopeSum sum;
  for (Index i = 0; i < problem.rows(); ++i) {
    const Derivatives one = loss.derivatives(u.empty() ? b : u[at(i)] + b, problem.targets()[at(i)]);
    sum.slope += problem.weight(i) * one.slope;
    sum.curvature += problem.weight(i) * one.curvature;
  }
  return sum;
}

ConstantModel best_constant(const Problem& problem, double l2) {
  const Loss loss(problem.spec().loss);
  double mass[2] = {0, 0}, first = 0, second = 0;
  for (Index i = 0; i < problem.rows(); ++i) {
    const double y = problem.targets()[at(i)], q = problem.weight(i);
    mass[y > 0 ? 1 : 0] += q;
    first += q * y;
    second += q * y * y;
  }
  const double total = mass[0] + mass[1];
  const LossTraits& traits = loss.traits();
  if (traits.targets != TargetKind::classes && !traits.quadratic)
    return constant_by_rows(problem, l2,
                            traits.targets == TargetKind::counts ? std::log(first / total) : first / total);
  if (traits.quadratic) {
    const double b = problem.has_intercept() ? first / (total + l2) : 0.0;
    return {b, second - 2 * b * first + b * b * total, 2 * total};
  }
  const auto sum = [&](auto&& term) { return mass[1] * term(1.0) + mass[0] * term(-1.0); };
  double low = problem.has_intercept() ? -30 : 0, high = -low;
  for (int halving = 0; halving < 60; ++halving) {
    const double b = 0.5 * (low + high);
    (sum([&](double y) { return loss.slope(b, y); }) + 2 * l2 * b > 0 ? high : low) = b;
  }
  return {low, sum([&](double y) { return loss.value(low, y); }),
          sum([&](double y) { return loss.curvature(low, y); })};
}

}  // namespace s3gd
