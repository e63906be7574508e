#include "problem/penalty.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

void check_term(const PenaltySpec& term, Index cols) {
  if (!std::isfinite(term.lambda) || term.lambda < 0)
    throw Error(ErrorCode::bad_value, "lambda", "lambda is " + std::to_string(term.lambda),
                "give a number that is not negative");
  const bool mixed = term.kind == PenaltyKind::elastic_net || term.kind == PenaltyKind::l1_l2norm;
  if (mixed && !(term.alpha >= 0 && term.alpha <= 1))
    throw Error(ErrorCode::bad_value, "alpha", "alpha is " + std::to_string(term.alpha),
                "give a number from 0 (all 1-norm) to 1 (no 1-norm)");
  if (!term.factors.empty() && static_cast<Index>(term.factors.size()) != cols)
    throw Error(std::to_string(term.factors.size()) + " penalty factors for " + std::to_string(cols) + " features",
                "give one for each feature, or none at all");
  for (std::size_t j = 0; j < term.factors.size(); ++j)
    if (!std::isfinite(term.factors[j]) || term.factors[j] < 0)
      throw Error("the penalty factor of feature " + std::to_string(j) + " is " + std::to_string(term.factors[j]),
                  "give 0 for no penalty, or a positive number");
}

std::vector<double> simplified(const std::vector<double>& factors) {
  const bool ones = std::all_of(factors.begin(), factors.end(), [](double f) { return f == 1.0; });
  return ones ? std::vector<double>() : factors;
}

// Coefficients of the 1-norm, the squared 2-norm and the 2-norm in one term.
struct Strengths {
  double l1 = 0, l2 = 0, norm = 0;
};

Strengths strengths_of(const PenaltySpec& term) {
  switch (term.kind) {
    case PenaltyKind::l2:
      return {0, term.lambda, 0};
    case PenaltyKind::l1:
      return {term.lambda, 0, 0};
    case PenaltyKind::elastic_net:
      return {term.lambda * (1 - term.alpha), term.lambda * term.alpha, 0};
    case PenaltyKind::l1_l2norm:
      return {term.lambda * (1 - term.alpha), 0, term.lambda * term.alpha};
    case PenaltyKind::none:
      return {};
  }
  return {};
}

template <class T>
T soft(T w, T threshold) {
  return w - std::clamp(w, -threshold, threshold);
}

}  // namespace

Penalty::Penalty(const PenaltySpec& spec, Index cols, Intercept intercept)
    : cols_(cols),
      dim_(cols + (intercept == Intercept::none ? 0 : 1)),
      intercept_factor_(intercept == Intercept::regularised ? 1.0 : 0.0) {
  check_term(spec, cols);
  for (const auto& term : spec.also) {
    check_term(term, cols);
    if (!term.also.empty())
      throw Error("a further penalty term has further terms of its own", "list all terms in one row");
  }
  // The factors of the first term with a separable part; when another's differ, coefficients are kept one by one.
  bool first = true;
  const auto note_factors = [&](const PenaltySpec& term) {
    const Strengths s = strengths_of(term);
    if (s.l1 == 0 && s.l2 == 0) return;
    if (first) factors_ = simplified(term.factors);
    if (!first && simplified(term.factors) != factors_) one_factor_ = false;
    first = false;
  };
  note_factors(spec);
  for (const auto& term : spec.also) note_factors(term);
  if (!one_factor_) {
    l1_each_.assign(at(dim_), 0.0);
    l2_each_.assign(at(dim_), 0.0);
  }
  add_term(spec);
  for (const auto& term : spec.also) add_term(term);
}

void Penalty::add_term(const PenaltySpec& term) {
  const Strengths s = strengths_of(term);
  l1_ += s.l1;
  l2_ += s.l2;
  norm_ += s.norm;
  for (Index j = 0; j < dim_ && !one_factor_; ++j) {
    const double f = j == cols_ ? intercept_factor_ : (term.factors.empty() ? 1.0 : term.factors[at(j)]);
    l1_each_[at(j)] += s.l1 * f;
    l2_each_[at(j)] += s.l2 * f;
  }
  if (s.norm > 0) add_norm(s.norm, term.factors);
}

void Penalty::add_norm(double strength, const std::vector<double>& factors) {
  std::vector<bool> members;
  if (std::any_of(factors.begin(), factors.end(), [](double f) { return f == 0.0; })) {
    for (const double f : factors) members.push_back(f > 0);
  }
  for (auto& norm : norms_)
    if (norm.members == members) {
      norm.strength += strength;
      return;
    }
  norms_.push_back({strength, std::move(members)});
}

