// The scaled form, for sparse rows under l2 (or no) penalty: w = s (v + b g + B a), where g is a dense drift and B the
// columns of a drift basis (S3GD's X M and label term).
//
//   shrink              s <- shrink * s
//   spike               v <- v - (eta/s) sum c_i x_i          touches the rows' coordinates only
//   dense drift g       b <- b - eta/s                        nothing of length d
//   drift B phi         a <- a - (eta/s) phi                  nothing of length d
//
// The margin of row i is s (v.x_i + b g.x_i + a.K_i) with K_i = B' x_i, computed at the row's first visit and kept.
// A step costs O(batch * (non-zeros + basis)), whatever d is; memory: rows x (basis + 1) numbers, touched as visited.
#pragma once

#include <cmath>

#include "base/buffer.hpp"
#include "oracle/iterate.hpp"
#include "oracle/rows.hpp"

namespace s3gd {

template <class View>
class ScaledIterate final : public Iterate<typename View::Value> {
 public:
  using T = typename View::Value;

  ScaledIterate(const View& view, const Problem& problem, const Penalty& penalty, const DriftBasis<T>* basis)
      : view_(view),
        penalty_(penalty),
        intercept_(problem.has_intercept()),
        cols_(view.cols),
        v_(static_cast<std::size_t>(view.cols), T(0)),
        source_(basis) {
    if (source_ != nullptr && source_->count > 0) adopt_basis(*source_);
  }

  void margins(std::span<const Index> rows, double* out) override {
    for (std::size_t b = 0; b < rows.size(); ++b) {
      const auto start = view_.starts[rows[b]];
      const Index count = view_.row_nonzeros(rows[b]);
      double sum = drift_weight_ == 0.0
                       ? kernel::sparse_dot(view_.values + start, view_.columns + start, count, v_.data())
                       : dot_with_drift(start, count);
      if (basis_count_ > 0) sum += kernel::dot(basis_products(rows[b]), basis_weights_.data(), basis_count_);
      out[b] = scale_ * sum + intercept_value_;
    }
  }

  void step(std::span<const Index> rows, const double* coefficients) override {
    const double factor = -eta_ / scale_;
    double sum = 0;
    for (std::size_t b = 0; b < rows.size(); ++b) {
      const auto start = view_.starts[rows[b]];
      kernel::sparse_axpy(factor * coefficients[b], view_.values + start, view_.columns + start,
                          view_.row_nonzeros(rows[b]), v_.data());
      sum += coefficients[b];
    }
    if (!g_.empty()) drift_weight_ += factor;
    for (std::size_t j = 0; j < phi_.size(); ++j) basis_weights_[j] += factor * phi_[j];
    if (intercept_) intercept_value_ = intercept_shrink_ * (intercept_value_ - eta_ * (sum + intercept_drift_));
    ++steps_since_fold_;
    scale_ *= shrink_;
    if (scale_ < kSmallestScale) fold_scale();
  }

  void set_step_size(double eta) override {
    eta_ = eta;
    shrink_ = penalty_.shrink(eta);
    intercept_shrink_ = intercept_ && penalty_.factor(cols_) > 0 ? shrink_ : 1.0;
  }

  void set_drift(std::span<const double> drift) override {
    fold_drift();
    phi_.clear();
    g_.resize(v_.size());
    for (std::size_t j = 0; j < v_.size(); ++j) g_[j] = static_cast<T>(drift[j]);
    if (intercept_) intercept_drift_ = drift.back();
  }

  // w stays what it is: what the changed drift adds, v gives back.
  void add_to_drift(std::span<const Index> rows, const double* coefficients) override {
    if (g_.empty()) g_.assign(v_.size(), T(0));
    for (std::size_t b = 0; b < rows.size(); ++b) {
      const auto start = view_.starts[rows[b]];
      const Index count = view_.row_nonzeros(rows[b]);
      kernel::sparse_axpy(coefficients[b], view_.values + start, view_.columns + start, count, g_.data());
      kernel::sparse_axpy(-drift_weight_ * coefficients[b], view_.values + start, view_.columns + start, count,
                          v_.data());
      if (intercept_) intercept_drift_ += coefficients[b];
    }
  }

  void set_drift_from_basis(std::span<const double> phi, double share) override {
    if (steps_since_fold_ >= steps_between_folds_) fold_basis();
    phi_.assign(phi.begin(), phi.end());
    phi_.resize(static_cast<std::size_t>(basis_count_), -share);  // the constant term, where there is one
    intercept_drift_ = 0;
    for (std::size_t j = 0; j < basis_intercepts_.size(); ++j) intercept_drift_ += phi_[j] * basis_intercepts_[j];
  }

  void basis_changed() override {
    fold_drift();
    g_.clear();
    if (basis_count_ > 0) fold_basis();
    adopt_basis(*source_);
  }

  void read(std::span<double> w) override {
    for (std::size_t j = 0; j < v_.size(); ++j) {
      double sum = static_cast<double>(v_[j]);
      if (!g_.empty()) sum += drift_weight_ * static_cast<double>(g_[j]);
      if (basis_count_ > 0) sum += kernel::dot(basis_row(static_cast<Index>(j)), basis_weights_.data(), basis_count_);
      w[j] = scale_ * sum;
    }
    if (intercept_) w.back() = intercept_value_;
  }

