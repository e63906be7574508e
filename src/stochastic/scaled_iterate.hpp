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
// Several outputs have tables V and G of K numbers a feature, and no B: a drift from a basis is a dense one for them.
#pragma once

#include "base/buffer.hpp"
#include "stochastic/rows.hpp"

namespace s3gd {

template <class View, class Count>
class ScaledIterate final : public TableIterate<View, Count> {
  using Base = TableIterate<View, Count>;
  using Base::basis_, Base::count_, Base::eta_, Base::intercept_, Base::products_;
  using Base::scale_, Base::sums_, Base::v_, Base::view_;

 public:
  using T = typename View::Value;

  ScaledIterate(const View& view, const StochasticProblem& problem, const DriftBasis<T>* basis)
      : Base(view, problem, basis, view.cols),
        cols_(view.cols),
        intercepts_(at(count_.outputs), 0.0),
        intercept_drifts_(intercepts_) {
    if (basis_ != nullptr && basis_->count > 0) adopt_basis();
  }

  void margins(std::span<const Index> rows, double* out) override {
    const std::size_t at_once = rows_at_once(rows);
    along_.resize(at_once * intercepts_.size());
    for (std::size_t b = 0; b < rows.size(); b += at_once) {
      double* sums = out + b * intercepts_.size();
      products_.times(rows.subspan(b, at_once), v_.data(), sums);
      if (drift_weight_ != 0.0) {
        products_.times(rows.subspan(b, at_once), g_.data(), along_.data());
        for (std::size_t c = 0; c < along_.size(); ++c) sums[c] += drift_weight_ * along_[c];
      }
      if (basis_count_ > 0) *sums += kernel::dot(basis_products(rows[b]), basis_weights_.data(), basis_count_);
    }
    this->to_margins(rows.size(), intercepts_.data(), out);
  }

  void step(std::span<const Index> rows, const double* coefficients) override {
    const double factor = -eta_ / scale_;
    products_.add(rows, this->times(factor, rows.size(), coefficients), v_.data());
    if (!g_.empty()) drift_weight_ += factor;
    for (std::size_t j = 0; j < phi_.size(); ++j) basis_weights_[j] += factor * phi_[j];
    if (intercept_) {
      this->add_up(rows.size(), coefficients);
      for (std::size_t k = 0; k < intercepts_.size(); ++k)
        intercepts_[k] = this->intercept_shrink_ * (intercepts_[k] - eta_ * (sums_[k] + intercept_drifts_[k]));
    }
    ++steps_since_fold_;
    scale_ *= this->shrink_;
    if (scale_ < kSmallestScale) fold_scale();
  }

  void set_step_size(double eta) override { this->set_shrink(eta, true); }

  void set_drift(std::span<const double> drift) override {
    fold_drift();
    phi_.clear();
    g_.resize(v_.size());
    to_table(count_, drift.first(drift.size() - (intercept_ ? intercepts_.size() : 0)), g_.data());
    if (intercept_) std::copy(drift.end() - count_.outputs, drift.end(), intercept_drifts_.begin());
  }

  // W stays what it is: what the changed drift adds, V gives back.
  void add_to_drift(std::span<const Index> rows, const double* coefficients) override {
    if (g_.empty()) g_.assign(v_.size(), T(0));
    const std::size_t at_once = rows_at_once(rows);
    for (std::size_t b = 0; b < rows.size(); b += at_once) {
      const double* own = coefficients + b * intercepts_.size();
      products_.add(rows.subspan(b, at_once), own, g_.data());
      products_.add(rows.subspan(b, at_once), this->times(-drift_weight_, at_once, own), v_.data());
    }
    if (!intercept_) return;
    for (std::size_t b = 0; b < rows.size(); ++b)
      for (double& drift : intercept_drifts_) drift += *coefficients++;
  }

  void set_drift_from_basis(std::span<const double> phi, double share) override {
    if constexpr (std::is_same_v<Count, Several>) {
      fold_drift();
      g_.resize(at(basis_->features * count_.width));
      combine<T>(*basis_, phi, share, count_.outputs, count_.width, g_);
      if (intercept_) std::copy_n(g_.data() + cols_ * count_.width, count_.outputs, intercept_drifts_.begin());
      return g_.resize(v_.size());
    }
    if (steps_since_fold_ >= steps_between_folds_) fold_basis();
    phi_.assign(phi.begin(), phi.end());
    phi_.resize(at(basis_count_), -share);  // the constant term, where there is one
    intercept_drifts_[0] = 0;
    for (std::size_t j = 0; j < basis_intercepts_.size(); ++j) intercept_drifts_[0] += phi_[j] * basis_intercepts_[j];
  }

  void basis_changed() override {
    fold_drift();
    g_.clear();
    if (basis_count_ > 0) fold_basis();
    adopt_basis();
  }

  void read(std::span<double> w) override {
    double* out = w.data();
    for (Index j = 0; j < cols_; ++j)
      for (Index k = 0; k < count_.outputs; ++k) {
        const auto place = at(j * count_.width + k);
        double sum = static_cast<double>(v_[place]);
        if (!g_.empty()) sum += drift_weight_ * static_cast<double>(g_[place]);
        if (basis_count_ > 0) sum += kernel::dot(basis_row(j), basis_weights_.data(), basis_count_);
        *out++ = scale_ * sum;
      }
    if (intercept_) std::copy(intercepts_.begin(), intercepts_.end(), out);
  }

