// K outputs coupled by softmax: psi(u, y) = log sum_k exp(u_k) - u_y, whose slopes p(u) - e_y separate.
#include <algorithm>

#include "base/index.hpp"
#include "base/threads.hpp"
#include "problem/block_products.hpp"
#include "problem/matrix_penalty.hpp"
#include "problem/quick_step.hpp"
#include "problem/softmax_pass.hpp"
#include "stochastic/outputs.hpp"

namespace s3gd {
namespace {

constexpr Index kBlock = 64;  // rows whose margins are held in a table at a time

class SoftmaxOutputs final : public OutputProblem {
 public:
  explicit SoftmaxOutputs(const SoftmaxProblem& problem)
      : OutputProblem({.x = problem.x(),
                       .outputs = problem.classes(),
                       .has_intercept = problem.has_intercept(),
                       .threads = problem.spec().threads,
                       .weights = problem.weights(),
                       .total_weight = 1,
                       .couples_outputs = MatrixPenalty(problem).couples_classes()},
                      MatrixPenalty(problem).of_one_output()),
        problem_(problem),
        matrix_penalty_(problem),
        targets_(problem.targets()),
        width_(kernel::table_width(outputs())) {}

  void slopes(std::span<const Index> rows, const double* margins, double* out) const override {
    for_each_block(rows, margins, [&](std::size_t b, const double* p, double) {
      double* own = out + b * at(outputs());
      std::copy_n(p, outputs(), own);
      own[targets_[at(rows[b])]] -= 1;
    });
  }
  double loss(std::span<const Index> rows, const double* weights, const double* margins) const override {
    double sum = 0;
    for_each_block(rows, margins, [&](std::size_t b, const double*, double log_sum) {
      sum += weights[b] * (log_sum - margins[b * at(outputs()) + at(targets_[at(rows[b])])]);
    });
    return sum;
  }

  bool separable() const override { return true; }
  void phi(std::span<const double> margins, double* out) const override {
    const std::vector<Index> anchors(margins.size() / at(outputs()));
    for_each_block(anchors, margins.data(),
                   [&](std::size_t j, const double* p, double) { std::copy_n(p, outputs(), out + j * at(outputs())); });
  }
  void labels(std::span<const Index> rows, double* out) const override {
    std::fill(out, out + rows.size() * at(outputs()), 0.0);
    for (std::size_t b = 0; b < rows.size(); ++b) out[b * at(outputs()) + at(targets_[at(rows[b])])] = 1;
  }

  Index classes() const override { return outputs(); }
  Index class_of(Index row) const override { return targets_[at(row)]; }
  void derivatives(Index c, const double* u, double* slopes, double* curvatures) const override {
    const Index k = outputs();
    phi({u, at(k)}, slopes);
    for (Index a = 0; a < k; ++a)
      for (Index b = 0; b < k; ++b) curvatures[a * k + b] = (a == b ? slopes[a] : 0.0) - slopes[a] * slopes[b];
    slopes[c] -= 1;
  }

  void margins(std::span<const double> w, std::span<double> out) const override;
  void row_sum(std::span<const double> c, std::span<double> out) const override {
    const std::vector<double> ones(c.size(), 1.0);
    const auto sum = weighted_row_sum(x(), ones, c, has_intercept(), threads());
    std::copy(sum.begin(), sum.end(), out.begin());
  }
  double gradient(std::span<const double> w, std::span<double> gradient, std::span<double> slopes) const override {
    SoftmaxPass pass;
    pass.arithmetic = Arithmetic::exact;
    pass.gradient = gradient;
    pass.watch_double = [&](const SoftmaxBlock<double>& block) {
      for (std::size_t r = 0; r < block.rows.size(); ++r) {
        double* own = slopes.data() + block.rows[r] * outputs();
        std::copy_n(block.probabilities + static_cast<Index>(r) * block.width, outputs(), own);
        own[targets_[at(block.rows[r])]] -= 1;
      }
    };
    return run_pass(problem_, w, pass).loss;
  }
  void margins_then_sum(std::span<const double> w, const Fill& fill, std::span<double> out) const override {
    std::vector<double> u(at(rows() * outputs())), coefficients(u.size());
    margins(w, u);
    fill(0, u, coefficients);
    transpose_times(coefficients, out);
  }
  std::vector<double> second_moment(std::span<const double> h) const override {
    return StochasticProblem(largest_class())->second_moment(h);
  }
  std::vector<double> squared_row_norms() const override {
    std::vector<double> norms(at(rows()), has_intercept() ? 1.0 : 0.0);
    x().visit([&](const auto& view) {
      parallel_ranges(view.rows, 4096, threads(), [&](Index begin, Index end, Index) {
        for (Index i = begin; i < end; ++i) norms[at(i)] += row_square(view, i);
      });
    });
    return norms;
  }
  double objective(std::span<const double> w) const override { return s3gd::objective(problem_, w); }
  Certificate certify(std::span<const double> w) const override { return s3gd::certify(problem_, w); }

