// The forms of the iterate make the same steps: lazy = scaled = eager, for every separable penalty and estimator.
#include "oracle/iterate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "model/loss.hpp"
#include "oracle/control.hpp"
#include "support/problems.hpp"

namespace s3gd {
namespace {

using testing::largest_difference;
using testing::small_data;
using testing::SmallData;

struct Setting {
  PenaltyKind penalty;
  Intercept intercept;
  bool factors;
};

template <class T>
std::vector<double> run_steps(const Problem& problem, const Estimator& estimator, const Graph& graph, IterateForm form,
                              int steps) {
  const Penalty penalty(problem.spec().penalty, problem.cols(), problem.spec().intercept);
  const auto control = estimator.build<T>({problem, &graph});
  const auto iterate = make_iterate<T>(problem, penalty, control->basis(), form);
  const auto sampler = make_sampler(Sampling::weighted, problem, 3);
  const Loss loss(problem.spec().loss);
  iterate->set_step_size(0.05);
  Rng rng(2);
  Batch batch;
  std::vector<double> u, slopes;
  for (int step = 0; step < steps; ++step) {
    if (step % (estimator.fixed_inner ? 1 : estimator.inner) == 0) control->refresh(*iterate);
    sampler->next(rng, batch);
    u.resize(batch.rows.size());
    slopes.resize(batch.rows.size());
    iterate->margins(batch.rows, u.data());
    for (std::size_t b = 0; b < u.size(); ++b)
      slopes[b] = loss.slope(u[b], problem.targets()[static_cast<std::size_t>(batch.rows[b])]);
    control->coefficients(batch, u.data(), slopes.data());
    iterate->step(batch.rows, slopes.data());
    control->after_step(batch, *iterate);
  }
  std::vector<double> w(static_cast<std::size_t>(problem.dim()));
  iterate->read(w);
  return w;
}

template <class T>
void compare_forms(const Setting& setting, const std::vector<std::string>& estimators, int steps) {
  SmallData shape;
  shape.rows = 50;
  shape.cols = 40;
  shape.density = 0.05;
  ProblemSpec spec;
  spec.penalty.kind = setting.penalty;
  spec.penalty.lambda = setting.penalty == PenaltyKind::l1 ? 3e-3 : 1e-2;
  spec.intercept = setting.intercept;
  if (setting.factors)
    for (Index j = 0; j < shape.cols; ++j) spec.penalty.factors.push_back(0.25 * static_cast<double>(j % 5));
  const Problem problem(small_data<T>(shape, true), spec);
  const Penalty penalty(spec.penalty, problem.cols(), spec.intercept);
  GraphOptions graph_options;
  graph_options.anchors = 5;
  graph_options.neighbours = 2;
  const Graph graph = build_graph(problem.x(), graph_options);
  for (const std::string& name : estimators) {
    const Estimator& estimator = *find_estimator(name);
    const auto eager = run_steps<T>(problem, estimator, graph, IterateForm::eager, steps);
    // Every step rounds every coordinate once.
    double largest = 1;
    for (const double value : eager) largest = std::max(largest, std::abs(value));
    const double tolerance = steps * static_cast<double>(std::numeric_limits<T>::epsilon()) * largest;
    const auto lazy = run_steps<T>(problem, estimator, graph, IterateForm::lazy, steps);
    EXPECT_LE(largest_difference(eager, lazy), tolerance)
        << name << " lazy, penalty " << static_cast<int>(setting.penalty);
    if (!penalty.uniform_shrink()) continue;
    const auto scaled = run_steps<T>(problem, estimator, graph, IterateForm::scaled, steps);
    EXPECT_LE(largest_difference(eager, scaled), tolerance) << name << " scaled";
  }
}

TEST(Iterate, LazyAndScaledEqualEagerOver10000StepsForEverySeparablePenalty) {
  const std::vector<std::string> estimators{"sgd", "svrg", "s3gd", "saga"};
  for (const Setting& setting : std::vector<Setting>{{PenaltyKind::l2, Intercept::free, false},
                                                     {PenaltyKind::l2, Intercept::regularised, false},
                                                     {PenaltyKind::l2, Intercept::none, true},
                                                     {PenaltyKind::none, Intercept::free, false},
                                                     {PenaltyKind::l1, Intercept::free, false},
                                                     {PenaltyKind::l1, Intercept::free, true},
                                                     {PenaltyKind::elastic_net, Intercept::regularised, true}}) {
    compare_forms<double>(setting, estimators, 10000);
    compare_forms<float>(setting, estimators, 10000);
  }
}

// A step of the eager form against the formula, written out: w <- prox(w - eta (sum c_i x_i + drift)).
TEST(Iterate, AStepIsTheProximalStepAsWritten) {
  for (const PenaltyKind kind : {PenaltyKind::l2, PenaltyKind::l1, PenaltyKind::elastic_net, PenaltyKind::l1_l2norm}) {
    for (const bool sparse : {false, true}) {
      ProblemSpec spec;
      spec.penalty.kind = kind;
      spec.penalty.lambda = 0.1;
      const Problem problem(small_data<double>({}, sparse), spec);
      const Penalty penalty(spec.penalty, problem.cols(), spec.intercept);
      const auto iterate = make_iterate<double>(problem, penalty);
      const auto start = testing::random_point(problem.dim(), 1);
      const auto drift = testing::random_point(problem.dim(), 2);
      iterate->assign(start);
      iterate->set_step_size(0.3);
      iterate->set_drift(drift);
      const std::vector<Index> rows{4, 9, 4};
      const std::vector<double> c{0.5, -1.0, 0.25};
      iterate->step(rows, c.data());
      std::vector<double> got(start.size()), want = start;
      iterate->read(got);
      for (std::size_t j = 0; j < want.size(); ++j) {
        want[j] -= 0.3 * drift[j];
        for (std::size_t b = 0; b < rows.size(); ++b) want[j] -= 0.3 * c[b] * testing::full_row(problem, rows[b])[j];
      }
      penalty.prox(0.3, std::span<double>(want));
      EXPECT_LE(largest_difference(got, want), 1e-13) << static_cast<int>(kind) << sparse;
    }
  }
}

}  // namespace
}  // namespace s3gd
