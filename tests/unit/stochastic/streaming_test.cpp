// The growing graph: over the rows seen the estimate is unbiased, and after a pass it is the full graph's.
#include <gtest/gtest.h>

#include <numeric>

#include "anchor/streaming_graph.hpp"
#include "stochastic/control.hpp"
#include "support/naive_outputs.hpp"

namespace s3gd {
namespace {

using testing::largest_difference;
using testing::NaiveOutputs;
using testing::random_point;
using testing::unpenalised_problems;
using testing::Vector;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

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
  Growing(NaiveOutputs the_problem, Index anchors, IterateForm form, ControlMode mode,
          Propagation propagation = Propagation::constant)
      : naive(std::move(the_problem)),
        problem(naive.problem),
        control(find_estimator("s3gd")->build<T>({problem, nullptr, false, mode, graph_options(anchors), propagation})),
        iterate(make_iterate<T>(problem, control->basis(), form)) {
    iterate->set_step_size(0.05);
  }

  // Announces the block [begin, end) of the order, takes a snapshot and makes steps over it.
  void run_block(std::span<const Index> order, Index begin, Index end) {
    control->coming(order.subspan(at(begin)), end - begin);
    control->refresh(*iterate);
    const Index batch_size = 5;
    for (Index from = begin; from < end; from += batch_size) {
      Batch batch;
      for (Index k = from; k < std::min(end, from + batch_size); ++k) {
        batch.rows.push_back(order[at(k)]);
        batch.weights.push_back(static_cast<double>(problem->rows()) * problem->weight(order[at(k)]) / batch_size);
      }
      testing::make_step(problem, *control, *iterate, batch);
    }
  }

  Vector drift_at(const Vector& w) {
    const Vector drift = testing::observed_drift(*iterate, w);
    iterate->set_step_size(0.05);
    return drift;
  }
  Vector control_of(Index row) const {
    Vector h(naive.outputs());
    control->control({&row, 1}, nullptr, h.data());
    return h;
  }