  double penalty_value(std::span<const double> w) const override { return matrix_penalty_.value(w); }
  void prox(double eta, std::span<double> w) const override { matrix_penalty_.prox(eta, w); }

  // 1/L of one class against the rest has curvature 1/4 where softmax has 1/2.
  double automatic_step(Smoothness smoothness, Index batch, std::uint64_t seed) const override {
    return 0.5 * StochasticProblem(largest_class())->automatic_step(smoothness, batch, seed);
  }

 private:
  Problem largest_class() const;  // against all others: the same rows and weights
  // Calls visit(row's place, probabilities, log of the sum of exponentials) for each row.
  template <class Visit>
  void for_each_block(std::span<const Index> rows, const double* margins, Visit&& visit) const {
    const auto most = std::min(rows.size(), at(kBlock));
    std::vector<double> table(most * at(width_)), log_sums(most);
    for (std::size_t first = 0; first < rows.size(); first += most) {
      const std::size_t count = std::min(most, rows.size() - first);
      for (std::size_t r = 0; r < count; ++r)
        std::copy_n(margins + (first + r) * at(outputs()), outputs(), table.data() + r * at(width_));
      kernel::softmax_rows(static_cast<Index>(count), outputs(), width_, table.data(), log_sums.data());
      for (std::size_t r = 0; r < count; ++r) visit(first + r, table.data() + r * at(width_), log_sums[r]);
    }
  }

  SoftmaxProblem problem_;
  MatrixPenalty matrix_penalty_;
  std::span<const std::int32_t> targets_;
  Index width_;
};

void SoftmaxOutputs::margins(std::span<const double> w, std::span<double> out) const {
  const Index k = outputs();
  std::vector<double> table(at(cols() * width_), 0.0);
  for (Index j = 0; j < cols(); ++j) std::copy_n(w.data() + j * k, k, table.data() + j * width_);
  x().visit([&](const auto& view) {
    using View = std::decay_t<decltype(view)>;
    parallel_ranges(rows(), kBlock, threads(), [&](Index begin, Index end, Index) {
      BlockProducts<View, double> products(view, width_);
      std::vector<Index> block;
      std::vector<double> u(at((end - begin) * width_));
      for (Index i = begin; i < end; ++i) block.push_back(i);
      products.times(block, true, table.data(), u.data());
      for (Index i = begin; i < end; ++i)
        for (Index c = 0; c < k; ++c)
          out[at(i * k + c)] = u[at((i - begin) * width_ + c)] + (has_intercept() ? w[at(cols() * k + c)] : 0.0);
    });
  });
}

Problem SoftmaxOutputs::largest_class() const {
  ProblemSpec spec;
  spec.positive = "largest";
  spec.intercept = problem_.spec().intercept;
  spec.penalty.lambda = problem_.spec().penalty.lambda;
  spec.threads = threads();
  Dataset data = problem_.data();
  if (!weights().empty()) data.weights = Array<double>(std::vector<double>(weights().begin(), weights().end()));
  return Problem(data, spec);
}

}  // namespace

StochasticProblem::StochasticProblem(const SoftmaxProblem& problem)
    : problem_(std::make_shared<SoftmaxOutputs>(problem)) {}

}  // namespace s3gd