bool Penalty::member(const Norm& norm, Index j) const {
  if (j == cols_) return intercept_factor_ > 0;
  return norm.members.empty() || norm.members[at(j)];
}

bool Penalty::in_norm(Index j) const {
  return std::any_of(norms_.begin(), norms_.end(), [&](const Norm& norm) { return member(norm, j); });
}

std::vector<double> Penalty::ridge() const {
  std::vector<double> ridge;
  for (Index j = 0; j < dim_; ++j) ridge.push_back(2.0 * l2_of(j));
  return ridge;
}

bool Penalty::on_every_feature() const {
  if (one_factor_ && factors_.empty() && (l1_ > 0 || l2_ > 0)) return true;
  for (Index j = 0; j < cols_; ++j)
    if (l1_of(j) == 0 && l2_of(j) == 0 && !in_norm(j)) return false;
  return true;
}

template <class T>
double Penalty::value_of(std::span<const T> w) const {
  double sum = 0;
  if (one_factor_ && factors_.empty() && (l1_ > 0 || l2_ > 0)) {
    const Index penalised = intercept_factor_ > 0 ? dim_ : cols_;
    double lanes[4] = {};  // sums that do not wait for each other
    const auto term = [&](Index j) {
      const double wj = std::abs(static_cast<double>(w[at(j)]));
      return (l1_ + l2_ * wj) * wj;
    };
    Index j = 0;
    for (; j + 4 <= penalised; j += 4)
      for (Index k = 0; k < 4; ++k) lanes[k] += term(j + k);
    for (; j < penalised; ++j) lanes[0] += term(j);
    sum = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
  } else if (l1_ > 0 || l2_ > 0)
    for (Index j = 0; j < dim_; ++j) {
      const double wj = std::abs(static_cast<double>(w[at(j)]));
      sum += (l1_of(j) + l2_of(j) * wj) * wj;
    }
  for (const auto& norm : norms_) {
    double squares = 0;
    for (Index j = 0; j < dim_; ++j)
      if (member(norm, j)) squares += static_cast<double>(w[at(j)]) * static_cast<double>(w[at(j)]);
    sum += norm.strength * std::sqrt(squares);
  }
  return sum;
}

double Penalty::value(std::span<const double> w) const { return value_of(w); }
double Penalty::value(std::span<const float> w) const { return value_of(w); }

template <class T>
void Penalty::prox_separable(double eta, std::span<T> w) const {
  if (l1_ == 0 && l2_ == 0) return;
  if (!one_factor_ || !factors_.empty()) {
    for (Index j = 0; j < dim_; ++j)
      w[at(j)] = static_cast<T>(soft(static_cast<double>(w[at(j)]), eta * l1_of(j)) / (1.0 + 2.0 * eta * l2_of(j)));
    return;
  }
  const T threshold = static_cast<T>(eta * l1_), shrink_by = static_cast<T>(shrink(eta));
  const Index penalised = intercept_factor_ > 0 ? dim_ : cols_;
  for (Index j = 0; j < penalised; ++j) w[at(j)] = shrink_by * soft(w[at(j)], threshold);
}

template <class T>
void Penalty::prox_of(double eta, std::span<T> w) const {
  if (norms_.empty()) return prox_separable(eta, w);
  if (norms_.size() == 1) return prox_with_norm(eta, norms_.front(), w);
  // Proximal average: the mean over the K norms of the proxes of K times each part. The separable part goes with the
  // first norm, where the joint prox is exact.
  const auto count = static_cast<double>(norms_.size());
  std::vector<double> sum(w.size(), 0.0), part(w.size());
  for (const auto& norm : norms_) {
    part.assign(w.begin(), w.end());
    if (&norm == &norms_.front()) {
      prox_with_norm(eta * count, norm, std::span<double>(part));
    } else {
      double squares = 0;
      for (Index j = 0; j < dim_; ++j)
        if (member(norm, j)) squares += part[at(j)] * part[at(j)];
      const double kept = squares > 0 ? std::max(0.0, 1.0 - eta * count * norm.strength / std::sqrt(squares)) : 0.0;
      for (Index j = 0; j < dim_; ++j)
        if (member(norm, j)) part[at(j)] *= kept;
    }
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += part[j];
  }
  for (std::size_t j = 0; j < sum.size(); ++j) w[j] = static_cast<T>(sum[j] / count);
}

