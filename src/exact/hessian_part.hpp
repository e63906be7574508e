// The Hessian of the loss part at a point, over some of the features, as products with it:
//
//     H = sum_i q_i (diag p_i - p_i p_i') kron x_i x_i'
//
// for problems too wide for a matrix over all features. The entries of the chosen features are copied, so that a product
// costs those alone.
#pragma once

#include <vector>

#include "exact/softmax_quadratic.hpp"
#include "problem/softmax_pass.hpp"

namespace s3gd {

// p_i of all rows, as a pass goes by.
class Probabilities {
 public:
  explicit Probabilities(const SoftmaxProblem& problem) : problem_(problem) {}
  void note(const SoftmaxBlock<float>& block) { keep(block); }
  void note(const SoftmaxBlock<double>& block) { keep(block); }
  const float* of_row(Index i) const { return values_.data() + i * problem_.classes(); }
  void make_room() { values_.resize(static_cast<std::size_t>(problem_.rows() * problem_.classes())); }

 private:
  template <class W>
  void keep(const SoftmaxBlock<W>& block) {
    const Index classes = problem_.classes();
    for (std::size_t r = 0; r < block.rows.size(); ++r) {
      const W* p = block.probabilities + static_cast<Index>(r) * block.width;
      float* out = values_.data() + block.rows[r] * classes;
      for (Index k = 0; k < classes; ++k) out[k] = static_cast<float>(p[k]);
    }
  }

  const SoftmaxProblem& problem_;
  std::vector<float> values_;  // rows x K
};

class HessianPart final : public QuadraticPart {
 public:
  // chosen: ascending; the constant feature, where there is one, must be among them.
  HessianPart(const SoftmaxProblem& problem, const Probabilities& probabilities, std::span<const Index> chosen);
  void times(std::span<const double> v, std::span<double> out) const override;
  std::vector<double> diagonal() const override { return diagonal_; }
  double passes() const override;

 private:
  const SoftmaxProblem& problem_;
  const Probabilities& probabilities_;
  Matrix x_;  // all rows, chosen columns
  mutable Index products_ = 0;
  std::vector<double> diagonal_;  // chosen x K; kept above rounding
};

}  // namespace s3gd
