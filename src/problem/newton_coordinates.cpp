// The proximal Newton step for penalties with a 1-norm: minimises
//
//     g.d + d'Hd / 2 + sum_j l1_j |w_j + d_j| + l2_j (w_j + d_j)^2
//
// over the coordinates that are not zero or want to leave it, one coordinate at a time, H being explicit.
#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "kernel/kernel.hpp"
#include "problem/hessian.hpp"
#include "problem/line_search.hpp"
#include "problem/newton.hpp"

namespace s3gd {
namespace {

constexpr int kMostSweeps = 300;

void mirror(std::vector<double>& matrix, Index size) {
  for (Index a = 0; a < size; ++a)
    for (Index b = 0; b < a; ++b) matrix[at(b * size + a)] = matrix[at(a * size + b)];
}

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
