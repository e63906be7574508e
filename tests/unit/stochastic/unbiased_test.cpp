// Every estimator's mean over all rows is the full gradient, for any w, snapshot, weights, graph and number of outputs.
#include <gtest/gtest.h>

#include <numeric>

#include "anchor/kmeans.hpp"
#include "stochastic/control.hpp"
#include "support/naive_outputs.hpp"

namespace s3gd {
namespace {

using testing::largest_difference;
using testing::NaiveOutputs;
using testing::random_point;
using testing::Vector;

template <class T>
void check(const Estimator& estimator, const NaiveOutputs& naive, IterateForm form,
           Propagation propagation = Propagation::constant) {
  const StochasticProblem& problem = naive.problem;
  GraphOptions graph_options;
  graph_options.anchors = 6;
  graph_options.neighbours = 3;
  const Graph graph = build_graph(problem->x(), graph_options);
  const auto control = estimator.build<T>({.problem = problem, .graph = &graph, .propagation = propagation});
  const auto iterate = make_iterate<T>(problem, control->basis(), form);
  const auto sampler = make_sampler(Sampling::weighted, problem, 4);

  const auto snapshot = random_point(problem->dim(), 11);
  iterate->assign(snapshot);
  iterate->set_step_size(0.01);
  control->refresh(*iterate);
  // A few steps, so that tables and snapshots differ from the point looked at.
  Rng rng(5);
  Batch batch;
  for (int step = 0; step < 5 && !estimator.fixed_inner; ++step) {
    sampler->next(rng, batch);
    testing::make_step(problem, *control, *iterate, batch);
  }
  if (!estimator.fixed_inner) control->refresh(*iterate);  // an adaptive share has learned something by now

  const auto w = estimator.fixed_inner ? snapshot : random_point(problem->dim(), 12);
  const Vector drift = testing::observed_drift(*iterate, w);
  iterate->assign(w);
  std::vector<Index> rows(static_cast<std::size_t>(problem->rows()));
  std::iota(rows.begin(), rows.end(), Index{0});
  Vector u(rows.size() * naive.outputs()), slopes(u.size()), h(u.size());
  iterate->margins(rows, u.data());
  problem->slopes(rows, u.data(), slopes.data());
  control->control(rows, u.data(), h.data());
  Vector mean = naive.mean_over(rows, [&](Index i) {
    Vector residual;
    for (std::size_t place = static_cast<std::size_t>(i) * naive.outputs(); residual.size() < naive.outputs(); ++place)
      residual.push_back(slopes[place] - h[place]);
    return residual;
  });
  for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += drift[j];
  const Vector gradient = naive.mean_over(rows, [&](Index i) { return naive.slopes_at(i, w); });
  const double tolerance = std::is_same_v<T, float> ? 1e-5 : 1e-12;
  EXPECT_LE(largest_difference(mean, gradient), tolerance)
      << estimator.name << " " << naive.name << " form " << static_cast<int>(form)
      << (std::is_same_v<T, float> ? " float" : " double");
}

TEST(Estimators, MeanOverAllRowsIsTheFullGradientForAnySnapshotWeightsGraphAndOutputs) {
  for (const Estimator& estimator : estimator_table())
    for (const bool sparse : {false, true})
      for (const IterateForm form : {IterateForm::eager, IterateForm::scaled, IterateForm::lazy}) {
        if (!sparse && form != IterateForm::eager) continue;
        for (const NaiveOutputs& naive : testing::unpenalised_problems<float>(sparse))
          check<float>(estimator, naive, form);
        for (const NaiveOutputs& naive : testing::unpenalised_problems<double>(sparse))
          check<double>(estimator, naive, form);
      }
}

TEST(Estimators, MeanOverAllRowsIsTheFullGradientForAnyReference) {
  const Estimator& s3gd = *find_estimator("s3gd");
  for (const Propagation propagation : {Propagation::linear, Propagation::slope})
    for (const bool sparse : {false, true})
      for (const IterateForm form : {IterateForm::eager, IterateForm::scaled, IterateForm::lazy}) {
        if (!sparse && form != IterateForm::eager) continue;
        for (const NaiveOutputs& naive : testing::unpenalised_problems<float>(sparse))
          check<float>(s3gd, naive, form, propagation);
        for (const NaiveOutputs& naive : testing::unpenalised_problems<double>(sparse))
          check<double>(s3gd, naive, form, propagation);
      }
}

// What the estimators take from a problem, against loops.
TEST(Outputs, SlopesGradientsAndSumsAreTheFormulas) {
  for (const bool sparse : {false, true})
    for (const NaiveOutputs& naive : testing::unpenalised_problems<double>(sparse)) {
      SCOPED_TRACE(naive.name);
      const StochasticProblem& problem = naive.problem;
      const auto w = random_point(problem->dim(), 3);
      std::vector<Index> rows(static_cast<std::size_t>(problem->rows()));
      std::iota(rows.begin(), rows.end(), Index{0});
      Vector expected, slopes(rows.size() * naive.outputs()), gradient(w.size()), u(slopes.size()), same(slopes.size());
      for (const Index i : rows)
        for (const double slope : naive.slopes_at(i, w)) expected.push_back(slope);
      problem->gradient(w, gradient, slopes);
      problem->margins(w, u);
      problem->slopes(rows, u.data(), same.data());
      EXPECT_LE(largest_difference(slopes, expected), 1e-12);
      EXPECT_LE(largest_difference(same, expected), 1e-12);
      const Vector mean = naive.mean_over(rows, [&](Index i) { return naive.slopes_at(i, w); });
      EXPECT_LE(largest_difference(gradient, mean), 1e-12);
      for (std::size_t place = 0; place < same.size(); ++place)
        same[place] *= problem->weight(static_cast<Index>(place / naive.outputs()));
      problem->transpose_times(same, gradient);
      EXPECT_LE(largest_difference(gradient, mean), 1e-12);
      // The losses of some rows, by differences of their sum: its slopes are those of the rows.
      const std::vector<Index> some{4, 9};
      const Vector weights{0.7, 0.2};
      Vector at = u;
      at.assign(u.begin() + 4 * problem->outputs(), u.begin() + 5 * problem->outputs());
      at.insert(at.end(), u.begin() + 9 * problem->outputs(), u.begin() + 10 * problem->outputs());
      const double step = 1e-6;
      for (std::size_t place = 0; place < at.size(); ++place) {
        Vector up = at, down = at;
        up[place] += step;
        down[place] -= step;
        const double slope =
            (problem->loss(some, weights.data(), up.data()) - problem->loss(some, weights.data(), down.data())) /
            (2 * step);
        const std::size_t b = place / naive.outputs();
        EXPECT_NEAR(
            slope, weights[b] * expected[static_cast<std::size_t>(some[b]) * naive.outputs() + place % naive.outputs()],
            1e-8);
      }
    }
}

}  // namespace
}  // namespace s3gd
