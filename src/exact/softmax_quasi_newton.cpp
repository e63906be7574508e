// Newton steps for smooth softmax problems (exact/newton_search.hpp): one system, the Hessian of which couples the classes
// (exact/softmax_hessian.hpp).
#include <utility>

#include "exact/finisher.hpp"
#include "exact/newton_search.hpp"
#include "exact/softmax_hessian.hpp"
#include "kernel/kernel.hpp"
#include "problem/optimality.hpp"

namespace s3gd {
namespace {

constexpr Index kRowsPerFeature = 2;  // in the preconditioner

class SoftmaxSystem final : public FreshHessians {
 public:
  explicit SoftmaxSystem(const SoftmaxProblem& problem)
      : problem_(problem),
        penalty_(problem),
        ridge_(penalty_.ridges()),
        curvatures_(problem),
        preconditioner_(problem, penalty_),
        hessian_(problem, penalty_, preconditioner_) {
    const auto squared = ridge_.begin() + (problem.dim() - free_intercepts(problem));
    if (std::all_of(ridge_.begin(), squared, [](double value) { return value > 0; }))
      squares_ = squared - ridge_.begin();
  }

  Index rows() const override { return problem_.rows(); }
  bool has_dual() const override { return penalty_.has_dual(); }

  void look(std::span<const SystemAt> at, std::span<const Index> rows, Arithmetic arithmetic) override {
    SystemPoint& point = *at[0].point;
    point.gradient.resize(point.w.size());
    SoftmaxPass pass;
    pass.rows = rows;
    pass.arithmetic = arithmetic;
    pass.gradient = point.gradient;
    curvatures_.watch(pass);
    const RowSums sums = run_pass(problem_, point.w, pass);
    point.curvatures.assign(curvatures_.of_rows().begin(), curvatures_.of_rows().end());
    point.scale = sums.weight > 0 ? 1 / sums.weight : 1.0;
    point.complete(point.scale, sums.loss, penalty_, ridge_);
  }

  double gap(const SystemAt& at) const override {
    const SystemPoint& point = *at.point;
    if (squares_ == 0) return estimated_gap(problem_, penalty_, point.w, point.loss_gradient(ridge_), point.value);
    // P(w) + P*(-g) + w.g of a sum of squares is one itself, which does not cancel.
    double sum = 0;
    for (std::size_t j = 0; j < static_cast<std::size_t>(squares_); ++j)
      sum += point.gradient[j] * point.gradient[j] / (2 * ridge_[j]);
    return sum / std::max(std::abs(point.value), std::numeric_limits<double>::min());
  }

  std::vector<Certified> certify(std::span<const SystemAt> at) const override {
    return {{s3gd::certify(problem_, at[0].point->w), free_intercepts(problem_) > 0 ? 2.0 : 1.0}};
  }

  std::vector<double> solve(std::span<std::vector<double>> v, const std::function<bool()>& stop) override {
    const Index products = hessian_.solve(v[0], stop);
    return {static_cast<double>((products + 1) * hessian_.sample()) / static_cast<double>(rows())};
  }

 private:
  void precondition(std::span<const SystemAt> at, std::span<const Index> rows, Rng& rng) override {
    std::vector<double> sizes = at[0].point->curvatures;
    kernel::scale(at[0].point->scale, sizes.data(), static_cast<Index>(sizes.size()));
    preconditioner_.build(rows, sizes, kRowsPerFeature * problem_.features(), rng);
  }
  void build(std::span<const SystemAt> at, std::span<const Index> rows, Index sample, Rng& rng) override {
    const SystemPoint& point = *at[0].point;
    hessian_.build(point.w, rows, point.curvatures, point.scale, sample, rng);
  }

  const SoftmaxProblem& problem_;
  MatrixPenalty penalty_;
  std::vector<double> ridge_;
  std::ptrdiff_t squares_ = 0;  // all weights of features, where each is penalised by its square; else 0
  Curvatures curvatures_;
  ClassMetric preconditioner_;
  SampledCurvature hessian_;
};

}  // namespace

Finish finish_by_quasi_newton(const SoftmaxFinishInput& input, std::vector<double> start, Progress& progress) {
  start.resize(static_cast<std::size_t>(input.problem.dim()), 0.0);
  SoftmaxSystem system(input.problem);
  const SearchInput search{input.tol, input.seed, input.max_iterations, all_zero(start)};
  Progress* const told[] = {&progress};
  std::vector<std::vector<double>> starts(1, std::move(start));
  return std::move(NewtonSearch(system, search, std::move(starts), told).run()[0]);
}

}  // namespace s3gd
