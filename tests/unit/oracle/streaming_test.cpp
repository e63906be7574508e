// The growing graph: over the rows seen the estimate is unbiased, and after a pass it is the full graph's.
#include <gtest/gtest.h>

#include <numeric>

#include "anchor/streaming_graph.hpp"
#include "model/loss.hpp"
#include "oracle/control.hpp"
#include "oracle/quality.hpp"
#include "support/problems.hpp"

namespace s3gd {
namespace {

using testing::full_row;
using testing::largest_difference;
using testing::naive_margin;
using testing::random_point;
using testing::small_data;
using testing::SmallData;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

struct Case {
  LossKind loss = LossKind::logistic;
  bool weighted = false;
  ClassWeight class_weight = ClassWeight::none;
  Intercept intercept = Intercept::free;
};

const std::vector<Case> kCases{
    {LossKind::logistic, false, ClassWeight::none, Intercept::free},
    {LossKind::logistic, true, ClassWeight::paper, Intercept::regularised},
    {LossKind::squared, true, ClassWeight::none, Intercept::free},
    {LossKind::squared_hinge, false, ClassWeight::balanced, Intercept::none},
    {LossKind::smooth_hinge, true, ClassWeight::none, Intercept::free},
};

template <class T>
Problem make_problem(const Case& c, bool sparse, Index rows = 60) {
  SmallData shape;
  shape.rows = rows;
  shape.weighted = c.weighted;
  shape.regression = c.loss == LossKind::squared;
  ProblemSpec spec;
  spec.loss.kind = c.loss;
  spec.penalty.kind = PenaltyKind::none;
  spec.class_weight = c.class_weight;
  spec.intercept = c.intercept;
  return Problem(small_data<T>(shape, sparse), spec);
}

GraphOptions graph_options(Index anchors) {
  GraphOptions options;
  options.anchors = anchors;
  options.neighbours = 3;
  return options;
}

std::vector<Index> random_order(Index rows) {
  std::vector<Index> order(at(rows));
  std::iota(order.begin(), order.end(), Index{0});
  Rng rng(21);
  rng.shuffle(order);
  return order;
}

template <class T>
struct Growing {
  // With an adaptive share it starts with one anchor, with the paper's with all.
  Growing(const Problem& the_problem, Index anchors, IterateForm form, ControlMode mode)
      : problem(the_problem),
        penalty(problem.spec().penalty, problem.cols(), problem.spec().intercept),
        control(find_estimator("s3gd")->build<T>({problem, nullptr, false, mode, graph_options(anchors)})),
        iterate(make_iterate<T>(problem, penalty, control->basis(), form)) {
    iterate->set_step_size(0.05);
  }

  // Announces the block [begin, end) of the order, takes a snapshot and makes steps over it.
  void run_block(std::span<const Index> order, Index begin, Index end) {
    const Loss loss(problem.spec().loss);
    control->coming(order.subspan(at(begin)), end - begin);
    control->refresh(*iterate);
    const Index batch_size = 5;
    for (Index from = begin; from < end; from += batch_size) {
      Batch batch;
      for (Index k = from; k < std::min(end, from + batch_size); ++k) {
        batch.rows.push_back(order[at(k)]);
        batch.weights.push_back(static_cast<double>(problem.rows()) * problem.weight(order[at(k)]) / batch_size);
      }
      std::vector<double> u(batch.rows.size()), slopes(u.size());
      iterate->margins(batch.rows, u.data());
      for (std::size_t b = 0; b < u.size(); ++b) slopes[b] = loss.slope(u[b], problem.targets()[at(batch.rows[b])]);
      control->coefficients(batch, u.data(), slopes.data());
      iterate->step(batch.rows, slopes.data());
    }
  }