  void settle() override { fold_drift(); }

  void assign(std::span<const double> w) override {
    scale_ = 1;
    drift_weight_ = 0;
    std::fill(basis_weights_.begin(), basis_weights_.end(), 0.0);
    to_table(count_, w.first(w.size() - (intercept_ ? intercepts_.size() : 0)), v_.data());
    if (intercept_) std::copy(w.end() - count_.outputs, w.end(), intercepts_.begin());
  }

  // The products with the basis are made again at the rows' next visits.
  void state(Archive& a) override {
    Index adopted = basis_count_;
    a(adopted);
    if (a.reading() && adopted > 0) adopt_basis();
    a(eta_, this->shrink_, this->intercept_shrink_, scale_, v_, g_, drift_weight_, intercepts_, intercept_drifts_);
    a(basis_weights_, phi_, steps_since_fold_);
  }

  void prefetch(std::span<const Index> next, std::span<const Index> after) const override {
    for (const Index row : next) {
      products_.prefetch(row, v_.data());
      if (!g_.empty()) products_.prefetch(row, g_.data());
      if (basis_count_ > 0) prefetch_bytes(kept_products_.data() + row * basis_count_, at(basis_count_) * sizeof(T));
    }
    for (const Index row : after) prefetch_row(view_, row);
  }

 private:
  // 1/s multiplies every update of v, which float must still hold: far from its end, yet folded rarely (O(d)).
  static constexpr double kSmallestScale = 1e-9;
  static constexpr Index kFewestStepsBetweenFolds = 1 << 14;  // a fold costs d

  // One output a row at a time: its columns are in the cache when they are met again. Several outputs by blocks of rows.
  static std::size_t rows_at_once(std::span<const Index> rows) {
    return std::is_same_v<Count, Single> ? 1 : rows.size();
  }

  // The basis, turned so that a feature's entries lie together: that is the order K_i needs them in.
  void adopt_basis() {
    if (std::is_same_v<Count, Several>) return;
    const DriftBasis<T>& basis = *basis_;
    const bool has_constant = basis.has_constant();
    basis_count_ = basis.count + (has_constant ? 1 : 0);
    turned_.resize(cols_ * basis_count_);
    basis_intercepts_.clear();
    for (Index i = 0; i < basis_count_; ++i) {
      const T* vector = i < basis.count ? basis.vectors.data() + i * basis.features : basis.constant.data();
      for (Index j = 0; j < cols_; ++j) turned_[j * basis_count_ + i] = vector[j];
      if (intercept_) basis_intercepts_.push_back(static_cast<double>(vector[cols_]));
    }
    basis_weights_.assign(at(basis_count_), 0.0);
    steps_between_folds_ = std::max(kFewestStepsBetweenFolds, cols_ * basis_count_ / 1000);
    kept_products_ = GrowBuffer<T>();  // zeros
    kept_products_.resize(view_.rows * basis_count_);
    visited_.assign(at(view_.rows), false);
  }

  const T* basis_row(Index j) const { return turned_.data() + j * basis_count_; }

  const T* basis_products(Index row) {
    T* products = kept_products_.data() + row * basis_count_;
    if (!visited_[at(row)]) {
      visited_[at(row)] = true;
      for (auto k = view_.starts[row]; k < view_.starts[row + 1]; ++k)
        kernel::axpy(static_cast<double>(view_.values[k]), basis_row(static_cast<Index>(view_.columns[k])), products,
                     basis_count_);
    }
    return products;
  }

  // v and B a may grow apart in opposite directions; put together now and then, they do not lose each other's digits.
  void fold_basis() {
    for (Index j = 0; j < cols_; ++j)
      v_[at(j)] += static_cast<T>(kernel::dot(basis_row(j), basis_weights_.data(), basis_count_));
    std::fill(basis_weights_.begin(), basis_weights_.end(), 0.0);
    steps_since_fold_ = 0;
  }

  void fold_drift() {
    if (drift_weight_ == 0.0) return;
    kernel::axpy(drift_weight_, g_.data(), v_.data(), static_cast<Index>(v_.size()));
    drift_weight_ = 0;
  }

  void fold_scale() {
    kernel::scale(scale_, v_.data(), static_cast<Index>(v_.size()));
    drift_weight_ *= scale_;
    for (double& weight : basis_weights_) weight *= scale_;
    scale_ = 1;
  }

  Index cols_;
  std::vector<T> g_;         // dense drift; empty until one is set
  double drift_weight_ = 0;  // b
  std::vector<double> intercepts_, intercept_drifts_, along_;

  Index basis_count_ = 0;  // vectors, the constant included
  GrowBuffer<T> turned_;   // cols x basis_count
  std::vector<double> basis_intercepts_;
  std::vector<double> basis_weights_;  // a
  std::vector<double> phi_;
  Index steps_since_fold_ = 0, steps_between_folds_ = 0;
  GrowBuffer<T> kept_products_;  // rows x basis_count: K, zero pages until visited
  std::vector<bool> visited_;
};

}  // namespace s3gd
