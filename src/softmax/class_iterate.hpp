// W of a stochastic run, in the form that makes a step cheap. T is the type of the rows.
//
//     eager    W as a table columns x width
//     scaled   W = s (V + b D), D the drift: for sparse rows and a penalty that shrinks all weights alike. Shrinking changes s, the drift
//              b, a row V where it has entries; brought back to V alone at every snapshot
//
// Intercepts are kept apart, as doubles.
#pragma once

#include <algorithm>
#include <vector>

#include "base/archive.hpp"
#include "kernel/kernel.hpp"
#include "softmax/block_products.hpp"
#include "softmax/matrix_penalty.hpp"

namespace s3gd {

template <class View>
class ClassIterate {
 public:
  using T = typename View::Value;

  ClassIterate(const SoftmaxProblem& problem, const View& x)
      : problem_(problem),
        penalty_(problem),
        classes_(problem.classes()),
        width_(kernel::table_width(classes_)),
        products_(x, width_),
        drift_products_(x, width_),
        scaled_(!is_dense_view<View> && penalty_.shrinks_uniformly()),
        v_(static_cast<std::size_t>(problem.cols() * width_), T(0)),
        d_(v_.size(), T(0)),
        bias_(static_cast<std::size_t>(classes_), 0.0),
        drift_bias_(bias_) {}

  Index width() const { return width_; }
  void state(Archive& a) { a(v_, d_, scale_, along_, bias_, drift_bias_); }

  void assign(std::span<const double> w) {
    scale_ = 1;
    along_ = 0;
    for (Index j = 0; j < problem_.cols(); ++j)
      for (Index k = 0; k < classes_; ++k)
        v_[static_cast<std::size_t>(j * width_ + k)] = static_cast<T>(w[static_cast<std::size_t>(j * classes_ + k)]);
    if (problem_.has_intercept()) std::copy_n(w.end() - classes_, classes_, bias_.begin());
  }

  void read(std::span<double> w) {
    settle();
    for (Index j = 0; j < problem_.cols(); ++j)
      for (Index k = 0; k < classes_; ++k)
        w[static_cast<std::size_t>(j * classes_ + k)] =
            static_cast<double>(v_[static_cast<std::size_t>(j * width_ + k)]);
    if (problem_.has_intercept()) std::copy_n(bias_.begin(), classes_, w.end() - classes_);
  }

  void set_drift(std::span<const double> drift) {
    settle();
    for (Index j = 0; j < problem_.cols(); ++j)
      for (Index k = 0; k < classes_; ++k)
        d_[static_cast<std::size_t>(j * width_ + k)] =
            static_cast<T>(drift[static_cast<std::size_t>(j * classes_ + k)]);
    if (problem_.has_intercept()) std::copy_n(drift.end() - classes_, classes_, drift_bias_.begin());
  }

  // u: rows x width
  void margins(std::span<const Index> rows, T* u) {
    products_.times(rows, false, v_.data(), u);
    const auto size = static_cast<Index>(rows.size()) * width_;
    if (along_ != 0) {
      other_.resize(static_cast<std::size_t>(size));
      drift_products_.times(rows, false, d_.data(), other_.data());
      for (Index c = 0; c < size; ++c)
        u[c] = static_cast<T>(scale_) * (u[c] + static_cast<T>(along_) * other_[static_cast<std::size_t>(c)]);
    } else if (scale_ != 1) {
      for (Index c = 0; c < size; ++c) u[c] *= static_cast<T>(scale_);
    }
    for (Index c = 0; c < size; ++c)
      if (c % width_ < classes_) u[c] += static_cast<T>(bias_[static_cast<std::size_t>(c % width_)]);
  }

  // One step along the spike of the rows of the last margins() and the drift. `slopes` (rows x width) is used up.
  void step(double eta, std::span<const Index> rows, T* slopes) {
    for (Index k = 0; k < classes_ && problem_.has_intercept(); ++k) {
      double sum = drift_bias_[static_cast<std::size_t>(k)];
      for (std::size_t r = 0; r < rows.size(); ++r)
        sum += static_cast<double>(slopes[static_cast<Index>(r) * width_ + k]);
      bias_[static_cast<std::size_t>(k)] -= eta * sum;
    }
    const double length = -eta / scale_;
    for (Index c = 0; c < static_cast<Index>(rows.size()) * width_; ++c) slopes[c] *= static_cast<T>(length);
    products_.add(rows, slopes, v_.data());
    if (scaled_)
      along_ += length;
    else
      kernel::axpy(-eta, d_.data(), v_.data(), static_cast<Index>(v_.size()));
    shrink(eta);
  }

 private:
  static constexpr double kSmallest = 1e-6;  // of the scale, before V is brought back to size

  void shrink(double eta) {
    if (penalty_.shrinks_uniformly()) {
      const double by = 1 / (1 + 2 * eta * penalty_.ridge(0));
      if (scaled_) {
        scale_ *= by;
        if (scale_ < kSmallest) settle();
      } else if (by != 1) {
        kernel::scale(by, v_.data(), static_cast<Index>(v_.size()));
      }
      if (problem_.spec().intercept == Intercept::regularised)
        for (double& b : bias_) b *= by;
      return;
    }
    whole_.resize(static_cast<std::size_t>(problem_.dim()));
    read(whole_);
    penalty_.prox(eta, whole_);
    assign(whole_);
  }

  void settle() {
    if (scale_ == 1 && along_ == 0) return;
    if (along_ != 0) kernel::axpy(along_, d_.data(), v_.data(), static_cast<Index>(v_.size()));
    if (scale_ != 1) kernel::scale(scale_, v_.data(), static_cast<Index>(v_.size()));
    scale_ = 1;
    along_ = 0;
  }

  SoftmaxProblem problem_;
  MatrixPenalty penalty_;
  Index classes_, width_;
  BlockProducts<View, T> products_, drift_products_;
  bool scaled_;
  std::vector<T> v_, d_, other_;
  double scale_ = 1, along_ = 0;
  std::vector<double> bias_, drift_bias_, whole_;
};

}  // namespace s3gd
