// The eager form: W as a plain table, every coordinate updated at every step, O(batch * row + dim).
//
// With one shrink for all coordinates (l2, or none) W is kept as s * V, so that the shrink costs nothing; for one output a
// whole step is then one fused pass over V with the drift as one more row.
#pragma once

#include <algorithm>
#include <cmath>

#include "stochastic/iterate.hpp"
#include "stochastic/rows.hpp"

namespace s3gd {

template <class View, class Count>
class EagerIterate final : public Iterate<typename View::Value> {
 public:
  using T = typename View::Value;

  EagerIterate(const View& view, const StochasticProblem& problem, const DriftBasis<T>* basis)
      : view_(view),
        problem_(problem),
        penalty_(problem_->penalty()),
        count_(problem->outputs()),
        products_(view_, count_),
        basis_(basis),
        intercept_(problem->has_intercept()),
        uniform_(problem->uniform_shrink()),
        v_(static_cast<std::size_t>(problem->features() * count_.width), T(0)),
        drift_(v_.size(), T(0)),
        sums_(static_cast<std::size_t>(count_.outputs)) {}

  void margins(std::span<const Index> rows, double* out) override {
    products_.times(rows, v_.data(), out);
    to_margins(rows.size(), out);
  }

  void anchor_margins(std::span<const Index> rows, double* out) override {
    if (basis_->anchors.empty()) return margins(rows, out);
    products_.times_block(basis_->anchors.data(), static_cast<Index>(rows.size()), v_.data(), out);
    to_margins(rows.size(), out);
  }

  void step(std::span<const Index> rows, const double* coefficients) override {
    const double factor = -eta_ / scale_;
    scaled_coefficients_.resize(rows.size() * sums_.size());
    for (std::size_t c = 0; c < scaled_coefficients_.size(); ++c) scaled_coefficients_[c] = factor * coefficients[c];
    add_up(rows.size(), coefficients);
    products_.add(rows, scaled_coefficients_.data(), v_.data(), factor, has_drift_ ? drift_.data() : nullptr);
    for (Index k = 0; k < count_.outputs && intercept_; ++k)
      constant(v_, k) -=
          static_cast<T>(eta_ * (sums_[static_cast<std::size_t>(k)] + static_cast<double>(constant(drift_, k))));
    if (uniform_) {
      scale_ *= shrink_;
      for (Index k = 0; k < count_.outputs && intercept_; ++k)
        constant(v_, k) = static_cast<T>(intercept_shrink_ * static_cast<double>(constant(v_, k)));
      if (scale_ < kSmallestScale) fold_scale();
    } else {
      prox();
    }
  }

  void set_step_size(double eta) override {
    eta_ = eta;
    shrink_ = uniform_ ? penalty_.shrink(eta) : 1.0;
    const bool penalised = intercept_ && uniform_ && penalty_.factor(view_.cols) > 0;
    intercept_shrink_ = penalised ? shrink_ : 1.0;
  }

  void set_drift(std::span<const double> drift) override {
    has_drift_ = true;
    to_table(count_, drift, drift_.data());
  }

  void add_to_drift(std::span<const Index> rows, const double* coefficients) override {
    has_drift_ = true;
    products_.add(rows, coefficients, drift_.data());
    if (!intercept_) return;
    add_up(rows.size(), coefficients);
    for (Index k = 0; k < count_.outputs; ++k)
      constant(drift_, k) += static_cast<T>(sums_[static_cast<std::size_t>(k)]);
  }

  void set_drift_from_basis(std::span<const double> phi, double share) override {
    has_drift_ = true;
    if constexpr (std::is_same_v<Count, Several>)
      return combine<T>(*basis_, phi, share, count_.outputs, count_.width, drift_);
    if (!basis_->has_constant()) {
      std::fill(drift_.begin(), drift_.end(), T(0));
    } else {
      std::transform(basis_->constant.begin(), basis_->constant.end(), drift_.begin(),
                     [share](T c) { return static_cast<T>(-share * static_cast<double>(c)); });
    }
    std::vector<const T*> vectors(static_cast<std::size_t>(basis_->count));
    for (Index j = 0; j < basis_->count; ++j)
      vectors[static_cast<std::size_t>(j)] = basis_->vectors.data() + j * basis_->features;
    kernel::axpy_rows(phi.data(), vectors.data(), basis_->count, drift_.data(), basis_->features);
  }

  void read(std::span<double> w) override {
    double* out = w.data();
    for (Index j = 0; j < view_.cols; ++j)
      for (Index k = 0; k < count_.outputs; ++k)
        *out++ = scale_ * static_cast<double>(v_[static_cast<std::size_t>(j * count_.width + k)]);
    for (Index k = 0; k < count_.outputs && intercept_; ++k) *out++ = static_cast<double>(constant(v_, k));
  }

  void assign(std::span<const double> w) override {
    scale_ = 1;
    to_table(count_, w, v_.data());
  }

  void state(Archive& a) override { a(eta_, shrink_, intercept_shrink_, scale_, v_, has_drift_, drift_); }

  // Dense rows are long: two steps ahead they would push each other out of the first cache again.
  void prefetch(std::span<const Index> next, std::span<const Index>) const override {
    for (const Index row : next) prefetch_row(view_, row);
  }

 private:
  static constexpr double kSmallestScale = 1e-6;  // V stays far from the end of float's range

  T& constant(std::vector<T>& table, Index k) { return table[static_cast<std::size_t>(view_.cols * count_.width + k)]; }

  void to_margins(std::size_t rows, double* products) {
    for (Index k = 0; k < count_.outputs; ++k)
      sums_[static_cast<std::size_t>(k)] = intercept_ ? static_cast<double>(constant(v_, k)) : 0.0;
    for (std::size_t b = 0; b < rows; ++b)
      for (Index k = 0; k < count_.outputs; ++k, ++products)
        *products = scale_ * *products + sums_[static_cast<std::size_t>(k)];
  }

  // sums_ = sum_b of the K coefficients of row b
  void add_up(std::size_t rows, const double* coefficients) {
    std::fill(sums_.begin(), sums_.end(), 0.0);
    for (std::size_t b = 0; b < rows; ++b)
      for (Index k = 0; k < count_.outputs; ++k) sums_[static_cast<std::size_t>(k)] += *coefficients++;
  }

  void prox() {
    if constexpr (std::is_same_v<Count, Single>) return penalty_.prox(eta_, std::span<T>(v_));
    whole_.resize(static_cast<std::size_t>(problem_->dim()));
    read(whole_);
    problem_->prox(eta_, whole_);
    assign(whole_);
  }

  void fold_scale() {
    kernel::scale(scale_, v_.data(), view_.cols * count_.width);
    scale_ = 1;
  }

  View view_;
  StochasticProblem problem_;
  const Penalty& penalty_;
  Count count_;
  RowProducts<View, Count> products_;
  const DriftBasis<T>* basis_;
  bool intercept_;
  bool uniform_;
  double eta_ = 0, shrink_ = 1, intercept_shrink_ = 1;
  double scale_ = 1;
  std::vector<T> v_;  // W = scale * V, the intercepts apart: those are the last row of V itself
  bool has_drift_ = false;
  std::vector<T> drift_;
  std::vector<double> sums_, scaled_coefficients_, whole_;
};

}  // namespace s3gd
