// Least squares of slopes on a few numbers of a row, over past batches.
//
//     h_i = sum_l c_l f_l(i),      c = argmin sum_i v_i (r_i - h_i)^2,     v_i = (weight_i ||x_i||)^2,  r_i the slope
//
// Older batches count less. The coefficients change at snapshots only and never see the batch they are used for: an
// estimate with h_i - mean of h taken off is unbiased whatever they are. What a feature adds without need is noise of the
// fit; it is guarded by what the coefficients in use have been seen to leave.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "base/archive.hpp"
#include "base/buffer.hpp"
#include "base/index.hpp"
#include "data/row_access.hpp"
#include "stochastic/outputs.hpp"

namespace s3gd {

inline constexpr std::size_t kMostFeatures = 6;
using Features = std::array<double, kMostFeatures>;

// A part of the batches says enough: a row's length costs as much as its margin when it is first met.
inline constexpr Index kBatchesPerLesson = 4;

// ||x_i||^2, the constant included, of rows met so far.
class RowSquares {
 public:
  explicit RowSquares(const StochasticProblem& problem) : problem_(problem) { known_.resize(problem->rows()); }

  void find(std::span<const Index> rows) {
    problem_->x().visit([&](const auto& view) {
      for (const Index row : rows)
        if (known_[row] == 0.0F) known_[row] = static_cast<float>(row_square(view, row));
    });
  }
  double of(Index row) const { return static_cast<double>(known_[row]) + (problem_->has_intercept() ? 1.0 : 0.0); }

 private:
  StochasticProblem problem_;
  GrowBuffer<float> known_;  // 0 where unknown
};

class Regression {
 public:
  // All coefficients are 1 until batches have shown better; for good unless `learns`. A single one is at most `most`.
  Regression(bool learns, std::size_t features, double most = 1) : learns_(learns), count_(features), most_(most) {
    c_.fill(1.0);
  }

  bool learns() const { return learns_; }
  double operator[](std::size_t feature) const { return c_[feature]; }
  double of(const Features& f) const {
    double sum = 0;
    for (std::size_t l = 0; l < count_; ++l) sum += c_[l] * f[l];
    return sum;
  }
  // What is left of the second moment of SGD's estimate, over past batches; 0 before the first.
  double left() const { return slopes_ > 0 ? residuals_ / slopes_ : 0.0; }

  void add(double size, double slope, const Features& f) {
    const double control = of(f), residual = slope - control;
    slopes_ += size * slope * slope;
    residuals_ += size * residual * residual;
    cross_ += size * slope * control;
    controls_ += size * control * control;
    for (std::size_t l = 0; l < count_; ++l) {
      right_[l] += size * slope * f[l];
      for (std::size_t k = 0; k <= l; ++k) left_[l][k] += size * f[l] * f[k];
    }
  }

  // At a snapshot.
  void settle() {
    if (learns_ && slopes_ > 0) {
      const bool poor = count_ > 1 && left() > kPoor && controls_ > 0;
      const double share = poor ? std::clamp(cross_ / controls_, 0.0, 1.0) : 1.0;
      solve();
      for (double& c : c_) c *= share;
    }
    for (double* sum : {&slopes_, &residuals_, &cross_, &controls_}) *sum *= kKept;
    for (std::size_t l = 0; l < count_; ++l) {
      right_[l] *= kKept;
      for (double& product : left_[l]) product *= kKept;
    }
  }

  // From rows added since the features became others: nothing has been judged by the coefficients yet.
  void begin() {
    if (slopes_ > 0) solve();
    slopes_ = residuals_ = cross_ = controls_ = 0;
  }

  // The features are others from now on; what they were like before is forgotten, the coefficients are kept.
  void restart(std::size_t features) {
    for (std::size_t l = count_; l < features; ++l) c_[l] = 0;
    count_ = features;
    forget();
  }
  void forget() {
    slopes_ = residuals_ = cross_ = controls_ = 0;
    right_.fill(0);
    for (Features& row : left_) row.fill(0);
  }

  void state(Archive& a) { a(count_, c_, slopes_, residuals_, cross_, controls_, right_, left_); }

 private:
  static constexpr double kKept = 0.9;    // from snapshot to snapshot: the last ten count
  static constexpr double kPoor = 0.5;    // of SGD's second moment left: the features mislead, take a share of them
  static constexpr double kRidge = 1e-8;  // of a feature's own square: features may be multiples of each other

  // By Cholesky's factor of the normal equations, features brought to the same size; one that is always 0 gets 0.
  void solve() {
    if (count_ == 1) {  // from plain SGD to the paper, or beyond
      if (left_[0][0] > 0) c_[0] = std::clamp(right_[0] / left_[0][0], 0.0, most_);
      return;
    }
    std::array<Features, kMostFeatures> factor{};
    Features unit{}, y{};
    for (std::size_t l = 0; l < count_; ++l) unit[l] = left_[l][l] > 0 ? 1 / std::sqrt(left_[l][l]) : 0.0;
    for (std::size_t l = 0; l < count_; ++l) {
      for (std::size_t k = 0; k <= l; ++k) {
        double sum = l == k ? 1 + kRidge : left_[l][k] * unit[l] * unit[k];
        for (std::size_t j = 0; j < k; ++j) sum -= factor[l][j] * factor[k][j];
        factor[l][k] = l == k ? std::sqrt(std::max(sum, kRidge)) : sum / factor[k][k];
      }
      y[l] = right_[l] * unit[l];
      for (std::size_t j = 0; j < l; ++j) y[l] -= factor[l][j] * y[j];
      y[l] /= factor[l][l];
    }
    for (std::size_t l = count_; l-- > 0;) {
      for (std::size_t j = l + 1; j < count_; ++j) y[l] -= factor[j][l] * y[j];
      y[l] /= factor[l][l];
    }
    for (std::size_t l = 0; l < count_; ++l) c_[l] = y[l] * unit[l];
  }

  bool learns_;
  std::size_t count_;
  double most_;
  Features c_{};
  double slopes_ = 0, residuals_ = 0, cross_ = 0, controls_ = 0;
  Features right_{};
  std::array<Features, kMostFeatures> left_{};  // the lower half
};

}  // namespace s3gd
