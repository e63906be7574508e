#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "problem/judged_rows.hpp"
#include "s3gd/error.hpp"
#include "s3gd/path.hpp"
#include "saved/score.hpp"
#include "select/folds.hpp"
#include "support/random_problem.hpp"

namespace s3gd {
namespace {

using testing::random_sample;
using testing::Sample;
using testing::Vector;

// Every pair of a positive and a negative row.
double slow_auc(const Vector& u, const Vector& y, const Vector& weights) {
  double won = 0, pairs = 0;
  for (std::size_t i = 0; i < u.size(); ++i)
    for (std::size_t k = 0; k < u.size(); ++k) {
      if (!(y[i] > 0) || y[k] > 0) continue;
      const double weight = weights.empty() ? 1 : weights[i] * weights[k];
      won += weight * (u[i] > u[k] ? 1.0 : u[i] == u[k] ? 0.5 : 0.0);
      pairs += weight;
    }
  return won / pairs;
}

double slow_score(ScoreKind metric, const Vector& u, const Vector& y, const Vector& w) {
  double total = 0, sum = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    const double weight = w.empty() ? 1 : w[i], p = 1 / (1 + std::exp(-u[i]));
    total += weight;
    if (metric == ScoreKind::accuracy) sum += weight * ((u[i] > 0 ? 1 : -1) == y[i]);
    if (metric == ScoreKind::log_loss) sum -= weight * std::log(y[i] > 0 ? p : 1 - p);
    if (metric == ScoreKind::rmse) sum += weight * (u[i] - y[i]) * (u[i] - y[i]);
    if (metric == ScoreKind::deviance)
      sum += 2 * weight * (std::exp(u[i]) - y[i] + (y[i] > 0 ? y[i] * (std::log(y[i]) - u[i]) : 0));
    if (metric == ScoreKind::mae) sum += weight * std::abs(u[i] - y[i]);
  }
  if (metric == ScoreKind::auc) return slow_auc(u, y, w);
  return metric == ScoreKind::rmse ? std::sqrt(sum / total) : sum / total;
}

TEST(Score, AgreesWithItsDefinition) {
  Rng rng(4);
  Vector u, y, weights;
  for (int i = 0; i < 90; ++i) {
    u.push_back(static_cast<double>(rng.below(9)) - 4);  // with ties, and margins of exactly zero
    y.push_back(rng.uniform() < 0.4 ? 1 : -1);
    weights.push_back(rng.uniform());
  }
  Model classifier;  // whose margin is the only column
  classifier.weights = {1};
  Model regression = classifier;
  classifier.classes = {"-1", "1"};
  classifier.link = Link::logistic;
  for (const Vector& w : {Vector(), weights}) {
    Dataset rows;
    rows.x = Matrix::own_dense(Vector(u), static_cast<Index>(u.size()), 1);
    rows.y = {Array<double>(y), LabelKind::classes, {}};
    if (!w.empty()) rows.weights = Array<double>(w);
    for (const ScoreKind metric : {ScoreKind::accuracy, ScoreKind::log_loss, ScoreKind::auc})
      EXPECT_NEAR(Judge(metric, classifier, rows)(u), slow_score(metric, u, y, w), 1e-12);
    for (const ScoreKind metric : {ScoreKind::rmse, ScoreKind::mae})
      EXPECT_NEAR(Judge(metric, regression, rows)(u), slow_score(metric, u, y, w), 1e-13);
  }
}

Problem problem_on(const Sample& sample, const LossSpec& loss, PenaltyKind kind, int threads = 1,
                   bool weighted = true) {
  ProblemSpec spec;
  spec.loss = loss;
  spec.penalty.kind = kind;
  spec.class_weight = !Loss(loss).classifies() ? ClassWeight::none : ClassWeight::balanced;
  spec.threads = threads;
  return Problem(sample.data(sample.table.csr<float, std::int32_t>(), loss, weighted), spec);
}

std::vector<std::pair<LossSpec, bool>> losses_and_weights() {
  std::vector<std::pair<LossSpec, bool>> all;
  for (const LossSpec& loss : testing::all_losses()) all.emplace_back(loss, true);
  all.emplace_back(LossSpec{LossKind::squared}, false);
  return all;
}

double margin(const Problem& problem, Index row, const Vector& w, const Sample& sample) {
  double u = w.back();
  for (Index j = 0; j < problem.cols(); ++j) u += w[static_cast<std::size_t>(j)] * sample.table.at(row, j);
  return u;
}

// Without weights, squared losses have products of columns that folds share.
TEST(CrossValidation, EqualsFitsToCopiesOfTheRows) {
  const Sample sample = random_sample(140, 6, 41);
  for (const auto& [loss, weighted] : losses_and_weights()) {
    const Problem problem = problem_on(sample, loss, PenaltyKind::l1, 1, weighted);
    CrossValidationOptions options;
    options.folds = 4;
    options.metric = usual_metric(problem);
    // Where all margins are zero up to rounding, as in a balanced null model, the accuracy is anything.
    if (options.metric == ScoreKind::accuracy) options.metric = ScoreKind::auc;
    options.lambdas = lambda_grid(problem, {.count = 5, .ratio = 1e-2});
    options.solve.tol = 1e-10;
    options.solve.seed = 7;
    const CrossValidation result = cross_validate(problem, options);
    EXPECT_EQ(result.status, Status::converged);
    ASSERT_EQ(result.points.size(), 5U);
    const auto dealt = deal_folds(problem.data(), 4, 7);
    OptimumOptions exactly;
    exactly.tol = 1e-13;
    for (std::size_t fold = 0; fold < 4; ++fold) {
      std::vector<Index> others;
      for (std::size_t k = 0; k < 4; ++k)
        if (k != fold) others.insert(others.end(), dealt[k].begin(), dealt[k].end());
      for (const ScoredLambda& point : result.points) {
        const Problem copied(take_rows(problem.data(), others), with_lambda(problem, point.lambda).spec());
        const Vector w = solve_reference(copied, exactly).w;
        Vector u, y, weights;
        for (const Index row : dealt[fold]) {
          u.push_back(margin(problem, row, w, sample));
          y.push_back(problem.targets()[static_cast<std::size_t>(row)]);
          weights.push_back(weighted ? problem.data().weights[row] : 1.0);
        }
        EXPECT_NEAR(point.scores[fold], slow_score(options.metric, u, y, weights), 1e-4);
      }
    }
  }
}

TEST(CrossValidation, OfGivenRowsEqualsFitsToThem) {
  const Sample sample = random_sample(140, 6, 41);
  const Problem problem = problem_on(sample, {}, PenaltyKind::l1);
  CrossValidationOptions options;
  options.splits.resize(2);
  for (Index i = 0; i < 140; ++i) {
    (i % 3 == 0 ? options.splits[0].test : options.splits[0].train).push_back(i);
    (i < 100 ? options.splits[1].train : options.splits[1].test).push_back(i);
  }
  options.lambdas = {0.1, 0.01};
  options.solve.tol = 1e-10;
  OptimumOptions exactly;
  exactly.tol = 1e-13;
  for (const ScoredLambda& point : cross_validate(problem, options).points)
    for (std::size_t fold = 0; fold < 2; ++fold) {
      const Problem copied(take_rows(problem.data(), options.splits[fold].train),
                           with_lambda(problem, point.lambda).spec());
      const Vector w = solve_reference(copied, exactly).w;
      Vector u, y, weights;
      for (const Index row : options.splits[fold].test) {
        u.push_back(margin(problem, row, w, sample));
        y.push_back(problem.targets()[static_cast<std::size_t>(row)]);
        weights.push_back(problem.data().weights[row]);
      }
      EXPECT_NEAR(point.scores[fold], slow_score(ScoreKind::log_loss, u, y, weights), 1e-4);
    }
}

TEST(CrossValidation, ItsPathIsThePathOnAllRows) {
  const Sample sample = random_sample(120, 6, 42);
  const Problem problem = problem_on(sample, {}, PenaltyKind::elastic_net);
  CrossValidationOptions options;
  options.lambdas = lambda_grid(problem, {.count = 6});
  const CrossValidation result = cross_validate(problem, options);
  const Path path = solve_path(problem, options.lambdas, options.solve);
  ASSERT_EQ(result.path.points.size(), path.points.size());
  for (std::size_t k = 0; k < path.points.size(); ++k) {
    EXPECT_EQ(result.path.points[k].w, path.points[k].w);
    EXPECT_EQ(result.points[k].lambda, path.points[k].lambda);
  }
}

TEST(CrossValidation, ChoosesAsTheRulesSay) {
  const Sample sample = random_sample(150, 6, 43, 0.5, 3.0);
  for (const ScoreKind metric : {ScoreKind::log_loss, ScoreKind::accuracy, ScoreKind::auc}) {
    const Problem problem = problem_on(sample, {}, PenaltyKind::l1);
    CrossValidationOptions options;
    options.metric = metric;
    options.lambdas = lambda_grid(problem, {.count = 12, .ratio = 1e-3});
    const CrossValidation result = cross_validate(problem, options);
    // Slow and obvious: means and errors again, the best by looking at all, the rule by looking at all.
    const double sign = metric == ScoreKind::log_loss ? -1 : 1;
    std::vector<double> means, errors;
    for (const ScoredLambda& point : result.points) {
      ASSERT_EQ(point.scores.size(), 5U);
      double mean = 0, square = 0;
      for (const double one : point.scores) mean += one / 5;
      for (const double one : point.scores) square += std::pow(one - mean, 2);
      means.push_back(mean);
      errors.push_back(std::sqrt(square / 4) / std::sqrt(5));
      EXPECT_NEAR(point.mean, mean, 1e-14);
      EXPECT_NEAR(point.standard_error, errors.back(), 1e-14);
    }
    for (std::size_t k = 0; k < means.size(); ++k) EXPECT_LE(sign * means[k], sign * means[result.best]);
    const auto within = [&](std::size_t k) {
      return sign * means[k] >= sign * means[result.best] - errors[result.best] * (1 + 1e-12);
    };
    EXPECT_TRUE(within(result.one_standard_error));
    for (std::size_t k = 0; k < result.one_standard_error; ++k) EXPECT_FALSE(within(k));
    EXPECT_LE(result.one_standard_error, result.best);
  }
}

TEST(CrossValidation, IsTheSameAtAnyNumberOfThreads) {
  const Sample sample = random_sample(3000, 8, 44);
  std::vector<CrossValidation> results;
  for (const int threads : {1, 2, 7}) {
    const Problem problem = problem_on(sample, {}, PenaltyKind::l1, threads);
    CrossValidationOptions options;
    options.lambdas = lambda_grid(problem, {.count = 6});
    results.push_back(cross_validate(problem, options));
  }
  for (const CrossValidation& result : results)
    for (std::size_t k = 0; k < result.points.size(); ++k) {
      EXPECT_EQ(result.points[k].scores, results.front().points[k].scores);
      EXPECT_EQ(result.path.points[k].w, results.front().path.points[k].w);
    }
}

TEST(CrossValidation, RefusesWhatDoesNotFit) {
  const Sample sample = random_sample(60, 5, 45);
  const Problem classes = problem_on(sample, {}, PenaltyKind::l1);
  const Problem hinge = problem_on(sample, {LossKind::squared_hinge}, PenaltyKind::l1);
  const Problem real = problem_on(sample, {LossKind::squared}, PenaltyKind::l1);
  const auto refuses = [](const Problem& problem, ScoreKind metric, Index folds) {
    CrossValidationOptions options;
    options.metric = metric;
    options.folds = folds;
    options.lambdas = {0.1};
    EXPECT_THROW(cross_validate(problem, options), Error);
  };
  refuses(classes, ScoreKind::rmse, 5);
  refuses(real, ScoreKind::balanced_accuracy, 5);
  refuses(classes, ScoreKind::r2, 5);
  refuses(real, ScoreKind::accuracy, 5);
  refuses(hinge, ScoreKind::log_loss, 5);
  refuses(classes, ScoreKind::accuracy, 1);
  refuses(classes, ScoreKind::auc, 55);       // more folds than rows of a class
  refuses(classes, ScoreKind::accuracy, 61);  // more folds than rows
  EXPECT_EQ(usual_metric(classes), ScoreKind::log_loss);
  EXPECT_EQ(usual_metric(hinge), ScoreKind::accuracy);
  EXPECT_EQ(usual_metric(real), ScoreKind::rmse);
}

Dataset with_a_rare_class(Index rare, bool weightless) {
  Dataset data = problem_on(random_sample(40, 4, 47), {}, PenaltyKind::l2).data();
  std::vector<double> labels(40), weights(40, 1.0);
  for (std::size_t i = 0; i < 40; ++i) labels[i] = static_cast<Index>(i) < rare ? 2.0 : static_cast<double>(i % 2);
  if (weightless)
    for (std::size_t i = 0; i < 40; i += 3) weights[i] = 0;
  data.y = {Array<double>(labels), LabelKind::classes, {}};
  data.weights = Array<double>(weights);
  return data;
}

TEST(CrossValidation, TwoRowsOfAClassAreEnough) {
  CrossValidationOptions options;
  options.lambdas = {0.1, 0.01};
  for (const bool weightless : {false, true}) {
    const Dataset rows = with_a_rare_class(weightless ? 3 : 2, weightless);  // row 0 has no weight then
    const SoftmaxProblem softmax(rows, {});
    for (const Task& task : {Task(softmax), Task(OneVsRestProblem(rows, {}))}) {
      const CrossValidation result = cross_validate(task, options);
      EXPECT_EQ(result.status, Status::converged);
      for (const ScoredLambda& point : result.points)
        for (const double score : point.scores) EXPECT_TRUE(std::isfinite(score));
      EXPECT_TRUE(std::any_of(result.advice.begin(), result.advice.end(), [](const Advice& said) {
        return said.sentence().find("class 2: 2") != std::string::npos;
      }));
    }
  }
  const Dataset lonely = with_a_rare_class(1, false);
  EXPECT_THROW(cross_validate(SoftmaxProblem(lonely, {}), options), Error);
}

TEST(CrossValidation, ThatIsCutShortIsJudgedByTheFoldsThatAreDone) {
  const Sample sample = random_sample(100, 5, 46);
  const Problem problem = problem_on(sample, {}, PenaltyKind::l1);
  CrossValidationOptions options;
  options.lambdas = lambda_grid(problem, {.count = 6});
  options.watch = [](Index done, Index of) {
    EXPECT_EQ(of, 36);
    return done < 33;  // in the last fold's path
  };
  const CrossValidation result = cross_validate(problem, options);
  EXPECT_EQ(result.status, Status::interrupted);
  ASSERT_EQ(result.points.size(), 6U);  // four folds are done; the last one's three lambdas are not looked at
  EXPECT_TRUE(std::isnan(result.points[0].scores.back()));
  for (std::size_t fold = 0; fold < 4; ++fold) EXPECT_FALSE(std::isnan(result.points[5].scores[fold]));
}

}  // namespace
}  // namespace s3gd
