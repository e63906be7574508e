// The eager form: W as a plain table, every coordinate updated at every step, O(batch * row + dim).
//
// With one shrink for all coordinates (l2, or none) W is kept as s * V, so that the shrink costs nothing; for one output a
// whole step is then one fused pass over V with the drift as one more row.
#pragma once

#include <algorithm>

#include "stochastic/rows.hpp"

namespace s3gd {

template <class View, class Count>
class EagerIterate final : public TableIterate<View, Count> {
  using Base = TableIterate<View, Count>;
  using Base::basis_, Base::count_, Base::eta_, Base::intercept_, Base::penalty_, Base::problem_, Base::products_;
  using Base::scale_, Base::sums_, Base::v_, Base::view_;

 public:
  using T = typename View::Value;

  EagerIterate(const View& view, const StochasticProblem& problem, const DriftBasis<T>* basis)
      : Base(view, problem, basis, problem->features()), uniform_(problem->uniform_shrink()), drift_(v_.size(), T(0)) {}

  void margins(std::span<const Index> rows, double* out) override {
    products_.times(rows, v_.data(), out);
    add_intercepts(rows.size(), out);
  }

  void anchor_margins(std::span<const Index> rows, double* out) override {
    if (basis_->anchors.empty()) return margins(rows, out);
    products_.times_block(basis_->anchors.data(), std::ssize(rows), v_.data(), out);
    add_intercepts(rows.size(), out);
  }

  void step(std::span<const Index> rows, const double* coefficients) override {
    const double factor = -eta_ / scale_;
    products_.add(rows, this->times(factor, rows.size(), coefficients), v_.data(), factor,
                  has_drift_ ? drift_.data() : nullptr);
    if (intercept_) {
      this->add_up(rows.size(), coefficients);
      for (Index k = 0; k < count_.outputs; ++k)
        constant(v_, k) -= static_cast<T>(eta_ * (sums_[at(k)] + static_cast<double>(constant(drift_, k))));
    }
    if (!uniform_) return prox();
    scale_ *= this->shrink_;
    for (Index k = 0; k < count_.outputs && intercept_; ++k)
      constant(v_, k) = static_cast<T>(this->intercept_shrink_ * static_cast<double>(constant(v_, k)));
    if (scale_ >= kSmallestScale) return;
    kernel::scale(scale_, v_.data(), view_.cols * count_.width);
    scale_ = 1;
  }

  void set_step_size(double eta) override { this->set_shrink(eta, uniform_); }

  void set_drift(std::span<const double> drift) override {
    has_drift_ = true;
    to_table(count_, drift, drift_.data());
  }

  void add_to_drift(std::span<const Index> rows, const double* coefficients) override {
    has_drift_ = true;
    products_.add(rows, coefficients, drift_.data());
    if (!intercept_) return;
    this->add_up(rows.size(), coefficients);
    for (Index k = 0; k < count_.outputs; ++k) constant(drift_, k) += static_cast<T>(sums_[at(k)]);
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
    std::vector<const T*> vectors(at(basis_->count));
    for (Index j = 0; j < basis_->count; ++j) vectors[at(j)] = basis_->vectors.data() + j * basis_->features;
    kernel::axpy_rows(phi.data(), vectors.data(), basis_->count, drift_.data(), basis_->features);
  }

  void read(std::span<double> w) override {
    double* out = w.data();
    for (Index j = 0; j < view_.cols; ++j)
      for (Index k = 0; k < count_.outputs; ++k) *out++ = scale_ * static_cast<double>(v_[at(j * count_.width + k)]);
    for (Index k = 0; k < count_.outputs && intercept_; ++k) *out++ = static_cast<double>(constant(v_, k));
  }

  void assign(std::span<const double> w) override {
    scale_ = 1;
    to_table(count_, w, v_.data());
  }

  void state(Archive& a) override { a(eta_, this->shrink_, this->intercept_shrink_, scale_, v_, has_drift_, drift_); }

  // Dense rows are long: two steps ahead they would push each other out of the first cache again.
  void prefetch(std::span<const Index> next, std::span<const Index>) const override {
    for (const Index row : next) prefetch_row(view_, row);
  }

 private:
  static constexpr double kSmallestScale = 1e-6;  // V stays far from the end of float's range

  // The intercepts are the last row of a table; in V they are themselves, not to be scaled.
  T& constant(std::vector<T>& table, Index k) { return table[at(view_.cols * count_.width + k)]; }

  void add_intercepts(std::size_t rows, double* products) {
    for (Index k = 0; k < count_.outputs; ++k) sums_[at(k)] = intercept_ ? static_cast<double>(constant(v_, k)) : 0.0;
    this->to_margins(rows, sums_.data(), products);
  }

  void prox() {
    if constexpr (std::is_same_v<Count, Single>) return penalty_.prox(eta_, std::span<T>(v_));
    whole_.resize(at(problem_->dim()));
    read(whole_);
    problem_->prox(eta_, whole_);
    assign(whole_);
  }

  bool uniform_;
  bool has_drift_ = false;
  std::vector<T> drift_;
  std::vector<double> whole_;
};

}  // namespace s3gd
