// The lazy form: a coordinate no row has touched for k steps has seen k equal steps (the drift is constant), and
// the penalty can make those in closed form. A step costs O(batch * row non-zeros), whatever d is.
//
// Value, drift and time of the last update of a coordinate lie side by side: one cache line a coordinate.
#pragma once

#include "oracle/iterate.hpp"
#include "oracle/rows.hpp"

namespace s3gd {

template <class View>
class LazyIterate final : public Iterate<typename View::Value> {
 public:
  using T = typename View::Value;

  LazyIterate(const View& view, const Problem& problem, const Penalty& penalty, const DriftBasis<T>* basis)
      : view_(view),
        penalty_(penalty),
        basis_(basis),
        intercept_(problem.has_intercept()),
        cells_(static_cast<std::size_t>(problem.dim())),
        advance_(penalty, 0.0) {}

  void margins(std::span<const Index> rows, double* out) override {
    const double constant = intercept_ ? value_of(cells_.size() - 1) : 0.0;
    for (std::size_t b = 0; b < rows.size(); ++b) {
      double sum = constant;
      for (auto k = view_.starts[rows[b]]; k < view_.starts[rows[b] + 1]; ++k)
        sum += static_cast<double>(view_.values[k]) * value_of(static_cast<std::size_t>(view_.columns[k]));
      out[b] = sum;
    }
  }

  // Touched coordinates collect the spike first and make the step afterwards, once each.
  void step(std::span<const Index> rows, const double* coefficients) override {
    double sum = 0;
    for (std::size_t b = 0; b < rows.size(); ++b) {
      sum += coefficients[b];
      for (auto k = view_.starts[rows[b]]; k < view_.starts[rows[b] + 1]; ++k) {
        const auto j = static_cast<std::size_t>(view_.columns[k]);
        if (!(cells_[j].marked)) {
          value_of(j);
          cells_[j].marked = true;
          touched_.push_back(j);
        }
        cells_[j].value -= static_cast<T>(eta_ * coefficients[b] * static_cast<double>(view_.values[k]));
      }
    }
    if (intercept_) {
      const std::size_t j = cells_.size() - 1;
      value_of(j);
      cells_[j].value -= static_cast<T>(eta_ * sum);
      touched_.push_back(j);
    }
    for (const std::size_t j : touched_) {
      advance_cell(j, 1);
      cells_[j].last = time_ + 1;
      cells_[j].marked = false;
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
    double sum = 0;
    for (std::size_t b = 0; b < rows.size(); ++b) {
      sum += coefficients[b];
      for (auto k = view_.starts[rows[b]]; k < view_.starts[rows[b] + 1]; ++k) {
        const auto j = static_cast<std::size_t>(view_.columns[k]);
        value_of(j);
        cells_[j].drift += static_cast<T>(coefficients[b] * static_cast<double>(view_.values[k]));
      }
    }
    if (!intercept_) return;
    value_of(cells_.size() - 1);
    cells_.back().drift += static_cast<T>(sum);
  }

  void set_drift_from_basis(std::span<const double> phi, double share) override {
    flush();
    combined_.assign(cells_.size(), T(0));
    for (Index i = 0; i < basis_->count; ++i)
      kernel::axpy(phi[static_cast<std::size_t>(i)], basis_->vectors.data() + i * basis_->dim, combined_.data(),
                   basis_->dim);
    for (std::size_t j = 0; j < cells_.size(); ++j)
      cells_[j].drift = combined_[j] - (basis_->constant.empty() ? T(0) : static_cast<T>(share) * basis_->constant[j]);
  }

  // Looks without bringing anything up to date: being observed must not change the path by a single rounding.
  void read(std::span<double> w) override {
    for (std::size_t j = 0; j < cells_.size(); ++j) {
      const Cell& cell = cells_[j];
      w[j] = advance_(static_cast<double>(cell.value), static_cast<double>(cell.drift),
                      static_cast<Index>(time_ - cell.last), penalty_.factor(static_cast<Index>(j)));
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
    for (const Index row : next) prefetch_entries(view_, row, cells_.data());
    for (const Index row : after) prefetch_row(view_, row);
  }

 private:
  static constexpr std::uint32_t kLongestWait = 1U << 31;

  struct Cell {
    T value = 0;
    T drift = 0;
    std::uint32_t last = 0;  // steps made so far
    bool marked = false;
  };

  void advance_cell(std::size_t j, Index steps) {
    Cell& cell = cells_[j];
    cell.value = static_cast<T>(advance_(static_cast<double>(cell.value), static_cast<double>(cell.drift), steps,
                                         penalty_.factor(static_cast<Index>(j))));
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
  const Penalty& penalty_;
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