  NaiveOutputs naive;
  StochasticProblem problem;
  std::unique_ptr<Control<T>> control;
  std::unique_ptr<Iterate<T>> iterate;
};

Vector difference(Vector a, const Vector& b) {
  for (std::size_t j = 0; j < a.size(); ++j) a[j] -= b[j];
  return a;
}

// How far the mean of the estimate over these rows is from the mean of their slopes, at some w.
template <class T>
double bias_over(Growing<T>& growing, std::span<const Index> rows, double size = 0.5) {
  const NaiveOutputs& naive = growing.naive;
  const auto w = random_point(naive.problem->dim(), 12, size);
  const Vector drift = growing.drift_at(w);
  Vector mean =
      naive.mean_over(rows, [&](Index i) { return difference(naive.slopes_at(i, w), growing.control_of(i)); });
  for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += drift[j];
  return largest_difference(mean, naive.mean_over(rows, [&](Index i) { return naive.slopes_at(i, w); }));
}

template <class T>
void check_unbiased(const NaiveOutputs& naive, IterateForm form, Index anchors) {
  const ControlMode mode = anchors == 1 ? ControlMode::adaptive : ControlMode::paper;
  Growing<T> growing(naive, anchors, form, mode);
  const auto order = random_order(growing.problem->rows());
  for (const Index end : {20, 30, 60}) {
    const Index begin = end == 20 ? 0 : (end == 30 ? 20 : 30);
    growing.run_block(order, begin, end);
    const std::span<const Index> seen(order.data(), at(end));
    const double tolerance = std::is_same_v<T, float> ? 2e-5 : 1e-12;
    EXPECT_LE(bias_over(growing, seen), tolerance)
        << naive.name << " form " << static_cast<int>(form) << " anchors " << anchors << " seen " << end;
    EXPECT_EQ(growing.control->rows_covered().size(), end == 60 ? 0 : seen.size());
  }
}

TEST(Streaming, MeanOverTheRowsSeenIsTheirGradient) {
  for (const bool sparse : {false, true})
    for (const IterateForm form : {IterateForm::eager, IterateForm::scaled, IterateForm::lazy})
      for (const Index anchors : {1, 6}) {
        if (!sparse && form != IterateForm::eager) continue;
        for (const NaiveOutputs& naive : unpenalised_problems<float>(sparse))
          check_unbiased<float>(naive, form, anchors);
        for (const NaiveOutputs& naive : unpenalised_problems<double>(sparse))
          check_unbiased<double>(naive, form, anchors);
      }
}

template <class T>
void check_complete(const NaiveOutputs& naive, Index anchors) {
  Growing<T> growing(naive, anchors, IterateForm::eager, anchors == 1 ? ControlMode::adaptive : ControlMode::paper);
  const StochasticProblem& problem = growing.problem;
  const auto order = random_order(problem->rows());
  for (Index begin = 0; begin < problem->rows(); begin += 20) growing.run_block(order, begin, begin + 20);

  // So few rows are all in the sample, and a sample gives the same anchors again.
  std::vector<Index> all(at(problem->rows()));
  std::iota(all.begin(), all.end(), Index{0});
  StreamingGraph same(problem->x(), graph_options(anchors));
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
  for (const bool sparse : {false, true})
    for (const Index anchors : {1, 6}) {
      for (const NaiveOutputs& naive : unpenalised_problems<float>(sparse)) check_complete<float>(naive, anchors);
      for (const NaiveOutputs& naive : unpenalised_problems<double>(sparse)) check_complete<double>(naive, anchors);
    }
}

template <class T>
void check_growth(const NaiveOutputs& naive, IterateForm form) {
  Growing<T> growing(naive, 40, form, ControlMode::adaptive);
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
  // Steps of several outputs are dearer, so that all anchors pay for themselves as soon as all rows are seen.
  const bool several = naive.outputs() > 1;
  EXPECT_EQ(anchors, several ? (std::vector<Index>{40}) : (std::vector<Index>{1, 10, 40})) << naive.name;
}

TEST(Streaming, AnchorsAreAddedWhenVarianceIsLeftAndEveryEstimateStaysUnbiased) {
  const auto first_and_last = [](std::vector<NaiveOutputs> all) {
    return std::vector<NaiveOutputs>{all.front(), all[all.size() - 3]};  // logistic and softmax, free intercepts
  };
  for (const NaiveOutputs& naive : first_and_last(unpenalised_problems<float>(false, 2000)))
    check_growth<float>(naive, IterateForm::eager);
  for (const NaiveOutputs& naive : first_and_last(unpenalised_problems<double>(true, 2000)))
    for (const IterateForm form : {IterateForm::eager, IterateForm::scaled, IterateForm::lazy})
      check_growth<double>(naive, form);
}

// Rows are covered ahead of those drawn, and the reference is renewed on the way.
template <class T>
void check_reference(const NaiveOutputs& naive, IterateForm form, Propagation propagation) {
  Growing<T> growing(naive, 40, form, ControlMode::adaptive, propagation);
  const auto order = random_order(1000);
  std::size_t before = 0;
  for (Index begin = 0; begin < 400; begin += 20) {
    growing.run_block(order, begin, begin + 20);
    const std::span<const Index> covered = growing.control->rows_covered();
    const std::span<const Index> rows = covered.empty() ? std::span<const Index>(order) : covered;
    EXPECT_GE(rows.size(), std::max(at(begin) + 20, before));
    before = rows.size();
    EXPECT_LE(bias_over(growing, rows), (std::is_same_v<T, float> ? 2e-5 : 1e-12)) << naive.name << " " << begin;
  }
  EXPECT_EQ(before, 1000U);  // far more than were drawn
}

TEST(Streaming, WithAReferenceMeanOverTheRowsCoveredIsTheirGradient) {
  for (const Propagation propagation : {Propagation::linear, Propagation::slope})
    for (const bool sparse : {false, true})
      for (const IterateForm form : {IterateForm::eager, IterateForm::scaled, IterateForm::lazy}) {
        if (!sparse && form != IterateForm::eager) continue;
        for (const NaiveOutputs& naive : unpenalised_problems<float>(sparse, 1000))
          check_reference<float>(naive, form, propagation);
        for (const NaiveOutputs& naive : unpenalised_problems<double>(sparse, 1000))
          check_reference<double>(naive, form, propagation);
      }
}

// With batches of one row, every batch can be tried.
TEST(Streaming, GradientQualityWhileGrowingIsThatOfTheEstimateOverTheRowsSeen) {
  for (const NaiveOutputs& naive : unpenalised_problems<double>(false)) {
    const StochasticProblem& problem = naive.problem;
    Growing<double> growing(naive, 6, IterateForm::eager, ControlMode::paper);
    const auto order = random_order(problem->rows());
    growing.run_block(order, 0, 25);
    const std::span<const Index> seen(order.data(), 25);
    const auto w = random_point(problem->dim(), 12);
    const Vector drift = growing.drift_at(w);
    const Vector exact = naive.mean_over(order, [&](Index i) { return naive.slopes_at(i, w); });
    const auto error_of = [&](Index i, const Vector& c, double weight, Vector estimate) {
      naive.add(weight, i, c, estimate);
      const Vector off = difference(estimate, exact);
      return std::inner_product(off.begin(), off.end(), off.begin(), 0.0);
    };
    double error = 0, plain = 0;
    for (const Index i : seen)
      error +=
          error_of(i, difference(naive.slopes_at(i, w), growing.control_of(i)), 60 * problem->weight(i), drift) / 25;
    const double total = problem->total_weight();
    for (const Index i : order)
      plain += problem->weight(i) / total * error_of(i, naive.slopes_at(i, w), total, Vector(drift.size(), 0.0));
    const auto sampler = make_sampler(Sampling::shuffled, problem, 1);
    Rng rng(3);
    const auto quality = measure_quality(problem, *growing.control, *sampler, true, 1, w, rng);
    EXPECT_NEAR(quality.variance_ratio, error / plain, 1e-10 * error / plain) << naive.name;
  }
}

}  // namespace
}  // namespace s3gd
