#include "problem/newton.hpp"

#include <numeric>

#include "base/index.hpp"
#include "kernel/kernel.hpp"
#include "problem/conjugate_gradients.hpp"
#include "problem/full_pass.hpp"
#include "problem/hessian.hpp"
#include "problem/optimality.hpp"

namespace s3gd {
namespace {

constexpr int kMostProducts = 1000;    // for one direction
constexpr Index kMostFactored = 5000;  // coordinates: 200 MB
constexpr double kFactorIsFaster = 8;  // multiplications of a factor to those of a pass, in the same time

// What a Hessian and its factor cost, in products with it.
double products_for_a_factor(const Problem& problem, double size) {
  const double stored = static_cast<double>(std::max<Index>(1, problem.x().stored()));
  const double outer = stored * stored / static_cast<double>(problem.rows()) / 2;
  return (outer + size * size * size / 6 / kFactorIsFaster) / (2 * stored);
}

}  // namespace

Newton::Newton(const Problem& problem, std::vector<double> start) : problem_(problem), penalty_(problem) {
  smooth_ = penalty_.smooth();
  move_to(std::move(start));
}

void Newton::move_to(std::vector<double> w) {
  w_ = std::move(w);
  u_.resize(at(problem_.rows()));
  gradient_.resize(at(problem_.dim()));
  value_ = loss_and_gradient(problem_, w_, gradient_, u_) + penalty_.value(std::span<const double>(w_));
  double squares = 0;
  for (Index j = 0; j < problem_.dim() && penalty_.norm_strength() > 0; ++j)
    if (penalty_.in_norm(j)) squares += w_[at(j)] * w_[at(j)];
  norm_ = std::sqrt(squares);
}

std::vector<Index> Newton::support() const {
  std::vector<Index> chosen;
  for (Index j = 0; j < problem_.dim(); ++j) {
    const bool kink = penalty_.l1_of(j) > 0 ? w_[at(j)] == 0 : (penalty_.in_norm(j) && norm_ == 0);
    if (!kink) chosen.push_back(j);
  }
  return chosen;
}

std::vector<double> Newton::penalty_slopes() const {
  std::vector<double> slopes(w_.size());
  for (Index j = 0; j < problem_.dim(); ++j) {
    const double wj = w_[at(j)];
    slopes[at(j)] = 2.0 * penalty_.l2_of(j) * wj + (wj > 0 ? penalty_.l1_of(j) : wj < 0 ? -penalty_.l1_of(j) : 0.0);
    if (norm_ > 0 && penalty_.in_norm(j)) slopes[at(j)] += penalty_.norm_strength() * wj / norm_;
  }
  return slopes;
}

std::vector<double> Newton::direct_direction(const std::vector<Index>& chosen,
                                             const std::vector<double>& slopes) const {
  const auto size = static_cast<Index>(chosen.size());
  std::vector<double> matrix = hessian(problem_, curvatures(problem_, u_), chosen);
  std::vector<double> in_norm(at(size), 0.0);
  for (Index k = 0; k < size; ++k) {
    const Index j = chosen[at(k)];
    matrix[at(k * size + k)] += 2.0 * penalty_.l2_of(j);
    if (norm_ == 0 || !penalty_.in_norm(j)) continue;
    in_norm[at(k)] = w_[at(j)] / norm_;
    matrix[at(k * size + k)] += penalty_.norm_strength() / norm_;
  }
  if (norm_ > 0)
    for (Index a = 0; a < size; ++a)
      for (Index b = 0; b <= a; ++b)
        matrix[at(a * size + b)] -= penalty_.norm_strength() / norm_ * in_norm[at(a)] * in_norm[at(b)];
  std::vector<double> direction(at(size)), full(w_.size(), 0.0);
  for (Index k = 0; k < size; ++k) direction[at(k)] = -slopes[at(chosen[at(k)])];
  ScaledFactor(std::move(matrix), std::vector<double>(at(size), 0.0), 0).solve(direction);
  for (Index k = 0; k < size; ++k) full[at(chosen[at(k)])] = direction[at(k)];
  return full;
}

// Conjugate gradients, preconditioned by the diagonal, with everything outside `chosen` held at zero.
std::vector<double> Newton::iterative_direction(const std::vector<Index>& chosen, const std::vector<double>& slopes,
                                                double accuracy) {
  const std::vector<double> h = curvatures(problem_, u_);
  std::vector<double> diagonal = hessian_diagonal(problem_, h), direction(w_.size(), 0.0), image(w_.size());
  const double ring = norm_ > 0 ? penalty_.norm_strength() / norm_ : 0.0;
  double largest = 0;
  for (const Index j : chosen) {
    diagonal[at(j)] += 2.0 * penalty_.l2_of(j) + (penalty_.in_norm(j) ? ring : 0.0);
    largest = std::max(largest, diagonal[at(j)]);
    direction[at(j)] = -slopes[at(j)];
  }
  LinearSystems system;
  system.accuracy = accuracy;
  system.most_products = kMostProducts;
  system.precondition = [&](std::span<double> v) {
    for (const Index j : chosen) v[at(j)] /= std::max(diagonal[at(j)], 1e-12 * largest);
  };
  system.times = [&](auto, std::span<const double> v, std::span<double> out) {
    hessian_times(problem_, h, v, image);
    double along = 0;
    if (ring > 0)
      for (const Index j : chosen)
        if (penalty_.in_norm(j)) along += w_[at(j)] * v[at(j)] / norm_;
    std::fill(out.begin(), out.end(), 0.0);
    for (const Index j : chosen) {
      out[at(j)] = image[at(j)] + 2.0 * penalty_.l2_of(j) * v[at(j)];
      if (ring > 0 && penalty_.in_norm(j)) out[at(j)] += ring * (v[at(j)] - along * w_[at(j)] / norm_);
    }
  };
  products_ = conjugate_gradients(system, {&direction, 1}).front();
  return direction;
}

bool Newton::newton_step(double accuracy) {
  const std::vector<Index> chosen = support();
  if (chosen.empty()) return false;
  std::vector<double> slopes = penalty_slopes();
  for (std::size_t j = 0; j < slopes.size(); ++j) slopes[j] += gradient_[j];
  const auto size = static_cast<Index>(chosen.size());
  const double worth_a_factor = products_for_a_factor(problem_, static_cast<double>(size));
  direct_ = size <= kDirectSize || (size <= kMostFactored && static_cast<double>(products_) > worth_a_factor);
  const auto direction = direct_ ? direct_direction(chosen, slopes) : iterative_direction(chosen, slopes, accuracy);
  const double slope = std::inner_product(direction.begin(), direction.end(), slopes.begin(), 0.0);
  return try_line(direction, slope, Orthant::keep);
}

// Halves the step until F falls by a fair share of what the slope promises. To keep the orthant, coordinates that would
// change sign against their 1-norm stop at zero.
bool Newton::try_line(const std::vector<double>& direction, double slope, Orthant orthant) {
  if (!(slope < 0)) return false;
  const LineSearch line{value_, slope, rounding_of(value_)};
  std::vector<double> along(u_.size());
  margins(problem_, direction, along);
  double t = 1;
  for (int halving = 0; halving < 60; ++halving, t *= 0.5) {
    std::vector<double> next = w_;
    bool crossed = false;
    for (Index j = 0; j < problem_.dim(); ++j) {
      next[at(j)] += t * direction[at(j)];
      if (orthant == Orthant::leave || penalty_.l1_of(j) == 0 || next[at(j)] * w_[at(j)] >= 0) continue;
      next[at(j)] = 0;
      crossed = true;
    }
    std::vector<double> u = u_;
    if (crossed) {
      margins(problem_, next, u);
    } else {
      for (std::size_t i = 0; i < u.size(); ++i) u[i] += t * along[i];
    }
    const double value = loss_at(problem_, u) + penalty_.value(std::span<const double>(next));
    if (line.enough(t, value)) {
      move_to(std::move(next));
      return true;
    }
  }
  return false;
}

// w <- prox(w - M^-1 gradient), M a multiple of the Hessian's diagonal (or of its largest entry, where the penalty is
// not separable), doubled until F falls as it should.
bool Newton::prox_step() {
  std::vector<double> metric = hessian_diagonal(problem_, curvatures(problem_, u_));
  const double largest = std::max(*std::max_element(metric.begin(), metric.end()), 1e-300);
  const bool separable = penalty_.norm_strength() == 0;
  for (auto& m : metric) m = separable ? std::max(m, 1e-8 * largest) : largest;
  const double before = value_;
  const double loss_before = before - penalty_.value(std::span<const double>(w_));
  for (int doubling = 0; doubling < 60; ++doubling) {
    std::vector<double> next = w_;
    for (std::size_t j = 0; j < next.size(); ++j) next[j] -= gradient_[j] / metric[j];
    if (separable) {
      for (Index j = 0; j < problem_.dim(); ++j) {
        const double threshold = penalty_.l1_of(j) / metric[at(j)];
        next[at(j)] -= std::clamp(next[at(j)], -threshold, threshold);
        next[at(j)] /= 1.0 + 2.0 * penalty_.l2_of(j) / metric[at(j)];
      }
    } else {
      penalty_.prox(1.0 / metric.front(), std::span<double>(next));
    }
    if (next == w_) return false;
    std::vector<double> u(u_.size());
    margins(problem_, next, u);
    double model = loss_before;
    for (std::size_t j = 0; j < next.size(); ++j) {
      const double moved = next[j] - w_[j];
      model += gradient_[j] * moved + 0.5 * metric[j] * moved * moved;
    }
    if (loss_at(problem_, u) <= model + rounding_of(loss_before)) {
      move_to(std::move(next));
      return true;
    }
    for (auto& m : metric) m *= 2;
  }
  return false;
}

// The proximal Newton step for penalties with a 1-norm: minimises
//
//     g.d + d'Hd / 2 + sum_j l1_j |w_j + d_j| + l2_j (w_j + d_j)^2
//
// over the coordinates that are not zero or want to leave it, one coordinate at a time, H being explicit.

namespace {

constexpr int kMostSweeps = 300;  // a guard

}  // namespace

// The support, then the coordinates at zero that violate optimality most, kDirectSize of them at most.
std::vector<Index> Newton::working_set() const {
  std::vector<Index> chosen = support();
  std::vector<std::pair<double, Index>> violators;
  for (Index j = 0; j < problem_.dim(); ++j)
    if (penalty_.l1_of(j) > 0 && w_[at(j)] == 0 && std::abs(gradient_[at(j)]) > penalty_.l1_of(j))
      violators.emplace_back(penalty_.l1_of(j) - std::abs(gradient_[at(j)]), j);
  std::sort(violators.begin(), violators.end());
  for (const auto& [violation, j] : violators) {
    if (static_cast<Index>(chosen.size()) >= kDirectSize) break;
    chosen.push_back(j);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

bool Newton::coordinate_step() {
  const std::vector<Index> chosen = working_set();
  const auto size = static_cast<Index>(chosen.size());
  if (penalty_.norm_strength() > 0 || size == 0 || size > kDirectSize) return false;
  std::vector<double> matrix = hessian(problem_, curvatures(problem_, u_), chosen);
  mirror(matrix, size);
  std::vector<double> moved(at(size), 0.0), pushed(at(size), 0.0);  // d, and H d
  double first_gain = 0;
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    double gain = 0;
    for (Index k = 0; k < size; ++k) {
      const Index j = chosen[at(k)];
      const double l1 = penalty_.l1_of(j), l2 = penalty_.l2_of(j);
      const double curvature = matrix[at(k * size + k)] + 2.0 * l2;
      if (!(curvature > 0)) continue;
      const double x = w_[at(j)] + moved[at(k)];
      const double free = curvature * x - (gradient_[at(j)] + pushed[at(k)] + 2.0 * l2 * x);
      const double change = (free - std::clamp(free, -l1, l1)) / curvature - x;
      if (change == 0) continue;
      moved[at(k)] += change;
      kernel::axpy(change, matrix.data() + k * size, pushed.data(), size);
      gain = std::max(gain, curvature * change * change);
    }
    if (sweep == 0) first_gain = gain;
    if (gain <= 1e-20 * first_gain) break;
  }
  std::vector<double> direction(w_.size(), 0.0);
  double promised = 0;  // term by term: differences of whole penalties would drown the last digits in rounding
  for (Index k = 0; k < size; ++k) {
    const Index j = chosen[at(k)];
    const double from = w_[at(j)], by = moved[at(k)];
    direction[at(j)] = by;
    promised += by * (gradient_[at(j)] + penalty_.l2_of(j) * (2.0 * from + by));
    promised += penalty_.l1_of(j) * absolute_change(from, by);
  }
  return try_line(direction, promised, Orthant::leave);
}

}  // namespace s3gd