template <class T>
void Penalty::prox_with_norm(double eta, const Norm& norm, std::span<T> w) const {
  std::vector<double> t, a;
  for (Index j = 0; j < dim_; ++j) {
    const double thresholded = soft(static_cast<double>(w[at(j)]), eta * l1_of(j));
    const double denominator = 1.0 + 2.0 * eta * l2_of(j);
    w[at(j)] = static_cast<T>(thresholded / denominator);
    if (!member(norm, j)) continue;
    t.push_back(thresholded);
    a.push_back(denominator);
  }
  const double nu = eta * norm.strength;
  const double r = radius_of(t, a, nu);
  std::size_t k = 0;
  for (Index j = 0; j < dim_; ++j)
    if (member(norm, j)) {
      w[at(j)] = static_cast<T>(r > 0 ? t[k] * r / (a[k] * r + nu) : 0.0);
      ++k;
    }
}

void Penalty::prox(double eta, std::span<double> w) const { prox_of(eta, w); }
void Penalty::prox(double eta, std::span<float> w) const { prox_of(eta, w); }

// Newton on one over the root of the sum, which is concave and increasing in r: it climbs to the root from the left
// without overshooting.
double radius_of(const std::vector<double>& t, const std::vector<double>& a, double nu) {
  double r = 0;
  for (int iteration = 0; iteration < 100; ++iteration) {
    double sum = 0, slope = 0;
    for (std::size_t j = 0; j < t.size(); ++j) {
      const double below = a[j] * r + nu;
      const double ratio = t[j] / below;
      sum += ratio * ratio;
      slope += ratio * ratio * a[j] / below;
    }
    const double root = std::sqrt(sum);
    if (root <= 1.0 || slope <= 0) break;
    const double next = r + root * root * (root - 1.0) / slope;
    if (!(next > r)) break;
    r = next;
  }
  return r;
}

// The dual side of the penalties: conjugates, and how far a dual point must be pulled in to be feasible.

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

namespace {

constexpr std::size_t kTabulated = 1024;  // 16 KB: stays in the first-level cache

// How many steps w <- s (w - c), s = 1 / (1 + strength), certainly leave w above c > 0 (one or two fewer than do).
double steps_above(double w, double c, double strength) {
  const double ratio = w / c;
  const double count =
      strength == 0 ? ratio - 1.0 : std::log1p((ratio - 1.0) * strength / (1.0 + strength)) / std::log1p(strength);
  return std::max(0.0, std::floor(count) - 1.0);
}

}  // namespace

LazyAdvance::LazyAdvance(const Penalty& penalty, double eta)
    : eta_(eta), l1_(penalty.l1_strength()), l2_(penalty.l2_strength()), runs_(kTabulated) {
  const double s = 1.0 / (1.0 + 2.0 * eta * l2_);
  Run run{1.0, 0.0};
  for (auto& entry : runs_) {
    entry = run;
    run.power *= s;
    run.sum += run.power;
  }
}

LazyAdvance::Run LazyAdvance::run_of(Index steps, double factor) const {
  if (factor == 1.0 && steps < static_cast<Index>(runs_.size())) return runs_[static_cast<std::size_t>(steps)];
  const double strength = 2.0 * eta_ * l2_ * factor;
  const auto count = static_cast<double>(steps);
  if (strength == 0) return {1.0, count};
  const double exponent = -count * std::log1p(strength);
  return {std::exp(exponent), -std::expm1(exponent) / strength};
}

// By symmetry w >= 0 throughout. Three phases at most: fall towards zero, cross it or stick to it, move away from it.
double LazyAdvance::general(double w, double g, Index steps, double factor) const {
  if (steps <= 0) return w;
  double move = eta_ * g;
  const double threshold = eta_ * l1_ * factor;
  const auto affine = [&](double from, double c, Index count) {
    const Run run = run_of(count, factor);
    return run.power * from - c * run.sum;
  };
  if (threshold == 0) return affine(w, move, steps);
  const double sign = w < 0 || (w == 0 && move > 0) ? -1.0 : 1.0;
  w *= sign;
  move *= sign;
  if (w == 0 && std::abs(move) <= threshold) return 0;
  const double c = move + threshold;
  if (c <= 0) return sign * affine(w, c, steps);

  const double strength = 2.0 * eta_ * l2_ * factor;
  const double falling = std::min(static_cast<double>(steps), steps_above(w, c, strength));
  w = affine(w, c, static_cast<Index>(falling));
  steps -= static_cast<Index>(falling);
  for (; steps > 0 && w > 0; --steps) w = soft(w - move, threshold) / (1.0 + strength);
  if (steps == 0 || move <= threshold) return sign * w;  // done, or held at zero by the threshold
  return -sign * affine(-w, threshold - move, steps);
}

}  // namespace s3gd
