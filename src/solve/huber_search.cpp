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

constexpr Index kMostSteps = 200;  // a guard: a few dozen do
constexpr double kInfinity = std::numeric_limits<double>::infinity();

JournalSource source_of(const Certificate& found, const SolveInput& input) {
  JournalSource source;
  source.objective = [&found](std::span<const double>) { return found.primal; };
  source.watch = input.watch;
  return source;
}

using Vector = HuberSearch::Vector;

constexpr Index kMostNewtonSteps = 20;
constexpr double kMostChange = 0.8;  // of sigma in a step
constexpr double kShortest = 1e-3;   // step that is worth its cost
constexpr double kFewCross = 0.5;    // share of the rows inside up to which crossing rows are added and subtracted
constexpr double kFlat = 0.1;        // share of the slope that may be left at the end of a whole step
constexpr double kPassesPerNewtonStep = 3;  // and what rows cross

// Newton's method for w and sigma together. Rows within epsilon sigma are squares over sigma, the others lines, so that
//
//     H = (2 / sigma) [ G + sigma R'' / 2,  -c;  -c',  sum_in q_i z_i^2 ],   G = sum_in q_i x_i x_i',   c = sum_in q_i z_i x_i,   z = r / sigma
//
// and from one step to the next G changes by the rows that have crossed: after the first, a step costs little more than passes. It
// ends exactly once none crosses. Steps go to the best place of their line, whose margins are known; then sigma is the best for the
// errors there. Where sigma wants to shrink at once by most of itself it may well be zero in the end: not a matter for this method.
class HuberNewton {
 public:
  explicit HuberNewton(HuberSearch& search) : s_(search), inside_(search.q.size(), true) {}

  bool run() {
    begin();
    bool going = s_.judge(2);
    for (; going && s_.may_step(); ++s_.steps) {
      if (s_.steps >= kMostNewtonSteps || !step()) return false;
      going = s_.judge(kPassesPerNewtonStep);
    }
    return true;
  }

 private:
  void begin() {
    if (s_.options.start.empty()) {
      products_ = s_.products([](std::size_t) { return 1.0; });
      Vector b(s_.problem.target_row().begin(), s_.problem.target_row().end());
      s_.w = s_.solved(s_.factorised(products_, 0.5), std::move(b));
    } else {
      s_.w = s_.options.start;
    }
    s_.see_errors();
    sigma_ = s_.scale.best(s_.errors);
    Vector v(s_.q.size());
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = 2 * slope(s_.errors[i] / sigma_);
    s_.keep_dual(v);  // of a start at the optimum
  }

  double slope(double z) const { return std::clamp(z, -s_.bound / 2, s_.bound / 2); }

  void see_crossings() {
    std::vector<signed char> crossed(inside_.size(), 0);
    double crossing = 0, all = 0;
    for (std::size_t i = 0; i < inside_.size(); ++i) {
      const bool now = std::abs(s_.errors[i]) <= s_.bound / 2 * sigma_;
      crossed[i] = static_cast<signed char>(now - inside_[i]);
      crossing += now != inside_[i];
      all += now;
      inside_[i] = now;
    }
    if (products_.empty() || crossing > kFewCross * all) {
      products_ = s_.products([&](std::size_t i) { return inside_[i] ? 1.0 : 0.0; });
    } else if (crossing > 0) {
      const Vector more = s_.products([&](std::size_t i) { return crossed[i] > 0 ? 1.0 : 0.0; });
      const Vector less = s_.products([&](std::size_t i) { return crossed[i] < 0 ? 1.0 : 0.0; });
      for (std::size_t k = 0; k < products_.size(); ++k) products_[k] += more[k] - less[k];
    }
  }

  bool step() {
    see_crossings();
    const Vector& r = s_.errors;
    Vector gradient = s_.sum_rows([&](std::size_t i) { return 2 * slope(r[i] / sigma_); });
    const Vector coupling = s_.sum_rows([&](std::size_t i) { return inside_[i] ? r[i] / sigma_ : 0.0; });
    for (std::size_t j = 0; j < gradient.size(); ++j) gradient[j] += s_.ridge[j] * s_.w[j];
    double slack = 1, squares = 0;
    for (std::size_t i = 0; i < r.size(); ++i) {
      const double square = s_.q[i] * std::pow(slope(r[i] / sigma_), 2);
      slack -= square;
      squares += inside_[i] ? square : 0.0;
    }
    const Vector factor = s_.factorised(products_, sigma_ / 2), solved = s_.solved(factor, coupling);
    Vector b = gradient;
    for (double& value : b) value *= -sigma_ / 2;
    Vector direction = s_.solved(factor, std::move(b));
    const double of_sigma =
        (HuberSearch::dot(coupling, direction) - slack * sigma_ / 2) / (squares - HuberSearch::dot(coupling, solved));
    if (!(std::abs(of_sigma) <= kMostChange * sigma_)) return false;
    for (std::size_t j = 0; j < direction.size(); ++j) direction[j] += of_sigma * solved[j];
    Vector along(r.size());
    margins(s_.problem, direction, along);
    keep_dual(along, of_sigma);
    return go(direction, along, of_sigma);
  }

  // Where the whole step leads to, as far as it is linear: more exact than the errors there, where sigma is small.
  void keep_dual(const Vector& along, double of_sigma) {
    Vector v(along.size());
    for (std::size_t i = 0; i < v.size(); ++i) {
      const double z = s_.errors[i] / sigma_;
      v[i] = 2 * (z + (along[i] - z * of_sigma) / (sigma_ + of_sigma));
    }
    s_.keep_dual(v);
  }

  bool go(const Vector& direction, const Vector& along, double of_sigma) {
    double linear = 0, quadratic = 0;
    for (std::size_t j = 0; j < direction.size(); ++j) {
      linear += s_.ridge[j] * s_.w[j] * direction[j];
      quadratic += s_.ridge[j] * direction[j] * direction[j];
    }
    const auto slope_at = [&](double t) {
      double sum = linear + t * quadratic + of_sigma;
      for (std::size_t i = 0; i < along.size(); ++i) {
        const double by = slope((s_.errors[i] + t * along[i]) / (sigma_ + t * of_sigma));
        sum += s_.q[i] * by * (2 * along[i] - of_sigma * by);
      }
      return sum;
    };
    double low = 0, high = 1, at_low = slope_at(0), at_high = slope_at(1), t = 1;
    const double flat = kFlat * std::abs(at_low);
    for (int turn = 0; turn < 30 && std::abs(at_high) > flat && at_high > 0; ++turn) {
      t = turn % 3 == 2 ? (low + high) / 2 : low + (high - low) * at_low / (at_low - at_high);
      const double here = slope_at(t);
      if (std::abs(here) <= flat) break;
      (here > 0 ? high : low) = t;
      (here > 0 ? at_high : at_low) = here;
    }
    if (!(t >= kShortest)) return false;
    for (std::size_t j = 0; j < direction.size(); ++j) s_.w[j] += t * direction[j];
    s_.see_errors();
    sigma_ = s_.scale.best(s_.errors);
    return true;
  }

  HuberSearch& s_;
  std::vector<bool> inside_;
  Vector products_;  // G
  double sigma_ = 0;
};

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

bool HuberSearch::by_newton() { return HuberNewton(*this).run(); }

}  // namespace s3gd
