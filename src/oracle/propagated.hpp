// What S3GD's controls share, whether the graph is complete or still growing: slopes at the anchors, propagated to a
// row over its edges, and the share of them that is subtracted.
//
//     h_i = a ( sum_j gamma_ij phi(w~.z_j) - c(y_i) )
#pragma once

#include "anchor/propagate.hpp"
#include "anchor/rows.hpp"
#include "base/buffer.hpp"
#include "oracle/coefficient.hpp"
#include "oracle/control.hpp"
#include "s3gd/error.hpp"

namespace s3gd {

template <class T>
class PropagatedControl : public Control<T> {
 public:
  explicit PropagatedControl(const ControlInput& input)
      : problem_(input.problem), loss_(input.problem.spec().loss), coefficient_(input.mode) {
    if (!loss_.separable() && !loss_.classifies())
      throw Error("S3GD cannot propagate this loss over the graph for real labels", "use --solver svrg or saga");
    if (coefficient_.adaptive()) squares_.resize(problem_.rows());
    basis_.dim = problem_.dim();
  }

  const DriftBasis<T>* basis() const override { return &basis_; }

  void control(std::span<const Index> rows, const double*, double* out) const override {
    propagate_slopes(rows, out);
    for (std::size_t b = 0; b < rows.size(); ++b) out[b] *= coefficient_.value();
  }

  void coefficients(const Batch& batch, const double*, double* slopes) override {
    const std::size_t count = batch.rows.size();
    propagated_.resize(count);
    propagate_slopes(batch.rows, propagated_.data());
    if (coefficient_.adaptive() && batches_ % kBatchesPerLesson == 0) learn(batch, slopes);
    ++batches_;
    rows_drawn_ += static_cast<Index>(count);
    const double share = coefficient_.value();
    for (std::size_t b = 0; b < count; ++b) slopes[b] = batch.weights[b] * (slopes[b] - share * propagated_[b]);
  }

  // Squared lengths are found again when rows are met again.
  void state(Archive& a) override { a(coefficient_, batches_, rows_drawn_, margins_, phi_, scaled_phi_); }

  double moment_left() const override { return rows_drawn_ > 0 ? coefficient_.left() : Control<T>::moment_left(); }

 protected:
  Index groups() const { return loss_.separable() ? 1 : 2; }  // one X M for each label where the slope needs it

  void set_anchors(const std::vector<Index>& rows) {
    anchor_rows_ = rows;
    margins_.resize(rows.size());
    phi_.resize(rows.size() * static_cast<std::size_t>(groups()));
    scaled_phi_.resize(phi_.size());
    basis_.anchors.clear();
  }

  void take_snapshot(Iterate<T>& iterate) {
    coefficient_.settle();
    iterate.anchor_margins(anchor_rows_, margins_.data());
    const std::size_t m = margins_.size();
    for (std::size_t j = 0; j < m; ++j) {
      if (loss_.separable()) {
        phi_[j] = loss_.phi(margins_[j]);
      } else {
        phi_[j] = loss_.slope(margins_[j], 1.0);
        phi_[m + j] = loss_.slope(margins_[j], -1.0);
      }
    }
    for (std::size_t j = 0; j < phi_.size(); ++j) scaled_phi_[j] = coefficient_.value() * phi_[j];
  }

  Index rows_drawn() const { return rows_drawn_; }  // by all batches so far

  Problem problem_;
  Loss loss_;
  Coefficient coefficient_;
  Edges edges_;  // without pointers: one anchor, to which every row is tied
  std::vector<Index> anchor_rows_;
  DriftBasis<T> basis_;
  std::vector<double> scaled_phi_;  // the anchors' slopes times the share

 private:
  void propagate_slopes(std::span<const Index> rows, double* out) const {
    const auto targets = problem_.targets();
    for (std::size_t b = 0; b < rows.size(); ++b) {
      const double y = targets[static_cast<std::size_t>(rows[b])];
      const double* phi = phi_.data() + (!loss_.separable() && y < 0 ? margins_.size() : 0);
      double sum = edges_.per_row == 0 ? phi[0] : 0.0;
      for (Index e = rows[b] * edges_.per_row; e < (rows[b] + 1) * edges_.per_row; ++e)
        sum += static_cast<double>(edges_.gammas[e]) * phi[edges_.neighbours[e]];
      out[b] = loss_.separable() ? sum - loss_.label(y) : sum;
    }
  }

  void learn(const Batch& batch, const double* slopes) {
    problem_.x().visit([&](const auto& view) {
      for (std::size_t b = 0; b < batch.rows.size(); ++b) {
        float& square = squares_[batch.rows[b]];
        if (square == 0.0F) square = static_cast<float>(row_square(view, batch.rows[b]));
        const double length = static_cast<double>(square) + (problem_.has_intercept() ? 1.0 : 0.0);
        coefficient_.add(batch.weights[b] * batch.weights[b] * length, slopes[b], propagated_[b]);
      }
    });
  }

  // A row's length costs as much as its margin when it is first met; a part of the batches says enough.
  static constexpr Index kBatchesPerLesson = 4;

  Index batches_ = 0, rows_drawn_ = 0;
  std::vector<double> margins_, phi_, propagated_;
  GrowBuffer<float> squares_;  // ||x_i||^2 of rows met so far, 0 where unknown
};

}  // namespace s3gd
