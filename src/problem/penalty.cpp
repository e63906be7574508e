#include "problem/penalty.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/index.hpp"
#include "problem/radial.hpp"
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

}  // namespace s3gd
