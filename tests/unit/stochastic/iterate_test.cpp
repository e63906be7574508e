// The forms of the iterate make the same steps: lazy = scaled = eager, for every separable penalty, estimator and number of outputs.
#include "stochastic/iterate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/naive_outputs.hpp"

namespace s3gd {
namespace {

using testing::largest_difference;
using testing::NaiveOutputs;
using testing::small_data;
using testing::SmallData;
using testing::Vector;

template <class T>
Vector run_steps(const StochasticProblem& problem, const Estimator& estimator, const Graph& graph, IterateForm form,
                 int steps) {
  const auto control = estimator.build<T>({problem, &graph});
  const auto iterate = make_iterate<T>(problem, control->basis(), form);
  const auto sampler = make_sampler(Sampling::weighted, problem, 3);
  iterate->set_step_size(0.05);
  Rng rng(2);
  Batch batch;
  for (int step = 0; step < steps; ++step) {
    if (step % (estimator.fixed_inner ? 1 : estimator.inner) == 0) control->refresh(*iterate);
    sampler->next(rng, batch);
    testing::make_step(problem, *control, *iterate, batch);
  }
  Vector w(static_cast<std::size_t>(problem->dim()));
  iterate->read(w);
  return w;
}

template <class T>
void compare_forms(const StochasticProblem& problem, const std::vector<std::string>& estimators, int steps) {
  GraphOptions graph_options;
  graph_options.anchors = 5;
  graph_options.neighbours = 2;
  const Graph graph = build_graph(problem->x(), graph_options);
  for (const std::string& name : estimators) {
    const Estimator& estimator = *find_estimator(name);
    const auto eager = run_steps<T>(problem, estimator, graph, IterateForm::eager, steps);
    // Every step rounds every coordinate once.
    double largest = 1;
    for (const double value : eager) largest = std::max(largest, std::abs(value));
    const double tolerance = steps * static_cast<double>(std::numeric_limits<T>::epsilon()) * largest;
    const auto lazy = run_steps<T>(problem, estimator, graph, IterateForm::lazy, steps);
    EXPECT_LE(largest_difference(eager, lazy), tolerance) << name << " lazy, " << problem->outputs() << " outputs";
    if (!problem->uniform_shrink()) continue;
    const auto scaled = run_steps<T>(problem, estimator, graph, IterateForm::scaled, steps);
    EXPECT_LE(largest_difference(eager, scaled), tolerance) << name << " scaled, " << problem->outputs() << " outputs";
  }
}

struct Setting {
  PenaltyKind penalty;
  Intercept intercept;
  bool factors;
};

PenaltySpec penalty_of(const Setting& setting, Index cols) {
  PenaltySpec penalty;
  penalty.kind = setting.penalty;
  penalty.lambda = setting.penalty == PenaltyKind::l1 ? 3e-3 : 1e-2;
  for (Index j = 0; j < cols && setting.factors; ++j) penalty.factors.push_back(0.25 * static_cast<double>(j % 5));
  return penalty;
}

template <class T>
Problem one_output(const Setting& setting) {
  SmallData shape;
  shape.rows = 50;
  shape.cols = 40;
  shape.density = 0.05;
  ProblemSpec spec;
  spec.penalty = penalty_of(setting, shape.cols);
  spec.intercept = setting.intercept;
  return Problem(small_data<T>(shape, true), spec);
}

template <class T>
SoftmaxProblem several_outputs(const Setting& setting) {
  const testing::SoftmaxSample sample = testing::softmax_sample(50, 40, 3, 5, 0.05);
  SoftmaxSpec spec;
  spec.penalty = matrix_penalty(penalty_of(setting, 40));
  spec.intercept = setting.intercept;
  return SoftmaxProblem(sample.data(sample.table.csr<T, std::int32_t>()), spec);
}

TEST(Iterate, LazyAndScaledEqualEagerOverThousandsOfStepsForEverySeparablePenaltyAndSeveralOutputs) {
  const std::vector<std::string> estimators{"sgd", "svrg", "s3gd", "saga"};
  for (const Setting& setting : std::vector<Setting>{{PenaltyKind::l2, Intercept::free, false},
                                                     {PenaltyKind::l2, Intercept::regularised, false},
                                                     {PenaltyKind::l2, Intercept::none, true},
                                                     {PenaltyKind::none, Intercept::free, false},
                                                     {PenaltyKind::l1, Intercept::free, false},
                                                     {PenaltyKind::l1, Intercept::free, true},
                                                     {PenaltyKind::elastic_net, Intercept::regularised, true}}) {
    compare_forms<double>(one_output<double>(setting), estimators, 10000);
    compare_forms<float>(one_output<float>(setting), estimators, 10000);
    compare_forms<double>(several_outputs<double>(setting), estimators, 4000);
    compare_forms<float>(several_outputs<float>(setting), estimators, 4000);
  }
}

// Steps against the formula, written out: W <- prox(W - eta (sum x_i c_i' + drift)), and the margins on the way.
void expect_steps_as_written(const NaiveOutputs& naive) {
  const StochasticProblem& problem = naive.problem;
  const auto iterate = make_iterate<double>(problem);
  Vector want = testing::random_point(problem->dim(), 1), got(want.size()), drift;
  iterate->assign(want);
  iterate->set_step_size(0.3);
  for (std::uint64_t round = 0; round < 6; ++round) {
    if (round % 3 == 0) {
      drift = testing::random_point(problem->dim(), 2 + round);
      iterate->set_drift(drift);
    }
    const std::vector<Index> rows{static_cast<Index>(4 + round), 9, static_cast<Index>(4 + round)};
    const Vector c = testing::random_point(static_cast<Index>(rows.size()) * problem->outputs(), 20 + round);
    Vector u(c.size()), expected;
    iterate->margins(rows, u.data());
    for (const Index row : rows)
      for (const double margin : naive.margins(row, want)) expected.push_back(margin);
    EXPECT_LE(largest_difference(u, expected), 1e-12) << naive.name;
    iterate->step(rows, c.data());
    for (std::size_t j = 0; j < want.size(); ++j) want[j] -= 0.3 * drift[j];
    for (std::size_t b = 0; b < rows.size(); ++b)
      naive.add(-0.3, rows[b],
                Vector(c.begin() + static_cast<std::ptrdiff_t>(b * naive.outputs()),
                       c.begin() + static_cast<std::ptrdiff_t>((b + 1) * naive.outputs())),
                want);
    problem->prox(0.3, want);
    iterate->read(got);
    EXPECT_LE(largest_difference(got, want), 1e-12) << naive.name;
  }
}

TEST(Iterate, AStepIsTheProximalStepAsWritten) {
  for (const bool sparse : {false, true}) {
    for (const PenaltyKind kind :
         {PenaltyKind::l2, PenaltyKind::l1, PenaltyKind::elastic_net, PenaltyKind::l1_l2norm}) {
      ProblemSpec spec;
      spec.penalty.kind = kind;
      spec.penalty.lambda = 0.1;
      expect_steps_as_written(testing::naive_outputs(Problem(small_data<double>({}, sparse), spec),
                                                     "penalty " + std::to_string(static_cast<int>(kind))));
    }
    const auto sample = testing::softmax_sample(30, 5, 3, 53);
    auto penalties = testing::matrix_penalties();
    penalties.push_back({MatrixPenaltyKind::none, 0, 0.5, {}});
    penalties.push_back({MatrixPenaltyKind::l2, 0.1, 0.5, {1, 2, 0, 1, 1}});
    for (const auto& penalty : penalties)
      for (const auto intercept : testing::kIntercepts) {
        SoftmaxSpec spec;
        spec.penalty = penalty;
        spec.intercept = intercept;
        expect_steps_as_written(
            testing::naive_outputs(SoftmaxProblem(sample.data(testing::matrix_of<double>(sample.table, sparse)), spec),
                                   name_of(penalty.kind)));
      }
  }
}

}  // namespace
}  // namespace s3gd
