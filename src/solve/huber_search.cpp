#include "solve/huber_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/index.hpp"
#include "kernel/blas.hpp"
#include "problem/constant_model.hpp"
#include "problem/full_pass.hpp"
#include "problem/hessian.hpp"

namespace s3gd {
namespace {

constexpr Index kMostColumns = 2500;  // whose factor takes a second
constexpr Index kMostSteps = 200;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

JournalSource source_of(const Certificate& found, const SolveInput& input) {
  JournalSource source;
  source.objective = [&found](std::span<const double>) { return found.primal; };
  source.watch = input.watch;
  return source;
}

}  // namespace

HuberSearch::HuberSearch(const Problem& of, const SolveOptions& with, const SolveInput& input)
    : problem(of),
      options(with),
      penalty(of),
      scale(of),
      ridge(penalty.ridge()),
      q(at(of.rows())),
      bound(2 * of.spec().loss.knee),
      journal(source_of(found, input), options),
      every(at(of.dim())),
      most_steps(with.passes > 0 ? std::min(kMostSteps, static_cast<Index>(std::ceil(with.passes))) : kMostSteps),
      errors(at(of.rows())),
      found{.primal = kInfinity, .relative_gap = kInfinity} {
  options.passes = 0;  // they are steps here
  for (std::size_t i = 0; i < q.size(); ++i) q[i] = problem.weight(static_cast<Index>(i));
  std::iota(every.begin(), every.end(), Index{0});
}

void HuberSearch::see_errors() {
  margins(problem, w, errors);
  for (std::size_t i = 0; i < errors.size(); ++i) errors[i] -= problem.targets()[i];
}

HuberSearch::Vector HuberSearch::sum_rows(const std::function<double(std::size_t row)>& c) const {
  Vector coefficients(q.size()), out(ridge.size());
  for (std::size_t i = 0; i < q.size(); ++i) coefficients[i] = q[i] > 0 ? q[i] * c(i) : 0.0;
  transpose_times(problem, coefficients, out);
  return out;
}

HuberSearch::Vector HuberSearch::products(const std::function<double(std::size_t row)>& d) const {
  Vector h(q.size());
  for (std::size_t i = 0; i < q.size(); ++i) h[i] = q[i] > 0 ? q[i] * d(i) : 0.0;
  return hessian(problem, h, every, [&] { return journal.must_stop(); });
}

HuberSearch::Vector HuberSearch::factorised(const Vector& matrix, double ridge_times) const {
  const Index size = problem.dim();
  Vector factor;
  for (double jitter = 0; jitter < 1; jitter = jitter == 0 ? 1e-15 : 10 * jitter) {
    factor = matrix;
    for (Index k = 0; k < size; ++k) {
      double& diagonal = factor[at(k * size + k)];
      diagonal += ridge_times * ridge[at(k)];
      diagonal += jitter * diagonal + std::numeric_limits<double>::min();
    }
    if (blas::cholesky(size, factor.data(), size)) break;
  }
  return factor;
}

HuberSearch::Vector HuberSearch::solved(const Vector& factor, Vector b) const {
  blas::cholesky_solve(problem.dim(), factor.data(), problem.dim(), b.data());
  return b;
}

bool HuberSearch::judge(double passes_made) {
  passes += passes_made;
  const double own = scale.best(errors);
  const double primal = scale.objective(errors, own) + penalty.value(std::span<const double>(w));
  if (!(primal >= found.primal)) {
    found.primal = primal;
    best = {w, own};
  }
  found.relative_gap =
      (found.primal - std::min(dual, found.primal)) / std::max(found.primal, std::numeric_limits<double>::min());
  if (!penalty.has_dual() && own <= 10 * least()) found.relative_gap = 0;  // nothing is left but rounding
  return journal.moved(w, passes, found.primal, found.relative_gap) && found.relative_gap > options.tol;
}

// Where a feature is not penalised D is minus infinity but at the optimum: there it is estimated, with the optimum taken to be no
// more than three times as long as w in any feature.
void HuberSearch::keep_dual(const Vector& v) {
  const bool free = problem.spec().intercept == Intercept::free;
  const auto sums_at = [&](double by) {
    SlopeSum sum;
    for (std::size_t i = 0; i < q.size(); ++i) {
      sum.slope += q[i] * std::clamp(v[i] + by, -bound, bound);
      sum.curvature += std::abs(v[i] + by) <= bound ? q[i] : 0.0;
    }
    return sum;
  };
  const double by = free ? rising_zero(sums_at, 0.0, 1.0) : 0.0;
  double energy = 0, product = 0;
  const auto moved = [&](std::size_t i) { return std::clamp(v[i] + by, -bound, bound); };
  for (std::size_t i = 0; i < q.size(); ++i) {
    energy += q[i] * moved(i) * moved(i) / 4;
    product += q[i] * moved(i) * problem.targets()[i];
  }
  const double shorter = energy > 1 ? 1 / std::sqrt(energy) : 1.0;
  Vector z = sum_rows([&](std::size_t i) { return -shorter * moved(i); });
  if (free) z.back() = 0;  // up to rounding it is
  double cost = 0;
  if (penalty.has_dual())
    cost = penalty.conjugate(z);
  else
    for (std::size_t j = 0; j < z.size(); ++j)
      cost += ridge[j] > 0 ? z[j] * z[j] / (2 * ridge[j]) : 3 * std::abs(z[j] * w[j]);
  dual = std::max({dual, least(), -shorter * product - cost + least() * (1 - shorter * shorter * energy)});
}

ScaledSolution HuberSearch::conclude() {
  const bool done = found.relative_gap <= options.tol, cut = !done && journal.must_stop();
  found.kind = penalty.has_dual() ? Certificate::Kind::duality_gap : Certificate::Kind::prox_gradient;
  found.dual = penalty.has_dual() ? std::min(dual, found.primal) : std::numeric_limits<double>::quiet_NaN();
  const FinishEnd end = done ? FinishEnd::converged : cut || !may_step() ? FinishEnd::stopped : FinishEnd::stalled;
  journal.end_stage(steps, passes, journal.why(end));
  const Status status = done ? Status::converged : cut ? journal.stopped_by() : Status::out_of_passes;
  return {journal.close(best.first, status, found), best.second};
}

bool wide_for_huber(const Problem& problem) { return problem.dim() > kMostColumns; }

}  // namespace s3gd
