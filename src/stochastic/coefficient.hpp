// The share a of a control that leaves least variance,
//
//     a = sum_i v_i r_i h_i / sum_i v_i h_i^2,      v_i = (weight_i ||x_i||)^2,   r_i the slope, h_i the control
//
// over the rows of past batches, older ones counting less. It changes at snapshots only, and never sees the batch it
// is used for: an estimate with a (h_i - mean of h) taken off is unbiased whatever a is. Kept within [0, 1]: at 0 the
// estimate is plain SGD's, at 1 the paper's.
#pragma once

#include <algorithm>

#include "s3gd/graph.hpp"

namespace s3gd {

class Coefficient {
 public:
  explicit Coefficient(ControlMode mode) : adaptive_(mode == ControlMode::adaptive) {}

  bool adaptive() const { return adaptive_; }
  double value() const { return value_; }
  // What is left of the second moment of SGD's estimate, over past batches; 0 before the first.
  double left() const { return slopes_ > 0 ? residuals_ / slopes_ : 0.0; }

  void add(double size, double slope, double control) {
    cross_ += size * slope * control;
    controls_ += size * control * control;
    slopes_ += size * slope * slope;
    const double residual = slope - value_ * control;
    residuals_ += size * residual * residual;
  }

  // At a snapshot.
  void settle() {
    if (adaptive_ && controls_ > 0) value_ = std::clamp(cross_ / controls_, 0.0, 1.0);
    for (double* sum : {&cross_, &controls_, &slopes_, &residuals_}) *sum *= kKept;
  }

  // The control is another one from now on; its share is kept until batches have shown better.
  void restart() { cross_ = controls_ = slopes_ = residuals_ = 0; }

 private:
  static constexpr double kKept = 0.9;  // from snapshot to snapshot: the last ten count

  bool adaptive_;
  double value_ = 1;
  double cross_ = 0, controls_ = 0, slopes_ = 0, residuals_ = 0;
};

}  // namespace s3gd
