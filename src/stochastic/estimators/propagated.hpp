// What S3GD's controls share, whether the graph is complete or still growing: slopes at the anchors, propagated to a
// row over its edges, and the share of them that is subtracted.
//
//     h_i = a ( sum_j gamma_ij phi(W~'z_j) - c(y_i) ),      K numbers a row, an anchor and a label
#pragma once

#include "anchor/propagate.hpp"
#include "anchor/rows.hpp"
#include "base/buffer.hpp"
#include "stochastic/control.hpp"

namespace s3gd {

// The share a of a control that leaves least variance,
//
//     a = sum_i v_i r_i h_i / sum_i v_i h_i^2,      v_i = (weight_i ||x_i||)^2,   r_i the slope, h_i the control
//
// over the rows of past batches, older ones counting less. It changes at snapshots only, and never sees the batch it
// is used for: an estimate with a (h_i - mean of h) taken off is unbiased whatever a is. Kept within [0, 1]: at 0 the
// estimate is plain SGD's, at 1 the paper's.
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

template <class T>
class PropagatedControl : public Control<T> {
 public:
  explicit PropagatedControl(const ControlInput& input)
      : Control<T>(input), coefficient_(input.mode), first_group_(input.problem->group(0)) {
    problem_->check_propagates();
    if (coefficient_.adaptive()) squares_.resize(problem_->rows());
    basis_.features = problem_->features();
  }

  const DriftBasis<T>* basis() const override { return &basis_; }

  void control(std::span<const Index> rows, const double*, double* out) const override {
    propagate_slopes(rows, out);
    for (std::size_t place = 0; place < rows.size() * numbers(); ++place) out[place] *= coefficient_.value();
  }

  void coefficients(const Batch& batch, const double*, double* slopes) override {
    const std::size_t count = batch.rows.size();
    propagated_.resize(count * numbers());
    propagate_slopes(batch.rows, propagated_.data());
    if (coefficient_.adaptive() && batches_ % kBatchesPerLesson == 0) learn(batch, slopes);
    ++batches_;
    rows_drawn_ += static_cast<Index>(count);
    const double share = coefficient_.value();
    for_each_slope(count, this->outputs(), [&](std::size_t b, std::size_t place) {
      slopes[place] = batch.weights[b] * (slopes[place] - share * propagated_[place]);
    });
  }

  // Squared lengths are found again when rows are met again.
  void state(Archive& a) override { a(coefficient_, batches_, rows_drawn_, margins_, phi_, scaled_phi_); }

  double moment_left() const override { return rows_drawn_ > 0 ? coefficient_.left() : Control<T>::moment_left(); }

 protected:
  std::size_t numbers() const { return at(this->outputs()); }  // of a row, an anchor: K

  void set_anchors(const std::vector<Index>& rows) {
    anchor_rows_ = rows;
    margins_.resize(rows.size() * numbers());
    phi_.resize(margins_.size() * at(problem_->groups()));
    scaled_phi_.resize(phi_.size());
    basis_.anchors.clear();
  }

  void take_snapshot(Iterate<T>& iterate) {
    coefficient_.settle();
    iterate.anchor_margins(anchor_rows_, margins_.data());
    problem_->phi(margins_, phi_.data());
    for (std::size_t j = 0; j < phi_.size(); ++j) scaled_phi_[j] = coefficient_.value() * phi_[j];
  }

  Index rows_drawn() const { return rows_drawn_; }  // by all batches so far

  using Control<T>::problem_;
  Coefficient coefficient_;
  Edges edges_;  // without pointers: one anchor, to which every row is tied
  std::vector<Index> anchor_rows_;
  DriftBasis<T> basis_;
  std::vector<double> scaled_phi_;  // the anchors' slopes times the share: groups x anchors x K

 private:
  void propagate_slopes(std::span<const Index> rows, double* out) const {
    problem_->labels(rows, out);
    const Index k = this->outputs();
    if (k == 1) {
      for (std::size_t b = 0; b < rows.size(); ++b) {
        const double* phi = phi_of(rows[b]);
        double sum = edges_.per_row == 0 ? phi[0] : 0.0;
        for_each_edge(rows[b], [&](double gamma, Index anchor) { sum += gamma * phi[anchor]; });
        out[b] = sum - out[b];
      }
      return;
    }
    for (const Index row : rows) {
      const double* phi = phi_of(row);
      for (Index o = 0; o < k; ++o) out[o] = (edges_.per_row == 0 ? phi[o] : 0.0) - out[o];
      for_each_edge(row, [&](double gamma, Index anchor) {
        for (Index o = 0; o < k; ++o) out[o] += gamma * phi[anchor * k + o];
      });
      out += k;
    }
  }

  // phi of the anchors, for the group a row is in.
  const double* phi_of(Index row) const { return phi_.data() + (first_group_.holds(row) ? 0 : margins_.size()); }

  template <class Visit>
  void for_each_edge(Index row, Visit&& visit) const {
    for (Index e = row * edges_.per_row; e < (row + 1) * edges_.per_row; ++e)
      visit(static_cast<double>(edges_.gammas[e]), static_cast<Index>(edges_.neighbours[e]));
  }

  void learn(const Batch& batch, const double* slopes) {
    problem_->x().visit([&](const auto& view) {
      for (std::size_t b = 0; b < batch.rows.size(); ++b) {
        float& square = squares_[batch.rows[b]];
        if (square == 0.0F) square = static_cast<float>(row_square(view, batch.rows[b]));
        const double length = static_cast<double>(square) + (problem_->has_intercept() ? 1.0 : 0.0);
        for (std::size_t place = b * numbers(); place < (b + 1) * numbers(); ++place)
          coefficient_.add(batch.weights[b] * batch.weights[b] * length, slopes[place], propagated_[place]);
      }
    });
  }

  // A row's length costs as much as its margin when it is first met; a part of the batches says enough.
  static constexpr Index kBatchesPerLesson = 4;

  Index batches_ = 0, rows_drawn_ = 0;
  RowGroup first_group_;  // of two, or all rows
  std::vector<double> margins_, phi_, propagated_;
  GrowBuffer<float> squares_;  // ||x_i||^2 of rows met so far, 0 where unknown
};

}  // namespace s3gd
