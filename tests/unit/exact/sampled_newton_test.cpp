// The sampled metric, the samples it is made from, and the finisher built on them, against slow references.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "exact/finisher.hpp"
#include "exact/metric.hpp"
#include "problem/full_pass.hpp"
#include "problem/hessian.hpp"
#include "problem/loss.hpp"
#include "support/random_problem.hpp"

namespace s3gd {
namespace {

using namespace s3gd::testing;

class Counter : public Progress {
 public:
  bool moved(std::span<const double>, double passes, double, double) override {
    EXPECT_GE(passes, passes_);
    passes_ = passes;
    return ++calls_ < most_;
  }
  bool must_stop() const override { return false; }
  int calls_ = 0, most_ = 1 << 30;
  double passes_ = 0;
};

Problem make(const Dataset& data, const LossSpec& loss, Intercept intercept, double lambda, int threads = 1) {
  ProblemSpec spec;
  spec.loss = loss;
  spec.intercept = intercept;
  spec.penalty.lambda = lambda;
  spec.threads = threads;
  return Problem(data, spec);
}

TEST(LazyShuffle, VisitsEveryNumberOnce) {
  for (const Index count : {1, 2, 3, 17, 256, 1000}) {
    Rng rng(4, static_cast<std::uint64_t>(count));
    const LazyShuffle shuffle(count, rng);
    std::vector<Index> seen;
    for (Index k = 0; k < count; ++k) seen.push_back(shuffle(k));
    const bool moved = !std::is_sorted(seen.begin(), seen.end());
    EXPECT_TRUE(moved || count < 17);
    std::sort(seen.begin(), seen.end());
    for (Index k = 0; k < count; ++k) EXPECT_EQ(seen[static_cast<std::size_t>(k)], k);
  }
}

TEST(RowSample, SumsAreRightOnAverageAndLargeRowsAreCertain) {
  std::vector<double> sizes(500);
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = i % 7 == 0 ? 0.0 : std::exp(-0.02 * static_cast<double>(i));
  sizes[3] = 50;
  std::vector<double> mean(sizes.size());
  const int trials = 4000;
  Rng rng(9);
  for (int trial = 0; trial < trials; ++trial) {
    const RowSample sample = sample_by_size(sizes, 60, rng);
    EXPECT_TRUE(std::is_sorted(sample.rows.begin(), sample.rows.end()));
    EXPECT_NEAR(static_cast<double>(sample.rows.size()), 60, 10);
    EXPECT_TRUE(std::find(sample.rows.begin(), sample.rows.end(), 3) != sample.rows.end());
    for (std::size_t k = 0; k < sample.rows.size(); ++k)
      mean[static_cast<std::size_t>(sample.rows[k])] += sample.weights[k] / trials;
  }
  for (std::size_t i = 0; i < sizes.size(); ++i) EXPECT_NEAR(mean[i], sizes[i], 0.15 * sizes[i] + 2e-3) << i;
  const RowSample all = sample_by_size(sizes, 500, rng);
  for (std::size_t k = 0; k < all.rows.size(); ++k)
    EXPECT_EQ(all.weights[k], sizes[static_cast<std::size_t>(all.rows[k])]);
}

// Rows one at a time, in double.
TEST(RowSums, EqualTheSumsWrittenOut) {
  const Sample sample = random_sample(301, 9, 3);
  for (const LossSpec& loss : all_losses())
    for (const Intercept intercept : kIntercepts)
      for (const bool weighted : {false, true})
        for (const Matrix& x : sample.table.layouts()) {
          const Problem problem = make(sample.data(x, loss, weighted), loss, intercept, 0.1, 2);
          Vector w(static_cast<std::size_t>(problem.dim()));
          for (std::size_t j = 0; j < w.size(); ++j) w[j] = 0.3 - 0.1 * static_cast<double>(j % 5);
          std::vector<Index> some{7, 3, 299, 3, 120};
          for (const std::span<const Index> rows : {std::span<const Index>{}, std::span<const Index>(some)})
            for (const Arithmetic arithmetic : {Arithmetic::data, Arithmetic::exact}) {
              const std::size_t count = rows.empty() ? 301 : rows.size();
              Vector gradient(w.size()), margins_found(count), curvatures_found(count), all(301), expected(w.size());
              const RowSums found = sum_rows(problem, rows, w, arithmetic, gradient, {margins_found, curvatures_found});
              margins(problem, w, all);
              const Loss psi(loss);
              Vector coefficients(301, 0.0);
              double value = 0, mass = 0;
              for (std::size_t k = 0; k < count; ++k) {
                const auto i = rows.empty() ? k : static_cast<std::size_t>(rows[k]);
                const double q = problem.weight(static_cast<Index>(i)), y = problem.targets()[i];
                value += q * psi.value(all[i], y);
                mass += q;
                coefficients[i] += q * psi.slope(all[i], y);
                EXPECT_NEAR(margins_found[k], all[i], 1e-5);
                EXPECT_NEAR(
                    curvatures_found[k], q * psi.curvature(all[i], y),
                    1e-4 * q * (psi.traits().bounded_curvature ? psi.curvature_bound() : 1 + psi.curvature(all[i], y)));
              }
              transpose_times(problem, coefficients, expected);
              const double accuracy = arithmetic == Arithmetic::exact ? 1e-12 : 1e-5;
              EXPECT_NEAR(found.loss, value, accuracy * (1 + value));
              EXPECT_NEAR(found.weight, mass, 1e-12);
              for (std::size_t j = 0; j < w.size(); ++j) EXPECT_NEAR(gradient[j], expected[j], accuracy);
            }
        }
}

// Rows with many non-zeros are summed by blocks, rows with few entry by entry.
TEST(SampledMetric, OfAllRowsIsTheHessian) {
  for (const Sample& sample : {random_sample(120, 7, 11), random_sample(120, 60, 12, 0.08)})
    for (const Matrix& x : sample.table.layouts()) {
      const LossSpec loss;
      const Problem problem = make(sample.data(x, loss), loss, Intercept::free, 0.05);
      const auto dim = static_cast<std::size_t>(problem.dim());
      Vector h(120, 0.01), added(dim, 0.1), v(dim), product(dim);
      added.back() = 0;
      for (std::size_t i = 0; i < h.size(); ++i) h[i] *= 1.0 + static_cast<double>(i % 3);
      std::vector<Index> rows(120);
      std::iota(rows.begin(), rows.end(), Index{0});
      SampledMetric metric;
      metric.build(problem, rows, h, added);
      EXPECT_EQ(metric.sample(), 120);
      for (std::size_t j = 0; j < dim; ++j) v[j] = 1.0 - 0.02 * static_cast<double>(j);
      hessian_times(problem, h, v, product);
      for (std::size_t j = 0; j < dim; ++j) product[j] += added[j] * v[j];
      metric.solve(product);
      for (std::size_t j = 0; j < dim; ++j) EXPECT_NEAR(product[j], v[j], 1e-4);
    }
}

// Pairs of a quadratic: the memory must map the last gradient change to the step that made it.
TEST(StepMemory, MeetsTheSecantCondition) {
  const Sample sample = random_sample(60, 6, 13);
  const LossSpec loss;
  const Problem problem = make(sample.data(sample.table.layouts().front(), loss), loss, Intercept::none, 0.05);
  const auto dim = static_cast<std::size_t>(problem.dim());
  Vector h(60, 1.0 / 60), added(dim, 0.1), few(20, 1.0 / 20);
  std::vector<Index> rows(20);
  std::iota(rows.begin(), rows.end(), Index{0});
  SampledMetric metric;
  metric.build(problem, rows, few, added);
  StepMemory memory(4);
  Vector moved, change(dim);
  for (int step = 0; step < 6; ++step) {
    moved.assign(dim, 0.0);
    for (std::size_t j = 0; j < dim; ++j) moved[j] = std::sin(static_cast<double>(j * 3 + 7) * (step + 1));
    hessian_times(problem, h, moved, change);
    for (std::size_t j = 0; j < dim; ++j) change[j] += added[j] * moved[j];
    memory.add(moved, change);
  }
  const Vector direction = memory.direction(change, metric);
  for (std::size_t j = 0; j < dim; ++j) EXPECT_NEAR(direction[j], -moved[j], 1e-9);
}

TEST(SampledNewton, EveryLossInterceptWeightAndLayoutReachesTheOptimum) {
  const Sample small = random_sample(80, 6, 5), large = random_sample(9000, 5, 6);
  for (const Sample* sample : {&small, &large})
    for (const LossSpec& loss : all_losses())
      for (const Intercept intercept : kIntercepts)
        for (const bool weighted : {false, true})
          for (const Matrix& x : sample->table.layouts()) {
            const Problem problem = make(sample->data(x, loss, weighted), loss, intercept, 0.01, 2);
            SCOPED_TRACE(problem.formula());
            ASSERT_TRUE(find_finisher("sampled-newton")->suits(problem));
            Counter counter;
            const Finish finish = finish_by_sampled_newton({problem, 1e-10, 1}, {}, counter);
            EXPECT_EQ(finish.end, FinishEnd::converged);
            EXPECT_LE(finish.certificate.relative_gap, 1e-10);
            const Optimum optimum = solve_reference(problem);
            const double value = objective(problem, finish.w);
            EXPECT_LE(value - optimum.objective, finish.certificate.relative_gap * value + 1e-13 * value);
          }
}

// Few rows are separable where all are not: without a penalty a sample of them has no optimum, and leads to where no row bends.
TEST(SampledNewton, WithoutAPenaltySeparableSamplesDoNotMislead) {
  const Dataset data = load("gen:text?rows=6000&cols=400&nnz=20&noise=0.3");
  const Problem problem = make(data, {LossKind::smooth_hinge, 10}, Intercept::free, 0);
  const Optimum optimum = solve_reference(problem);
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    Counter counter;
    const Finish finish = finish_by_sampled_newton({problem, 1e-6, seed}, {}, counter);
    EXPECT_EQ(finish.end, FinishEnd::converged) << counter.passes_;
    EXPECT_NEAR(objective(problem, finish.w), optimum.objective, 1e-4);
  }
}

// Indicators of rare kinds of rows, over their deviation: all rows at zero say little of the curvature at the optimum, so
// that steps in a metric of theirs, kept for good, took up to 61 passes.
TEST(SampledNewton, AMetricMadeFarFromTheOptimumIsMadeAgain) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    Rng rng(seed);
    Sample sample = random_sample(600, 12, seed);
    for (Index j = 0; j < 12; ++j) {
      const double share = std::pow(10.0, -2.7 + 2.2 * rng.uniform()), far = 1 / std::sqrt(share);
      for (Index i = 0; i < 600; ++i)
        sample.table.values[static_cast<std::size_t>(i * 12 + j)] = rng.uniform() < share ? far : 0.0;
    }
    const LossSpec loss;
    Dataset data = sample.data(sample.table.dense<double>(), loss);
    std::vector<double> pull(12);
    for (double& value : pull) value = 2 * rng.normal();
    std::vector<double> labels(600);
    for (Index i = 0; i < 600; ++i) {
      double u = -0.3 + std::log(1 / (1 - rng.uniform()) - 1 + 1e-9);
      for (Index j = 0; j < 12; ++j) u += sample.table.at(i, j) > 0 ? pull[static_cast<std::size_t>(j)] : 0.0;
      labels[static_cast<std::size_t>(i)] = u > 0 ? 1.0 : -1.0;
    }
    data.y = {Array<double>(std::move(labels)), LabelKind::classes, {}};
    const Problem problem = make(data, loss, Intercept::free, 1e-6);
    Counter counter;
    EXPECT_EQ(finish_by_sampled_newton({problem, 1e-9, 1}, {}, counter).end, FinishEnd::converged);
    EXPECT_LT(counter.passes_, 40);
  }
}

