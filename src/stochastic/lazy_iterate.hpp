// The lazy form: a coordinate no row has touched for k steps has seen k equal steps (the drift is constant), and
// the penalty can make those in closed form. A step costs O(batch * row non-zeros * K), whatever d is.
//
// Value, drift and time of the last update of a coordinate lie side by side: one cache line a coordinate.
#pragma once

#include "stochastic/iterate.hpp"
#include "stochastic/rows.hpp"

namespace s3gd {

template <class View, class Count>
class LazyIterate final : public Iterate<typename View::Value> {
 public:
  using T = typename View::Value;

  LazyIterate(const View& view, const StochasticProblem& problem, const DriftBasis<T>* basis)
      : view_(view),
        problem_(problem),
        penalty_(problem_->penalty()),
        count_(problem->outputs()),
        basis_(basis),
        intercept_(problem->has_intercept()),
        cells_(at(problem->dim())),
        advance_(penalty_, 0.0) {}

  void margins(std::span<const Index> rows, double* out) override {
    for (std::size_t b = 0; b < rows.size(); ++b, out += count_.outputs) {
      for (Index k = 0; k < count_.outputs; ++k) out[k] = intercept_ ? value_of(intercept(k)) : 0.0;
      if constexpr (std::is_same_v<Count, Single>) {
        double sum = *out;  // in a register
        for_each_entry(rows[b], [&](Index, std::size_t cell, double value) { sum += value * value_of(cell); });
        *out = sum;
      } else {
        for_each_entry(rows[b], [&](Index k, std::size_t cell, double value) { out[k] += value * value_of(cell); });
      }
    }
  }

  // Touched coordinates collect the spike first and make the step afterwards, once each.
  void step(std::span<const Index> rows, const double* coefficients) override {
    for (std::size_t b = 0; b < rows.size(); ++b) {
      const double* own = coefficients + static_cast<Index>(b) * count_.outputs;
      for_each_entry(rows[b], [&](Index k, std::size_t cell, double value) {
        if (!cells_[cell].marked) {
          value_of(cell);
          cells_[cell].marked = true;
          touched_.push_back(cell);
        }
        cells_[cell].value -= static_cast<T>(eta_ * own[k] * value);
      });
    }
    for (Index k = 0; k < count_.outputs && intercept_; ++k) {
      const std::size_t cell = intercept(k);
      value_of(cell);
      cells_[cell].value -= static_cast<T>(eta_ * sum_of(rows.size(), coefficients, k));
      touched_.push_back(cell);
    }
    for (const std::size_t cell : touched_) {
      advance_cell(cell, 1);
      cells_[cell].last = time_ + 1;
      cells_[cell].marked = false;
    }
    touched_.clear();
    if (++time_ == kLongestWait) flush();
  }

  void set_step_size(double eta) override {
    if (eta == eta_) return;
    flush();
    eta_ = eta;
    advance_ = LazyAdvance(penalty_, eta);
  }

  void set_drift(std::span<const double> drift) override {
    flush();
    for (std::size_t j = 0; j < cells_.size(); ++j) cells_[j].drift = static_cast<T>(drift[j]);
  }

  void add_to_drift(std::span<const Index> rows, const double* coefficients) override {
    for (std::size_t b = 0; b < rows.size(); ++b) {
      const double* own = coefficients + static_cast<Index>(b) * count_.outputs;
      for_each_entry(rows[b], [&](Index k, std::size_t cell, double value) {
        value_of(cell);
        cells_[cell].drift += static_cast<T>(own[k] * value);
      });
    }
    for (Index k = 0; k < count_.outputs && intercept_; ++k) {
      value_of(intercept(k));
      cells_[intercept(k)].drift += static_cast<T>(sum_of(rows.size(), coefficients, k));
    }
  }

