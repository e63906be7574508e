// Problems of several outputs: softmax, which couples them, and one class against the rest each.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/threads.hpp"
#include "data/row_access.hpp"
#include "problem/block_products.hpp"
#include "problem/certificate.hpp"
#include "problem/full_pass.hpp"
#include "problem/loss.hpp"
#include "problem/matrix_penalty.hpp"
#include "problem/table_pass.hpp"
#include "s3gd/error.hpp"
#include "stochastic/outputs.hpp"

namespace s3gd {
namespace {

constexpr Index kBlock = 64;  // rows whose margins are held in a table at a time

// What all problems of several outputs have in common: products of their rows.
class SeveralOutputs : public OutputProblem {
 public:
  void margins(std::span<const double> w, std::span<double> out) const override;
  void row_sum(std::span<const double> c, std::span<double> out) const override {
    const std::vector<double> ones(c.size(), 1.0);
    const auto sum = weighted_row_sum(x(), ones, c, has_intercept(), threads());
    std::copy(sum.begin(), sum.end(), out.begin());
  }
  void margins_then_sum(std::span<const double> w, const Fill& fill, std::span<double> out) const override {
    std::vector<double> u(at(rows() * outputs())), coefficients(u.size());
    margins(w, u);
    fill(0, u, coefficients);
    transpose_times(coefficients, out);
  }
  std::vector<double> second_moment(std::span<const double> h) const override {
    return StochasticProblem(one_class())->second_moment(h);
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

 protected:
  SeveralOutputs(Shape shape, Penalty penalty)
      : OutputProblem(std::move(shape), std::move(penalty)), width_(kernel::table_width(outputs())) {}
  virtual Problem one_class() const = 0;  // against all others: the same rows and weights

  Index width_;
};

// K outputs coupled by softmax: psi(u, y) = log sum_k exp(u_k) - u_y, whose slopes p(u) - e_y separate.
class SoftmaxOutputs final : public SeveralOutputs {
 public:
  explicit SoftmaxOutputs(const SoftmaxProblem& problem)
      : SeveralOutputs({.x = problem.x(),
                        .outputs = problem.classes(),
                        .has_intercept = problem.has_intercept(),
                        .threads = problem.spec().threads,
                        .weights = problem.weights(),
                        .total_weight = 1,
                        .couples_outputs = MatrixPenalty(problem).couples_classes()},
                       MatrixPenalty(problem).of_one_output()),
        problem_(problem),
        matrix_penalty_(problem),
        targets_(problem.targets()) {}

  void slopes(std::span<const Index> rows, const double* margins, double* out) const override {
    for_each_margin(rows.size(), margins, [&](std::size_t b, const auto* p, double) {
      double* own = out + b * at(outputs());
      std::copy_n(p, outputs(), own);
      own[targets_[at(rows[b])]] -= 1;
    });
  }
  double loss(std::span<const Index> rows, const double* weights, const double* margins) const override {
    double sum = 0;
    for_each_margin(rows.size(), margins, [&](std::size_t b, const auto*, double log_sum) {
      sum += weights[b] * (log_sum - margins[b * at(outputs()) + at(targets_[at(rows[b])])]);
    });
    return sum;
  }

