// The eager form: w as a plain vector, every coordinate updated at every step, O(batch * row + d).
//
// With one shrink for all coordinates (l2, or none) w is kept as s * v, so that the shrink costs nothing and a whole
// step is one fused pass over v with the drift as one more row.
#pragma once

#include <algorithm>
#include <cmath>

#include "oracle/iterate.hpp"
#include "oracle/rows.hpp"

namespace s3gd {

template <class View>
class EagerIterate final : public Iterate<typename View::Value> {
 public:
  using T = typename View::Value;

  EagerIterate(const View& view, const Problem& problem, const Penalty& penalty, const DriftBasis<T>* basis)
      : view_(view),
        penalty_(penalty),
        basis_(basis),
        intercept_(problem.has_intercept()),
        dim_(problem.dim()),
        uniform_(penalty.uniform_shrink()),
        v_(static_cast<std::size_t>(dim_), T(0)),
        drift_(static_cast<std::size_t>(dim_), T(0)) {}

  void margins(std::span<const Index> rows, double* out) override {
    batch_dots(view_, rows, v_.data(), out, pointers_);
    to_margins(rows.size(), out);
  }

  void anchor_margins(std::span<const Index> rows, double* out) override {
    if (basis_->anchors.empty()) return margins(rows, out);
    pointers_.resize(rows.size());
    for (std::size_t j = 0; j < rows.size(); ++j)
      pointers_[j] = basis_->anchors.data() + static_cast<Index>(j) * view_.cols;
    kernel::dot_rows(pointers_.data(), static_cast<Index>(rows.size()), v_.data(), view_.cols, out);
    to_margins(rows.size(), out);
  }

  void step(std::span<const Index> rows, const double* coefficients) override {
    scaled_coefficients_.resize(rows.size());
    const double factor = -eta_ / scale_;
    double sum = 0;
    for (std::size_t b = 0; b < rows.size(); ++b) {
      scaled_coefficients_[b] = factor * coefficients[b];
      sum += coefficients[b];
    }
    add_spike_and_drift(rows, factor);
    if (intercept_) v_.back() -= static_cast<T>(eta_ * (sum + static_cast<double>(drift_.back())));
    if (uniform_) {
      scale_ *= shrink_;
      if (intercept_) v_.back() = static_cast<T>(intercept_shrink_ * static_cast<double>(v_.back()));
      if (scale_ < kSmallestScale) fold_scale();
    } else {
      penalty_.prox(eta_, std::span<T>(v_));
    }
  }

  void set_step_size(double eta) override {
    eta_ = eta;
    shrink_ = uniform_ ? penalty_.shrink(eta) : 1.0;
    const bool penalised = intercept_ && uniform_ && penalty_.factor(dim_ - 1) > 0;
    intercept_shrink_ = penalised ? penalty_.shrink(eta) : 1.0;
  }

  void set_drift(std::span<const double> drift) override {
    has_drift_ = true;
    std::transform(drift.begin(), drift.end(), drift_.begin(), [](double g) { return static_cast<T>(g); });
  }

  void add_to_drift(std::span<const Index> rows, const double* coefficients) override {
    has_drift_ = true;
    batch_axpys(view_, rows, coefficients, drift_.data(), pointers_);
    if (!intercept_) return;
    double sum = 0;
    for (std::size_t b = 0; b < rows.size(); ++b) sum += coefficients[b];
    drift_.back() += static_cast<T>(sum);
  }

  void set_drift_from_basis(std::span<const double> phi, double share) override {
    has_drift_ = true;
    if (basis_->constant.empty()) {
      std::fill(drift_.begin(), drift_.end(), T(0));
    } else {
      std::transform(basis_->constant.begin(), basis_->constant.end(), drift_.begin(),
                     [share](T c) { return static_cast<T>(-share * static_cast<double>(c)); });
    }
    pointers_.resize(static_cast<std::size_t>(basis_->count));
    for (Index j = 0; j < basis_->count; ++j)
      pointers_[static_cast<std::size_t>(j)] = basis_->vectors.data() + j * basis_->dim;
    kernel::axpy_rows(phi.data(), pointers_.data(), basis_->count, drift_.data(), dim_);
  }

  void read(std::span<double> w) override {
    for (std::size_t j = 0; j < v_.size(); ++j) w[j] = scale_ * static_cast<double>(v_[j]);
    if (intercept_) w.back() = static_cast<double>(v_.back());
  }

  void assign(std::span<const double> w) override {
    scale_ = 1;
    std::transform(w.begin(), w.end(), v_.begin(), [](double x) { return static_cast<T>(x); });
  }

  void state(Archive& a) override { a(eta_, shrink_, intercept_shrink_, scale_, v_, has_drift_, drift_); }

  // Dense rows are long: two steps ahead they would push each other out of the first cache again.
  void prefetch(std::span<const Index> next, std::span<const Index>) const override {
    for (const Index row : next) prefetch_row(view_, row);
  }

 private:
  static constexpr double kSmallestScale = 1e-6;  // v stays far from the end of float's range

  void to_margins(std::size_t count, double* products) const {
    const double constant = intercept_ ? static_cast<double>(v_.back()) : 0.0;
    for (std::size_t b = 0; b < count; ++b) products[b] = scale_ * products[b] + constant;
  }

  void add_spike_and_drift(std::span<const Index> rows, double factor) {
    if constexpr (is_dense_view<View>) {
      pointers_.resize(rows.size());
      for (std::size_t b = 0; b < rows.size(); ++b) pointers_[b] = view_.row(rows[b]);
      if (has_drift_) {
        pointers_.push_back(drift_.data());
        scaled_coefficients_.push_back(factor);
      }
      kernel::axpy_rows(scaled_coefficients_.data(), pointers_.data(), static_cast<Index>(pointers_.size()), v_.data(),
                        view_.cols);
    } else {
      batch_axpys(view_, rows, scaled_coefficients_.data(), v_.data(), pointers_);
      if (has_drift_) kernel::axpy(factor, drift_.data(), v_.data(), view_.cols);
    }
  }

  void fold_scale() {
    kernel::scale(scale_, v_.data(), view_.cols);
    scale_ = 1;
  }

  View view_;
  const Penalty& penalty_;
  const DriftBasis<T>* basis_;
  bool intercept_;
  Index dim_;
  bool uniform_;
  double eta_ = 0, shrink_ = 1, intercept_shrink_ = 1;
  double scale_ = 1;
  std::vector<T> v_;  // w = scale * v, the intercept apart: that one is v.back() itself
  bool has_drift_ = false;
  std::vector<T> drift_;
  std::vector<const T*> pointers_;
  std::vector<double> scaled_coefficients_;
};

}  // namespace s3gd