  void settle() override { fold_drift(); }

  void assign(std::span<const double> w) override {
    scale_ = 1;
    drift_weight_ = 0;
    std::fill(basis_weights_.begin(), basis_weights_.end(), 0.0);
    for (std::size_t j = 0; j < v_.size(); ++j) v_[j] = static_cast<T>(w[j]);
    if (intercept_) intercept_value_ = w.back();
  }

  // The products with the basis are made again at the rows' next visits.
  void state(Archive& a) override {
    Index adopted = basis_count_;
    a(adopted);
    if (a.reading() && adopted > 0) adopt_basis(*source_);
    a(eta_, shrink_, intercept_shrink_, scale_, v_, g_, drift_weight_, intercept_value_, intercept_drift_);
    a(basis_weights_, phi_, steps_since_fold_);
  }

  void prefetch(std::span<const Index> next, std::span<const Index> after) const override {
    for (const Index row : next) {
      prefetch_entries(view_, row, v_.data());
      if (!g_.empty()) prefetch_entries(view_, row, g_.data());
      if (basis_count_ > 0)
        prefetch_bytes(products_.data() + row * basis_count_, static_cast<std::size_t>(basis_count_) * sizeof(T));
    }
    for (const Index row : after) prefetch_row(view_, row);
  }

 private:
  // 1/s multiplies every update of v, which float must still hold: far from its end, yet folded rarely (O(d)).
  static constexpr double kSmallestScale = 1e-9;
  static constexpr Index kFewestStepsBetweenFolds = 1 << 14;

  double dot_with_drift(std::int64_t start, Index count) const {
    return kernel::sparse_dot(view_.values + start, view_.columns + start, count, v_.data()) +
           drift_weight_ * kernel::sparse_dot(view_.values + start, view_.columns + start, count, g_.data());
  }

  // The basis, turned so that a feature's entries lie together: that is the order K_i needs them in.
  void adopt_basis(const DriftBasis<T>& basis) {
    const bool has_constant = !basis.constant.empty();
    basis_count_ = basis.count + (has_constant ? 1 : 0);
    basis_.resize(cols_ * basis_count_);
    basis_intercepts_.clear();
    for (Index i = 0; i < basis_count_; ++i) {
      const T* vector = i < basis.count ? basis.vectors.data() + i * basis.dim : basis.constant.data();
      for (Index j = 0; j < cols_; ++j) basis_[j * basis_count_ + i] = vector[j];
      if (intercept_) basis_intercepts_.push_back(static_cast<double>(vector[cols_]));
    }
    basis_weights_.assign(static_cast<std::size_t>(basis_count_), 0.0);
    steps_between_folds_ = std::max(kFewestStepsBetweenFolds, cols_ * basis_count_ / 1000);
    products_ = GrowBuffer<T>();  // zeros
    products_.resize(view_.rows * basis_count_);
    visited_.assign(static_cast<std::size_t>(view_.rows), false);
  }

  const T* basis_row(Index j) const { return basis_.data() + j * basis_count_; }

  const T* basis_products(Index row) {
    T* products = products_.data() + row * basis_count_;
    if (!visited_[static_cast<std::size_t>(row)]) {
      visited_[static_cast<std::size_t>(row)] = true;
      for (auto k = view_.starts[row]; k < view_.starts[row + 1]; ++k)
        kernel::axpy(static_cast<double>(view_.values[k]), basis_row(static_cast<Index>(view_.columns[k])), products,
                     basis_count_);
    }
    return products;
  }

  // v and B a may grow apart in opposite directions; put together now and then, they do not lose each other's digits.
  void fold_basis() {
    for (Index j = 0; j < cols_; ++j)
      v_[static_cast<std::size_t>(j)] += static_cast<T>(kernel::dot(basis_row(j), basis_weights_.data(), basis_count_));
    std::fill(basis_weights_.begin(), basis_weights_.end(), 0.0);
    steps_since_fold_ = 0;
  }

  void fold_drift() {
    if (drift_weight_ == 0.0) return;
    kernel::axpy(drift_weight_, g_.data(), v_.data(), cols_);
    drift_weight_ = 0;
  }

  void fold_scale() {
    kernel::scale(scale_, v_.data(), cols_);
    drift_weight_ *= scale_;
    for (double& weight : basis_weights_) weight *= scale_;
    scale_ = 1;
  }

  View view_;
  const Penalty& penalty_;
  bool intercept_;
  Index cols_;
  double eta_ = 0, shrink_ = 1, intercept_shrink_ = 1;

  double scale_ = 1;
  std::vector<T> v_;
  std::vector<T> g_;         // dense drift; empty until one is set
  double drift_weight_ = 0;  // b
  double intercept_value_ = 0, intercept_drift_ = 0;

  const DriftBasis<T>* source_;
  Index basis_count_ = 0;  // vectors, the constant included
  GrowBuffer<T> basis_;    // cols x basis_count
  std::vector<double> basis_intercepts_;
  std::vector<double> basis_weights_;  // a
  std::vector<double> phi_;
  Index steps_since_fold_ = 0, steps_between_folds_ = 0;
  GrowBuffer<T> products_;  // rows x basis_count: K, zero pages until visited
  std::vector<bool> visited_;
};

}  // namespace s3gd