TEST(SampledNewton, SameBitsAtAnyNumberOfThreadsAndStopsWhenTold) {
  const Sample sample = random_sample(20000, 5, 8);
  const LossSpec loss;
  const Matrix x = sample.table.layouts().front();
  std::vector<Vector> found;
  for (const int threads : {1, 2, 5}) {
    Counter counter;
    const Problem problem = make(sample.data(x, loss), loss, Intercept::free, 1e-4, threads);
    found.push_back(finish_by_sampled_newton({problem, 1e-9, 3}, {}, counter).w);
    EXPECT_GT(counter.calls_, 3);
  }
  EXPECT_EQ(found[0], found[1]);
  EXPECT_EQ(found[0], found[2]);
  for (const int most : {1, 2, 4}) {
    Counter counter;
    counter.most_ = most;
    const Problem problem = make(sample.data(x, loss), loss, Intercept::free, 1e-4);
    const Finish finish = finish_by_sampled_newton({problem, 1e-12, 3}, {}, counter);
    EXPECT_EQ(finish.end, FinishEnd::stopped);
    EXPECT_EQ(counter.calls_, most);
    EXPECT_EQ(finish.w.size(), static_cast<std::size_t>(problem.dim()));
  }
}

TEST(SampledNewton, LeavesKinksAndVeryWideDataToOthers) {
  const Sample sample = random_sample(30, 4, 2);
  ProblemSpec spec;
  spec.penalty.kind = PenaltyKind::l1;
  EXPECT_FALSE(
      find_finisher("sampled-newton")->suits(Problem(sample.data(sample.table.layouts().front(), spec.loss), spec)));
  spec.penalty.kind = PenaltyKind::none;
  EXPECT_TRUE(
      find_finisher("sampled-newton")->suits(Problem(sample.data(sample.table.layouts().front(), spec.loss), spec)));
  const Dataset wide = load("gen:text?rows=50&cols=5000&seed=1");
  EXPECT_FALSE(find_finisher("sampled-newton")->suits(Problem(wide, ProblemSpec{})));
}

}  // namespace
}  // namespace s3gd
