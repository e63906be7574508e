// Every estimator's mean over all rows is the full gradient, for any w, snapshot, weights and graph.
#include <gtest/gtest.h>

#include <numeric>

#include "anchor/kmeans.hpp"
#include "model/loss.hpp"
#include "oracle/control.hpp"
#include "support/problems.hpp"

namespace s3gd {
namespace {

using testing::full_row;
using testing::largest_difference;
using testing::naive_margin;
using testing::random_point;
using testing::small_data;
using testing::SmallData;

std::vector<double> naive_gradient(const Problem& problem, const std::vector<double>& w) {
  const Loss loss(problem.spec().loss);
  std::vector<double> sum(w.size(), 0.0);
  for (Index i = 0; i < problem.rows(); ++i) {
    const double slope =
        loss.slope(naive_margin(problem, i, w), problem.targets()[static_cast<std::size_t>(i)]) * problem.weight(i);
    const auto row = full_row(problem, i);
    for (std::size_t j = 0; j < row.size(); ++j) sum[j] += slope * row[j];
  }
  return sum;
}

// The drift the iterate really uses: what one step of size 1 without rows moves it by (there is no penalty).
template <class T>
std::vector<double> observed_drift(Iterate<T>& iterate, const std::vector<double>& w) {
  std::vector<double> after(w.size());
  iterate.assign(w);
  iterate.set_step_size(1.0);
  iterate.step({}, nullptr);
  iterate.read(after);
  std::vector<double> drift(w.size());
  for (std::size_t j = 0; j < w.size(); ++j) drift[j] = w[j] - after[j];
  return drift;
}

struct Case {
  LossKind loss;
  bool weighted;
  ClassWeight class_weight;
  Intercept intercept;
};

template <class T>
void check(const Estimator& estimator, const Case& c, bool sparse, IterateForm form) {
  SmallData shape;
  shape.weighted = c.weighted;
  shape.regression = c.loss == LossKind::squared;
  ProblemSpec spec;
  spec.loss.kind = c.loss;
  spec.penalty.kind = PenaltyKind::none;
  spec.class_weight = c.class_weight;
  spec.intercept = c.intercept;
  const Problem problem(small_data<T>(shape, sparse), spec);
  const Penalty penalty(spec.penalty, problem.cols(), spec.intercept);
  GraphOptions graph_options;
  graph_options.anchors = 6;
  graph_options.neighbours = 3;
  const Graph graph = build_graph(problem.x(), graph_options);
  const auto control = estimator.build<T>({problem, &graph});
  const auto iterate = make_iterate<T>(problem, penalty, control->basis(), form);
  const auto sampler = make_sampler(Sampling::weighted, problem, 4);

  const auto snapshot = random_point(problem.dim(), 11);
  iterate->assign(snapshot);
  iterate->set_step_size(0.01);
  control->refresh(*iterate);
  // A few steps, so that tables and snapshots differ from the point looked at.
  Rng rng(5);
  Batch batch;
  const Loss loss(spec.loss);
  for (int step = 0; step < 5 && !estimator.fixed_inner; ++step) {
    sampler->next(rng, batch);
    std::vector<double> u(batch.rows.size()), slopes(u.size());
    iterate->margins(batch.rows, u.data());
    for (std::size_t b = 0; b < u.size(); ++b)
      slopes[b] = loss.slope(u[b], problem.targets()[static_cast<std::size_t>(batch.rows[b])]);
    control->coefficients(batch, u.data(), slopes.data());
    iterate->step(batch.rows, slopes.data());
    control->after_step(batch, *iterate);
  }
  if (!estimator.fixed_inner) control->refresh(*iterate);  // an adaptive share has learned something by now

  const auto w = estimator.fixed_inner ? snapshot : random_point(problem.dim(), 12);
  const auto drift = observed_drift(*iterate, w);
  iterate->assign(w);
  std::vector<Index> rows(static_cast<std::size_t>(problem.rows()));
  std::iota(rows.begin(), rows.end(), Index{0});
  std::vector<double> u(rows.size()), h(rows.size());
  iterate->margins(rows, u.data());
  control->control(rows, u.data(), h.data());
  std::vector<double> mean = drift;
  for (const Index i : rows) {
    const auto at = static_cast<std::size_t>(i);
    const double residual = loss.slope(u[at], problem.targets()[at]) - h[at];
    const auto row = full_row(problem, i);
    for (std::size_t j = 0; j < row.size(); ++j) mean[j] += problem.weight(i) * residual * row[j];
  }
  const double tolerance = std::is_same_v<T, float> ? 1e-5 : 1e-12;
  EXPECT_LE(largest_difference(mean, naive_gradient(problem, w)), tolerance)
      << estimator.name << " loss " << static_cast<int>(c.loss) << (sparse ? " sparse" : " dense") << " form "
      << static_cast<int>(form) << (std::is_same_v<T, float> ? " float" : " double");
}

TEST(Estimators, MeanOverAllRowsIsTheFullGradientForAnySnapshotWeightsAndGraph) {
  const std::vector<Case> cases{
      {LossKind::logistic, false, ClassWeight::none, Intercept::free},
      {LossKind::logistic, true, ClassWeight::paper, Intercept::regularised},
      {LossKind::squared, true, ClassWeight::none, Intercept::free},
      {LossKind::squared_hinge, false, ClassWeight::balanced, Intercept::none},
      {LossKind::smooth_hinge, true, ClassWeight::none, Intercept::free},
  };
  for (const Estimator& estimator : estimator_table())
    for (const Case& c : cases)
      for (const bool sparse : {false, true})
        for (const IterateForm form : {IterateForm::eager, IterateForm::scaled, IterateForm::lazy}) {
          if (!sparse && form != IterateForm::eager) continue;
          check<float>(estimator, c, sparse, form);
          check<double>(estimator, c, sparse, form);
        }
}

}  // namespace
}  // namespace s3gd