  void set_drift_from_basis(std::span<const double> phi, double share) override {
    flush();
    combined_.assign(cells_.size(), T(0));
    if constexpr (std::is_same_v<Count, Several>) {
      combine<T>(*basis_, phi, share, count_.outputs, count_.outputs, combined_);
    } else {
      for (Index i = 0; i < basis_->count; ++i)
        kernel::axpy(phi[at(i)], basis_->vectors.data() + i * basis_->features, combined_.data(), basis_->features);
      for (std::size_t j = 0; j < cells_.size() && basis_->has_constant(); ++j)
        combined_[j] -= static_cast<T>(share) * basis_->constant[j];
    }
    for (std::size_t j = 0; j < cells_.size(); ++j) cells_[j].drift = combined_[j];
  }

  // Schedule without bringing anything up to date: being observed must not change the path by a single rounding.
  void read(std::span<double> w) override {
    for (std::size_t j = 0; j < cells_.size(); ++j) {
      const Cell& cell = cells_[j];
      w[j] = advance_(static_cast<double>(cell.value), static_cast<double>(cell.drift),
                      static_cast<Index>(time_ - cell.last), factor_of(j));
    }
  }

  void settle() override { flush(); }

  void assign(std::span<const double> w) override {
    flush();
    for (std::size_t j = 0; j < cells_.size(); ++j) cells_[j].value = static_cast<T>(w[j]);
  }

  void state(Archive& a) override {
    a(eta_, time_, cells_);
    if (a.reading()) advance_ = LazyAdvance(penalty_, eta_);
  }

  void prefetch(std::span<const Index> next, std::span<const Index> after) const override {
    if constexpr (std::is_same_v<Count, Single>)
      for (const Index row : next) prefetch_entries(view_, row, cells_.data());
    for (const Index row : after) prefetch_row(view_, row);
  }

 private:
  static constexpr std::uint32_t kLongestWait = 1U << 31;  // steps: the end of the stamps

  struct Cell {
    T value = 0;
    T drift = 0;
    std::uint32_t last = 0;  // steps made so far
    bool marked = false;
  };

  // Calls visit(output, its cell, value) for the entries of a row.
  template <class Visit>
  void for_each_entry(Index row, Visit&& visit) const {
    for (auto e = view_.starts[row]; e < view_.starts[row + 1]; ++e)
      for (Index k = 0; k < count_.outputs; ++k)
        visit(k, at(view_.columns[e]) * at(count_.outputs) + at(k), static_cast<double>(view_.values[e]));
  }

  std::size_t intercept(Index k) const { return cells_.size() - at(count_.outputs) + at(k); }
  double factor_of(std::size_t cell) const { return penalty_.factor(static_cast<Index>(cell) / count_.outputs); }
  double sum_of(std::size_t rows, const double* coefficients, Index k) const {
    double sum = 0;
    for (std::size_t b = 0; b < rows; ++b) sum += coefficients[static_cast<Index>(b) * count_.outputs + k];
    return sum;
  }

  void advance_cell(std::size_t j, Index steps) {
    Cell& cell = cells_[j];
    cell.value =
        static_cast<T>(advance_(static_cast<double>(cell.value), static_cast<double>(cell.drift), steps, factor_of(j)));
  }

  double value_of(std::size_t j) {
    Cell& cell = cells_[j];
    if (cell.last != time_) {
      advance_cell(j, static_cast<Index>(time_ - cell.last));
      cell.last = time_;
    }
    return static_cast<double>(cell.value);
  }

  void flush() {
    for (std::size_t j = 0; j < cells_.size(); ++j) value_of(j);
    for (Cell& cell : cells_) cell.last = 0;
    time_ = 0;
  }

  View view_;
  StochasticProblem problem_;
  const Penalty& penalty_;
  Count count_;
  const DriftBasis<T>* basis_;
  bool intercept_;
  std::vector<Cell> cells_;
  LazyAdvance advance_;
  double eta_ = 0;
  std::uint32_t time_ = 0;
  std::vector<std::size_t> touched_;
  std::vector<T> combined_;
};

}  // namespace s3gd