  bool separable() const override { return true; }
  void phi(std::span<const double> margins, double* out) const override {
    const auto k = at(outputs());
    for_each_block<double>(margins.size() / k, margins.data(),
                           [&](std::size_t j, const double* p, double) { std::copy_n(p, k, out + j * k); });
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
  double objective(std::span<const double> w) const override { return s3gd::objective(problem_, w); }
  Certificate certify(std::span<const double> w) const override { return s3gd::certify(problem_, w); }

  double penalty_value(std::span<const double> w) const override { return matrix_penalty_.value(w); }
  void prox(double eta, std::span<double> w) const override { matrix_penalty_.prox(eta, w); }

  // 1/L of one class against the rest has curvature 1/4 where softmax has 1/2.
  double automatic_step(Smoothness smoothness, Index batch, std::uint64_t seed) const override {
    return 0.5 * StochasticProblem(one_class())->automatic_step(smoothness, batch, seed);
  }

 private:
  Problem one_class() const override;
  // Calls visit(row's place, probabilities, log of the sum of exponentials) for each row. W: of the arithmetic.
  template <class W, class Visit>
  void for_each_block(std::size_t rows, const double* margins, Visit&& visit) const {
    const auto most = std::min(rows, at(kBlock)), k = at(outputs()), width = at(width_);
    std::vector<W> table(most * width);
    std::vector<double> log_sums(most);
    for (std::size_t first = 0; first < rows; first += most) {
      const std::size_t count = std::min(most, rows - first);
      for (std::size_t r = 0; r < count; ++r)
        for (std::size_t o = 0; o < k; ++o) table[r * width + o] = static_cast<W>(margins[(first + r) * k + o]);
      kernel::softmax_rows(static_cast<Index>(count), outputs(), width_, table.data(), log_sums.data());
      for (std::size_t r = 0; r < count; ++r) visit(first + r, table.data() + r * width, log_sums[r]);
    }
  }
  // As precise as the rows are: their margins are no better.
  template <class Visit>
  void for_each_margin(std::size_t rows, const double* margins, Visit&& visit) const {
    if (x().precision() == Precision::float32)
      for_each_block<float>(rows, margins, visit);
    else
      for_each_block<double>(rows, margins, visit);
  }

  SoftmaxProblem problem_;
  MatrixPenalty matrix_penalty_;
  std::span<const std::int32_t> targets_;
};

void SeveralOutputs::margins(std::span<const double> w, std::span<double> out) const {
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

Problem SoftmaxOutputs::one_class() const {
  ProblemSpec spec;
  spec.positive = "largest";
  spec.intercept = problem_.spec().intercept;
  spec.penalty.lambda = problem_.spec().penalty.lambda;
  spec.threads = threads();
  Dataset data = problem_.data();
  if (!weights().empty()) data.weights = Array<double>(std::vector<double>(weights().begin(), weights().end()));
  return Problem(data, spec);
}

// One class against the rest each: outputs that know nothing of each other.
class ClassOutputs final : public SeveralOutputs {
 public:
  explicit ClassOutputs(std::span<const Problem> classes)
      : SeveralOutputs({.x = classes[0].x(),
                        .outputs = std::ssize(classes),
                        .has_intercept = classes[0].has_intercept(),
                        .threads = classes[0].spec().threads,
                        .weights = classes[0].weights(),
                        .total_weight = classes[0].total_weight()},
                       Penalty(classes[0])),
        classes_(classes.begin(), classes.end()),
        loss_(classes[0].spec().loss),
        class_of_(at(rows()), outputs()) {
    for (Index k = 0; k < outputs(); ++k)
      for (std::size_t i = 0; i < class_of_.size(); ++i)
        if (classes_[at(k)].targets()[i] > 0) class_of_[i] = k;
  }

  void slopes(std::span<const Index> rows, const double* margins, double* out) const override {
    loss_.visit([&](const auto& loss) {
      for_each_target(rows,
                      [&](std::size_t, std::size_t place, double y) { out[place] = loss.slope(margins[place], y); });
    });
  }
  double loss(std::span<const Index> rows, const double* weights, const double* margins) const override {
    double sum = 0;
    for_each_target(
        rows, [&](std::size_t b, std::size_t place, double y) { sum += weights[b] * loss_.value(margins[place], y); });
    return sum;
  }

  bool separable() const override { return loss_.separable(); }
  void phi(std::span<const double> margins, double* out) const override {
    for (const double u : margins) *out++ = loss_.phi(u);
  }
  void labels(std::span<const Index> rows, double* out) const override {
    for_each_target(rows, [&](std::size_t, std::size_t place, double y) { out[place] = loss_.label(y); });
  }
  // Other slopes would need a graph's sums for every class of rows, as many as there are outputs.
  void check_propagates() const override {
    if (!separable()) throw Error("S3GD cannot propagate this loss for several classes at once");
  }

  Index classes() const override { return outputs() + 1; }  // the last: rows of other classes
  Index class_of(Index row) const override { return class_of_[at(row)]; }
  void derivatives(Index c, const double* u, double* slopes, double* curvatures) const override {
    const Index k = outputs();
    std::fill(curvatures, curvatures + k * k, 0.0);
    for (Index o = 0; o < k; ++o) {
      slopes[o] = loss_.slope(u[o], target(c, o));
      curvatures[o * k + o] = loss_.curvature(u[o], target(c, o));
    }
  }

  // One pass for all classes.
  double gradient(std::span<const double> w, std::span<double> gradient, std::span<double> slopes) const override {
    const auto n = at(rows()), f = at(features());
    std::vector<double> own, sums(w.size()), u(slopes.size()), turned;
    turn(w, features(), own);
    std::vector<ClassPass> passes;
    for (std::size_t k = 0; k < classes_.size(); ++k)
      passes.push_back({&classes_[k],
                        std::span(own).subspan(k * f, f),
                        std::span(sums).subspan(k * f, f),
                        {std::span(u).subspan(k * n, n), {}}});
    sum_rows_together(passes, {}, Arithmetic::exact);
    turn(sums, outputs(), turned);
    std::copy(turned.begin(), turned.end(), gradient.begin());
    turn(u, outputs(), turned);
    std::vector<Index> every(n);
    std::iota(every.begin(), every.end(), Index{0});
    this->slopes(every, turned.data(), slopes.data());
    double value = 0;
    for (const ClassPass& pass : passes) value += pass.sums.loss;
    return value;
  }
  double objective(std::span<const double> w) const override {
    return sum_over_classes(w, [](const Problem& one, auto own) { return s3gd::objective(one, own); });
  }
  // Of all classes together: those that follow them one by one certify them one by one.
  Certificate certify(std::span<const double> w) const override {
    Certificate whole{.primal = 0, .dual = 0, .relative_gap = 0};
    sum_over_classes(w, [&](const Problem& one, auto own) {
      const Certificate certificate = s3gd::certify(one, own);
      whole.dual += certificate.dual;
      whole.relative_gap = std::max(whole.relative_gap, certificate.relative_gap);
      whole.kind = certificate.kind;
      return whole.primal += certificate.primal;
    });
    return whole;
  }

  double penalty_value(std::span<const double> w) const override {
    return sum_over_classes(w, [&](const Problem&, auto own) { return penalty().value(own); });
  }
  void prox(double eta, std::span<double> w) const override {
    if (separable_penalty()) return prox_of_each(eta, w);
    std::vector<double> own, back;
    turn(w, features(), own);
    for (Index k = 0; k < outputs(); ++k)
      penalty().prox(eta, std::span(own).subspan(at(k * features()), at(features())));
    turn(own, outputs(), back);
    std::copy(back.begin(), back.end(), w.begin());
  }

  // Targets have no say in it: the same for every class.
  double automatic_step(Smoothness smoothness, Index batch, std::uint64_t seed) const override {
    return StochasticProblem(one_class())->automatic_step(smoothness, batch, seed);
  }

 private:
  static double target(Index class_of_row, Index output) { return class_of_row == output ? 1.0 : -1.0; }
  Problem one_class() const override { return classes_[0]; }

  // Weight by weight, where they lie: a soft threshold, then a shrink.
  void prox_of_each(double eta, std::span<double> w) const {
    for (Index j = 0, place = 0; j < features(); ++j) {
      const double threshold = eta * penalty().l1_of(j), shrink = 1 / (1 + 2 * eta * penalty().l2_of(j));
      for (Index k = 0; k < outputs(); ++k, ++place) {
        double& value = w[at(place)];
        value = std::copysign(shrink * std::max(0.0, std::abs(value) - threshold), value);
      }
    }
  }

  // Calls visit(b, place in rows x K, target) for the outputs of some rows.
  template <class Visit>
  void for_each_target(std::span<const Index> rows, Visit&& visit) const {
    std::size_t place = 0;
    for (std::size_t b = 0; b < rows.size(); ++b)
      for (Index k = 0; k < outputs(); ++k, ++place) visit(b, place, target(class_of_[at(rows[b])], k));
  }
  template <class Term>
  double sum_over_classes(std::span<const double> w, Term&& term) const {
    std::vector<double> own;
    turn(w, features(), own);
    double sum = 0;
    for (std::size_t k = 0; k < classes_.size(); ++k)
      sum += term(classes_[k], std::span<const double>(own).subspan(k * at(features()), at(features())));
    return sum;
  }

  std::vector<Problem> classes_;
  Loss loss_;
  std::vector<Index> class_of_;
};

}  // namespace

StochasticProblem::StochasticProblem(const SoftmaxProblem& problem)
    : problem_(std::make_shared<SoftmaxOutputs>(problem)) {}
StochasticProblem::StochasticProblem(std::span<const Problem> classes)
    : problem_(std::make_shared<ClassOutputs>(classes)) {}

}  // namespace s3gd
