// The dual side of the penalties: conjugates, and how far a dual point must be pulled in to be feasible.
#include <algorithm>
#include <cmath>
#include <limits>

#include "problem/penalty.hpp"
#include "problem/radial.hpp"

namespace s3gd {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// max_j |z_j|, in lanes that do not wait for each other.
double largest(std::span<const double> z) {
  double lanes[4] = {}, rest = 0;
  std::size_t j = 0;
  for (; j + 4 <= z.size(); j += 4)
    for (std::size_t k = 0; k < 4; ++k) lanes[k] = std::max(lanes[k], std::abs(z[j + k]));
  for (; j < z.size(); ++j) rest = std::max(rest, std::abs(z[j]));
  for (const double lane : lanes) rest = std::max(rest, lane);
  return rest;
}

double excess(double z, double l1) { return std::max(0.0, std::abs(z) - l1); }

// sup_w  sum_j (t_j w_j - c_j w_j^2) - nu ||w||_2,  t >= 0; a_j = 2 c_j.
double norm_conjugate(const std::vector<double>& t, const std::vector<double>& a, double nu) {
  double squares = 0, unbounded = 0;
  for (std::size_t j = 0; j < t.size(); ++j) {
    squares += t[j] * t[j];
    if (a[j] == 0) unbounded += t[j] * t[j];
  }
  if (squares <= nu * nu) return 0.0;
  if (unbounded >= nu * nu) return kInfinity;
  const double r = radius_of(t, a, nu);
  double sum = -nu * r;
  for (std::size_t j = 0; j < t.size(); ++j) {
    const double w = t[j] * r / (a[j] * r + nu);
    sum += (t[j] - 0.5 * a[j] * w) * w;
  }
  return sum;
}

// Largest s in [0, 1] with || (s |z| - l1)_+ || <= nu: Newton from the right on a convex function never undershoots.
double norm_scale(const std::vector<double>& z, const std::vector<double>& l1, double nu) {
  double s = 1;
  for (int iteration = 0; iteration < 100; ++iteration) {
    double squares = 0, slope = 0;
    for (std::size_t j = 0; j < z.size(); ++j) {
      const double over = excess(s * z[j], l1[j]);
      squares += over * over;
      slope += over * std::abs(z[j]);
    }
    if (squares <= nu * nu) return s;  // as norm_conjugate() asks
    const double norm = std::sqrt(squares);
    const double next = s - (norm - nu) * norm / slope;
    s = std::max(0.0, next < s ? next : s * (1 - 1e-15));
  }
  return s;
}

}  // namespace

double Penalty::conjugate(std::span<const double> z) const {
  if (!prox_is_exact()) return kInfinity;
  double sum = 0;
  std::vector<double> t, a;
  Index begin = 0;
  if (one_factor_ && factors_.empty() && norms_.empty() && largest(z.first(static_cast<std::size_t>(cols_))) <= l1_)
    begin = cols_;  // no feature adds anything
  for (Index j = begin; j < dim_; ++j) {
    const double over = excess(z[static_cast<std::size_t>(j)], l1_of(j));
    const double l2 = l2_of(j);
    if (!norms_.empty() && member(norms_.front(), j)) {
      t.push_back(over);
      a.push_back(2.0 * l2);
    } else if (over > 0) {
      sum += l2 > 0 ? over * over / (4.0 * l2) : kInfinity;
    }
  }
  return norms_.empty() ? sum : sum + norm_conjugate(t, a, norms_.front().strength);
}

double Penalty::feasible_scale(std::span<const double> z) const {
  if (!prox_is_exact()) return 0.0;
  double scale = 1;
  std::vector<double> inside, l1;
  Index begin = 0;
  if (one_factor_ && factors_.empty() && norms_.empty()) {
    const double most = l2_ > 0 ? 0.0 : largest(z.first(static_cast<std::size_t>(cols_)));
    if (most > l1_) scale = l1_ / most;
    begin = cols_;
  }
  for (Index j = begin; j < dim_; ++j) {
    const double zj = z[static_cast<std::size_t>(j)];
    if (l2_of(j) > 0) continue;
    if (!norms_.empty() && member(norms_.front(), j)) {
      inside.push_back(zj);
      l1.push_back(l1_of(j));
    } else if (scale * std::abs(zj) > l1_of(j)) {
      scale = l1_of(j) / std::abs(zj);
    }
  }
  if (!norms_.empty()) scale = std::min(scale, norm_scale(inside, l1, norms_.front().strength));
  // Scaled points are rounded again by the caller: stay inside by more than that.
  constexpr double kInside = 1.0 - 8.0 * std::numeric_limits<double>::epsilon();
  return scale < 1 ? scale * kInside : scale;
}

}  // namespace s3gd
