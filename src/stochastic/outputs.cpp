#include "stochastic/outputs.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/mention.hpp"
#include "base/threads.hpp"
#include "problem/block_products.hpp"
#include "problem/certificate.hpp"
#include "problem/full_pass.hpp"
#include "problem/hessian.hpp"
#include "problem/loss.hpp"
#include "problem/quick_step.hpp"
#include "s3gd/error.hpp"

namespace s3gd {

void OutputProblem::transpose_times(std::span<const double> coefficients, std::span<double> out) const {
  const auto k = at(outputs());
  if (k == 1) return row_sum(coefficients, out);
  std::vector<double> column(coefficients.size() / k), sum(out.size() / k);
  for (std::size_t o = 0; o < k; ++o) {
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = coefficients[i * k + o];
    row_sum(column, sum);
    for (std::size_t j = 0; j < sum.size(); ++j) out[j * k + o] = sum[j];
  }
}

void turn(std::span<const double> from, Index rows, std::vector<double>& to) {
  const Index columns = static_cast<Index>(from.size()) / rows;
  to.resize(from.size());
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j) to[at(j * rows + i)] = from[at(i * columns + j)];
}

namespace {

class OneOutput final : public OutputProblem {
 public:
  explicit OneOutput(const Problem& problem)
      : OutputProblem({.x = problem.x(),
                       .has_intercept = problem.has_intercept(),
                       .threads = problem.spec().threads,
                       .weights = problem.weights(),
                       .total_weight = problem.total_weight()},
                      Penalty(problem.spec().penalty, problem.cols(), problem.spec().intercept)),
        problem_(problem),
        loss_(problem.spec().loss),
        targets_(problem.targets()) {
    for (Index i = 0; i < rows() && !loss_.classifies(); ++i)
      mean_target_ += weight(i) * targets_[at(i)] / total_weight();
  }

  // Several at a time where there are many: exponentials cost as much as short rows do.
  void slopes(std::span<const Index> rows, const double* margins, double* out) const override {
    constexpr std::size_t kMany = 16, kAtOnce = 64;  // rows
    if (rows.size() < kMany) {
      for (std::size_t b = 0; b < rows.size(); ++b) out[b] = loss_.slope(margins[b], targets_[at(rows[b])]);
      return;
    }
    std::array<double, kAtOnce> targets;
    for (std::size_t first = 0; first < rows.size(); first += kAtOnce) {
      const std::size_t count = std::min(kAtOnce, rows.size() - first);
      for (std::size_t b = 0; b < count; ++b) targets[b] = targets_[at(rows[first + b])];
      loss_.terms(margins + first, targets.data(), static_cast<Index>(count), {.slope = out + first});
    }
  }
  double loss(std::span<const Index> rows, const double* weights, const double* margins) const override {
    double sum = 0;
    for (std::size_t b = 0; b < rows.size(); ++b) sum += weights[b] * loss_.value(margins[b], targets_[at(rows[b])]);
    return sum;
  }

  bool separable() const override { return loss_.separable(); }
  Index groups() const override { return loss_.separable() ? 1 : 2; }
  RowGroup group(Index g) const override { return loss_.separable() ? RowGroup{} : RowGroup{targets_, label(g)}; }
  void phi(std::span<const double> margins, double* out) const override {
    const std::size_t m = margins.size();
    for (std::size_t j = 0; j < m; ++j) {
      if (loss_.separable()) {
        out[j] = loss_.phi(margins[j]);
      } else {
        out[j] = loss_.slope(margins[j], 1.0);
        out[m + j] = loss_.slope(margins[j], -1.0);
      }
    }
  }
  void labels(std::span<const Index> rows, double* out) const override {
    for (std::size_t b = 0; b < rows.size(); ++b) out[b] = loss_.separable() ? loss_.label(targets_[at(rows[b])]) : 0.0;
  }
  void check_propagates() const override {
    if (!loss_.separable() && !loss_.classifies())
      throw Error("S3GD cannot propagate this loss over the graph for real labels",
                  "use " + opt("solver", "svrg") + " or saga");
  }

  Index classes() const override { return loss_.classifies() ? 2 : 1; }
  Index class_of(Index row) const override { return loss_.classifies() && targets_[at(row)] < 0 ? 1 : 0; }
  void derivatives(Index c, const double* u, double* slopes, double* curvatures) const override {
    const double y = loss_.classifies() ? label(c) : mean_target_;
    slopes[0] = loss_.slope(u[0], y);
    curvatures[0] = loss_.curvature(u[0], y);
  }

  void margins(std::span<const double> w, std::span<double> out) const override { s3gd::margins(problem_, w, out); }
  void row_sum(std::span<const double> c, std::span<double> out) const override {
    s3gd::transpose_times(problem_, c, out);
  }
  double gradient(std::span<const double> w, std::span<double> gradient, std::span<double> slopes) const override {
    const double value = loss_and_gradient(problem_, w, gradient, slopes);  // margins, at first
    for (std::size_t i = 0; i < slopes.size(); ++i) slopes[i] = loss_.slope(slopes[i], targets_[i]);
    return value;
  }
  void margins_then_sum(std::span<const double> w, const Fill& fill, std::span<double> out) const override {
    s3gd::margins_then_sum(problem_, w, fill, out);
  }
  std::vector<double> second_moment(std::span<const double> h) const override {
    std::vector<Index> every(at(features()));
    std::iota(every.begin(), every.end(), Index{0});
    std::vector<double> moment = hessian(problem_, h, every);
    mirror(moment, features());
    return moment;
  }
  std::vector<double> squared_row_norms() const override { return s3gd::squared_row_norms(problem_); }
  double objective(std::span<const double> w) const override { return s3gd::objective(problem_, w); }
  Certificate certify(std::span<const double> w) const override { return s3gd::certify(problem_, w); }

  double penalty_value(std::span<const double> w) const override { return penalty().value(w); }
  void prox(double eta, std::span<double> w) const override { penalty().prox(eta, w); }

  double automatic_step(Smoothness smoothness, Index batch, std::uint64_t seed) const override {
    if (smoothness == Smoothness::quick) return quick_step(problem_, batch, seed);
    if (smoothness == Smoothness::shuffled) return shuffled_step(problem_, batch, seed);
    return theory(problem_, batch, seed).suggested_step;
  }

 private:
  static double label(Index group) { return group == 0 ? 1.0 : -1.0; }

  Problem problem_;
  Loss loss_;
  std::span<const double> targets_;
  double mean_target_ = 0;  // of labels that are numbers
};

}  // namespace

StochasticProblem::StochasticProblem(const Problem& problem) : problem_(std::make_shared<OneOutput>(problem)) {}

}  // namespace s3gd
