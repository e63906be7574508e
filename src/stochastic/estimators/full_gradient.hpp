// The slopes of all rows at one point and the gradient they make: what SVRG, SAGA and GD start from. One pass.
#pragma once

#include <algorithm>

#include "stochastic/control.hpp"

namespace s3gd {

struct FullGradient {
  std::vector<double> slopes;    // psi'(u_i), rows x K
  std::vector<double> gradient;  // sum_i q_i x_i psi'(u_i)'

  void evaluate(const StochasticProblem& problem, std::span<const double> w) {
    slopes.resize(at(problem->rows() * problem->outputs()));
    gradient.resize(at(problem->dim()));
    problem->gradient(w, gradient, slopes);
  }

  // Those of some rows.
  void slopes_of(std::span<const Index> rows, Index outputs, double* out) const {
    if (outputs == 1)
      for (const Index row : rows) *out++ = slopes[at(row)];
    else
      for (const Index row : rows) out = std::copy_n(slopes.data() + row * outputs, outputs, out);
  }
};

// h_i is the row's slope at the snapshot, the drift the gradient there.
template <class T>
class SnapshotControl : public Control<T> {
 public:
  explicit SnapshotControl(const ControlInput& input) : Control<T>(input), w_(at(input.problem->dim())) {}

  void refresh(Iterate<T>& iterate) override {
    iterate.settle();
    iterate.read(w_);
    snapshot_.evaluate(this->problem_, w_);
    iterate.set_drift(snapshot_.gradient);
    passes_ += 1;
  }

  void control(std::span<const Index> rows, const double*, double* out) const override {
    snapshot_.slopes_of(rows, this->outputs(), out);
  }

  double extra_passes() const override { return passes_; }
  double passes_per_snapshot() const override { return 1; }

 protected:
  // After reading a state.
  void make_again() {
    if (passes_ > 0) snapshot_.evaluate(this->problem_, w_);
  }

  std::vector<double> w_;
  FullGradient snapshot_;
  double passes_ = 0;
};

}  // namespace s3gd