  Problem problem;
  Penalty penalty;
  std::unique_ptr<Control<T>> control;
  std::unique_ptr<Iterate<T>> iterate;
};

// What one step of size 1 without rows moves the iterate by; there is no penalty.
template <class T>
std::vector<double> observed_drift(Iterate<T>& iterate, const std::vector<double>& w) {
  std::vector<double> after(w.size()), drift(w.size());
  iterate.assign(w);
  iterate.set_step_size(1.0);
  iterate.step({}, nullptr);
  iterate.read(after);
  for (std::size_t j = 0; j < w.size(); ++j) drift[j] = w[j] - after[j];
  iterate.set_step_size(0.05);
  return drift;
}

// sum over the rows of (n / count) q_i value_i x_i
template <class Value>
std::vector<double> mean_over(const Problem& problem, std::span<const Index> rows, Value value) {
  std::vector<double> sum(at(problem.dim()), 0.0);
  const double share = static_cast<double>(problem.rows()) / static_cast<double>(rows.size());
  for (const Index i : rows) {
    const auto row = full_row(problem, i);
    for (std::size_t j = 0; j < row.size(); ++j) sum[j] += share * problem.weight(i) * value(i) * row[j];
  }
  return sum;
}

// How far the mean of the estimate over these rows is from the mean of their slopes, at some w.
template <class T>
double bias_over(Growing<T>& growing, std::span<const Index> rows, double size = 0.5) {
  const Problem& problem = growing.problem;
  const Loss loss(problem.spec().loss);
  const auto w = random_point(problem.dim(), 12, size);
  const auto drift = observed_drift(*growing.iterate, w);
  std::vector<double> h(rows.size()), control_of(at(problem.rows()), 0.0);
  growing.control->control(rows, nullptr, h.data());
  for (std::size_t k = 0; k < rows.size(); ++k) control_of[at(rows[k])] = h[k];
  const auto slope = [&](Index i) { return loss.slope(naive_margin(problem, i, w), problem.targets()[at(i)]); };
  auto mean = mean_over(problem, rows, [&](Index i) { return slope(i) - control_of[at(i)]; });
  for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += drift[j];
  return largest_difference(mean, mean_over(problem, rows, slope));
}

template <class T>
void check_unbiased(const Case& c, bool sparse, IterateForm form, Index anchors) {
  const ControlMode mode = anchors == 1 ? ControlMode::adaptive : ControlMode::paper;
  Growing<T> growing(make_problem<T>(c, sparse), anchors, form, mode);
  const auto order = random_order(growing.problem.rows());
  for (const Index end : {20, 30, 60}) {
    const Index begin = end == 20 ? 0 : (end == 30 ? 20 : 30);
    growing.run_block(order, begin, end);
    const std::span<const Index> seen(order.data(), at(end));
    const double tolerance = std::is_same_v<T, float> ? 2e-5 : 1e-12;
    EXPECT_LE(bias_over(growing, seen), tolerance)
        << "loss " << static_cast<int>(c.loss) << (sparse ? " sparse" : " dense") << " form " << static_cast<int>(form)
        << " anchors " << anchors << " seen " << end;
    EXPECT_EQ(growing.control->rows_covered().size(), end == 60 ? 0 : seen.size());
  }
}

TEST(Streaming, MeanOverTheRowsSeenIsTheirGradient) {
  for (const Case& c : kCases)
    for (const bool sparse : {false, true})
      for (const IterateForm form : {IterateForm::eager, IterateForm::scaled, IterateForm::lazy})
        for (const Index anchors : {1, 6}) {
          if (!sparse && form != IterateForm::eager) continue;
          check_unbiased<float>(c, sparse, form, anchors);
          check_unbiased<double>(c, sparse, form, anchors);
        }
}

template <class T>
void check_complete(const Case& c, bool sparse, Index anchors) {
  Growing<T> growing(make_problem<T>(c, sparse), anchors, IterateForm::eager,
                     anchors == 1 ? ControlMode::adaptive : ControlMode::paper);
  const Problem& problem = growing.problem;
  const auto order = random_order(problem.rows());
  for (Index begin = 0; begin < problem.rows(); begin += 20) growing.run_block(order, begin, begin + 20);

  // So few rows are all in the sample, and a sample gives the same anchors again.
  std::vector<Index> all(at(problem.rows()));
  std::iota(all.begin(), all.end(), Index{0});
  StreamingGraph same(problem.x(), graph_options(anchors));
  same.choose(all, anchors);
  same.add(all);
  const Graph graph = same.graph();
  const auto full = find_estimator("s3gd")->build<T>({problem, &graph});
  const DriftBasis<T>&expected = *full->basis(), &found = *growing.control->basis();
  ASSERT_EQ(found.count, expected.count);
  const auto difference = [](const std::vector<T>& a, const std::vector<T>& b) {
    return largest_difference({a.begin(), a.end()}, {b.begin(), b.end()});
  };
  // Double sums of 60 numbers of size 1 in another order, rounded to T.
  const double tolerance = std::is_same_v<T, float> ? 0x1p-23 : 60 * 0x1p-53;
  EXPECT_LE(difference(found.vectors, expected.vectors), tolerance);
  EXPECT_LE(difference(found.constant, expected.constant), tolerance);
}

TEST(Streaming, AfterOnePassTheSumsAreThoseOfTheFullGraph) {
  for (const Case& c : kCases)
    for (const bool sparse : {false, true})
      for (const Index anchors : {1, 6}) {
        check_complete<float>(c, sparse, anchors);
        check_complete<double>(c, sparse, anchors);
      }
}

template <class T>
void check_growth(bool sparse, IterateForm form) {
  Growing<T> growing(make_problem<T>({}, sparse, 2000), 40, form, ControlMode::adaptive);
  const auto order = random_order(2000);
  std::vector<Index> anchors;
  for (int pass = 0; pass < 6; ++pass)
    for (Index begin = 0; begin < 2000; begin += 500) {
      growing.run_block(order, begin, begin + 500);
      if (growing.control->rows_covered().empty() &&
          (anchors.empty() || anchors.back() != growing.control->drift_vectors()))
        anchors.push_back(growing.control->drift_vectors());
      const auto seen = pass == 0 ? std::span(order).first(at(begin) + 500) : std::span(order);
      EXPECT_LE(bias_over(growing, seen, 2.0), (std::is_same_v<T, float> ? 2e-5 : 1e-12)) << pass << " " << begin;
    }
  EXPECT_EQ(anchors, (std::vector<Index>{1, 10, 40})) << static_cast<int>(form);
}

TEST(Streaming, AnchorsAreAddedWhenVarianceIsLeftAndEveryEstimateStaysUnbiased) {
  check_growth<float>(false, IterateForm::eager);
  check_growth<double>(false, IterateForm::eager);
  for (const IterateForm form : {IterateForm::eager, IterateForm::scaled, IterateForm::lazy})
    check_growth<double>(true, form);
}

// With batches of one row, every batch can be tried.
TEST(Streaming, GradientQualityWhileGrowingIsThatOfTheEstimateOverTheRowsSeen) {
  const Case c{LossKind::logistic, true, ClassWeight::none, Intercept::free};
  Growing<double> growing(make_problem<double>(c, false), 6, IterateForm::eager, ControlMode::paper);
  const Problem& problem = growing.problem;
  const Loss loss(problem.spec().loss);
  const auto order = random_order(problem.rows());
  growing.run_block(order, 0, 25);
  const std::span<const Index> seen(order.data(), 25);
  const auto w = random_point(problem.dim(), 12);
  const auto drift = observed_drift(*growing.iterate, w);
  std::vector<double> h(seen.size());
  growing.control->control(seen, nullptr, h.data());
  std::vector<Index> all(at(problem.rows()));
  std::iota(all.begin(), all.end(), Index{0});
  const auto slope = [&](Index i) { return loss.slope(naive_margin(problem, i, w), problem.targets()[at(i)]); };
  const auto exact = mean_over(problem, all, slope);
  const auto error_of = [&](Index i, double coefficient, double weight, const std::vector<double>& rest) {
    const auto row = full_row(problem, i);
    double error = 0;
    for (std::size_t j = 0; j < row.size(); ++j) {
      const double off = weight * coefficient * row[j] + rest[j] - exact[j];
      error += off * off;
    }
    return error;
  };
  double error = 0, plain = 0;
  for (std::size_t k = 0; k < seen.size(); ++k)
    error += error_of(seen[k], slope(seen[k]) - h[k], 60 * problem.weight(seen[k]), drift) / 25;
  for (const Index i : all)
    plain += problem.weight(i) * error_of(i, slope(i), 1.0, std::vector<double>(drift.size(), 0.0));
  const auto sampler = make_sampler(Sampling::shuffled, problem, 1);
  Rng rng(3);
  const auto quality = measure_quality(problem, *growing.control, *sampler, true, 1, w, rng);
  EXPECT_NEAR(quality.variance_ratio, error / plain, 1e-10 * error / plain);
}

}  // namespace
}  // namespace s3gd
