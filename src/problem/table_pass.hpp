// One pass over the rows: margins of all K classes, probabilities, loss and gradient, block by block.
//
// Dense rows go through matrix products; sparse rows meet a table of the K weights of each feature, so that an entry is
// loaded once for all classes. Partial sums of fixed chunks are added in their order: same bits at any number of threads.
#pragma once

#include "problem/full_pass.hpp"
#include "s3gd/problem.hpp"
#include "s3gd/softmax.hpp"

namespace s3gd {

// What a pass tells of a block of rows besides the sums; called from several threads, each row once. Probabilities are
// count x width, margins log p_k + log_sum.
template <class W>
struct SoftmaxBlock {
  Index chunk = 0;              // 0 .. chunks-1: for sums in fixed order
  Index first = 0;              // place of the first row among those asked for
  std::span<const Index> rows;  // which rows these are
  Index width = 0;              // numbers between two rows of probabilities
  const W* probabilities = nullptr;
  const double* losses = nullptr;  // log sum_k exp(u_k) - u_y
};

// q_i at hand, for loops over rows.
class RowWeights {
 public:
  explicit RowWeights(const SoftmaxProblem& problem)
      : weights_(problem.weights()), even_(1.0 / static_cast<double>(problem.rows())) {}
  double operator()(Index i) const { return weights_.empty() ? even_ : weights_[static_cast<std::size_t>(i)]; }

 private:
  std::span<const double> weights_;
  double even_;
};

struct SoftmaxPass {
  std::span<const Index> rows;               // empty = all
  Arithmetic arithmetic = Arithmetic::data;  // data: float for dense and sparse float rows alike
  std::span<const double> class_scale;       // empty, or what the slopes of each class's rows are multiplied by
  std::span<double> gradient;                // sum_i q_i scale (p_i - e_{y_i}) x_i', features x K; empty = not wanted
  std::function<void(const SoftmaxBlock<float>&)> watch_float;  // as the arithmetic is; either may be left out
  std::function<void(const SoftmaxBlock<double>&)> watch_double;
};

RowSums run_pass(const SoftmaxProblem& problem, std::span<const double> w, const SoftmaxPass& pass);
// Has a pass over its rows, which must be set, keep their p_i in float, one row after the other.
void keep_probabilities(const SoftmaxProblem& problem, SoftmaxPass& pass, std::vector<float>& kept);
// The same of these rows at w.
std::vector<float> probabilities_at(const SoftmaxProblem& problem, std::span<const double> w,
                                    std::span<const Index> rows);
// How many chunks a pass over these rows has.
Index pass_chunks(const SoftmaxProblem& problem, std::span<const Index> rows = {});

// One pass over the rows for several problems over the same rows, which differ in their targets and weights alone.
//
// Every row is read once for all of them: dense rows through matrix products, sparse ones against a table with the weights of
// all problems side by side for each column. What sum_rows() (problem/row_sums.hpp) finds for one, to rounding; same
// bits at any number of threads.

// One of the problems: where it is looked at, and what is found there.
struct ClassPass {
  const Problem* problem = nullptr;
  std::span<const double> w;
  std::span<double> gradient;  // sum_i q_i psi'(u_i, y_i) x_i, the intercept's component last
  PerRow keep = {};
  RowSums sums = {};
};

// `rows` empty = all. The problems must have the same rows, loss and intercept; they share the first one's threads.
void sum_rows_together(std::span<ClassPass> classes, std::span<const Index> rows, Arithmetic arithmetic);

}  // namespace s3gd
