#include <gtest/gtest.h>

#include <cmath>

#include "s3gd/error.hpp"
#include "s3gd/path.hpp"
#include "select/folds.hpp"
#include "select/walk.hpp"
#include "solve/inputs.hpp"
#include "support/blobs.hpp"
#include "support/softmax_sample.hpp"

namespace s3gd {
namespace {

using testing::blobs;
using testing::kIntercepts;
using testing::matrix_penalties;
using testing::softmax_sample;
using testing::SoftmaxSample;
using testing::Vector;

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

struct Case {
  MatrixPenaltySpec penalty;
  Intercept intercept;
  bool weighted;
};

// Every penalty, with factors where it takes them, one of them zero, and every intercept.
std::vector<Case> softmax_cases() {
  std::vector<Case> cases;
  for (MatrixPenaltySpec penalty : matrix_penalties())
    for (const Intercept intercept : kIntercepts)
      for (const bool factors : {false, true}) {
        if (factors && penalty.kind == MatrixPenaltyKind::nuclear) continue;
        penalty.factors = factors ? Vector{1, 0.5, 0, 2, 3} : Vector();
        cases.push_back({penalty, intercept, factors});
      }
  return cases;
}

std::string describe(const Case& one) {
  return std::string(name_of(one.penalty.kind)) + (one.penalty.factors.empty() ? "" : " with factors") + " intercept " +
         std::to_string(static_cast<int>(one.intercept));
}

SoftmaxProblem problem_of(const Case& one, const SoftmaxSample& sample) {
  SoftmaxSpec spec;
  spec.penalty = one.penalty;
  spec.intercept = one.intercept;
  return SoftmaxProblem(sample.data(sample.table.dense<double>(), one.weighted), spec);
}

bool penalised(const SoftmaxProblem& problem, Index coordinate) {
  const Index j = coordinate / problem.classes();
  if (j == problem.cols()) return problem.spec().intercept == Intercept::regularised;
  const auto& factors = problem.spec().penalty.factors;
  return factors.empty() || factors[at(j)] > 0;
}

// The largest weight that the penalty holds back.
double reach(const SoftmaxProblem& problem, const Vector& w) {
  double largest = 0;
  for (Index c = 0; c < problem.dim(); ++c)
    if (penalised(problem, c)) largest = std::max(largest, std::abs(w[at(c)]));
  return largest;
}

TEST(NullModel, HasNoSlopeLeftInWhatIsFree) {
  const SoftmaxSample sample = softmax_sample(90, 5, 4, 31);
  for (const Case& one : softmax_cases()) {
    const SoftmaxProblem problem = problem_of(one, sample);
    const NullModel null = fit_null_model(problem);
    Vector gradient;
    EXPECT_NEAR(testing::naive_loss(problem, sample.table, null.w, gradient), null.loss, 1e-13);
    for (Index c = 0; c < problem.dim(); ++c) {
      EXPECT_NEAR(gradient[at(c)], null.gradient[at(c)], 1e-13);
      if (penalised(problem, c))
        EXPECT_EQ(null.w[at(c)], 0) << describe(one);
      else
        EXPECT_NEAR(gradient[at(c)], 0, one.penalty.factors.empty() ? 1e-14 : 1e-9) << describe(one);
    }
  }
}

TEST(SoftmaxLargestLambda, IsExactToRounding) {
  // Zero is optimal when the slopes are within the penalty's bounds: the condition itself, a hair above and below.
  const SoftmaxSample sample = softmax_sample(90, 5, 4, 32);
  for (const Case& one : softmax_cases()) {
    if (one.penalty.kind == MatrixPenaltyKind::l2) continue;
    const SoftmaxProblem problem = problem_of(one, sample);
    const double largest = largest_lambda(problem);
    const Vector null = fit_null_model(problem).w;
    const auto moves = [&](double lambda) {
      Vector gradient, w = null;
      testing::naive_loss(problem, sample.table, null, gradient);
      for (Index c = 0; c < problem.dim(); ++c)
        if (penalised(problem, c)) w[at(c)] = -gradient[at(c)];
      MatrixPenalty(with_lambda(problem, lambda)).prox(1.0, w);
      return reach(problem, w) > 1e-14;
    };
    EXPECT_FALSE(moves(largest * (1 + 1e-11))) << describe(one);
    EXPECT_TRUE(moves(largest * (1 - 1e-11))) << describe(one);
  }
}

TEST(SoftmaxLargestLambda, JustHoldsEveryPenalisedWeightAtZero) {
  const SoftmaxSample sample = softmax_sample(60, 5, 3, 33);
  for (const Case& one : softmax_cases()) {
    if (one.penalty.kind == MatrixPenaltyKind::l2) continue;
    const SoftmaxProblem problem = problem_of(one, sample);
    const double largest = largest_lambda(problem);
    // An independent solver that knows nothing of paths, on either side.
    const auto reached = [&](double lambda) {
      const SoftmaxProblem here = with_lambda(problem, lambda);
      return reach(here, testing::solve_softmax_slowly(here, sample.table, 3000));
    };
    EXPECT_LT(reached(1.0001 * largest), 1e-12) << describe(one);
    EXPECT_GT(reached(0.99 * largest), 1e-5) << describe(one);
  }
}

TEST(SoftmaxLargestLambda, LeavesAWeakerL2WithinAPercentOfTheNullModel) {
  const SoftmaxSample sample = softmax_sample(90, 5, 4, 34);
  for (const Intercept intercept : kIntercepts) {
    const SoftmaxProblem problem = problem_of({{}, intercept, true}, sample);
    const double null = fit_null_model(problem).loss, largest = largest_lambda(problem);
    SolveOptions exactly;
    exactly.tol = 1e-8;
    const double best = solve_softmax(with_lambda(problem, largest), exactly).summary.objective;
    EXPECT_GE(best, 0.99 * null);
    EXPECT_LT(solve_softmax(with_lambda(problem, 0.1 * largest), exactly).summary.objective, best);
  }
}

TEST(SoftmaxPath, EveryPointIsWhatAColdFitFinds) {
  const SoftmaxSample sample = softmax_sample(150, 5, 4, 35);
  for (const Case& one : softmax_cases()) {
    const SoftmaxProblem problem = problem_of(one, sample);
    const Task task = problem;
    const auto lambdas = lambda_grid(task, {.count = 6, .ratio = 1e-2});
    SolveOptions options;
    options.tol = 1e-6;
    const Path path = solve_path(task, lambdas, options);
    ASSERT_EQ(path.points.size(), lambdas.size());
    EXPECT_EQ(path.status, Status::converged) << describe(one);
    ASSERT_EQ(path.advice.size(), 1U);  // nothing about lambdas
    EXPECT_NE(path.advice[0].sentence().find("rows are all zero"), std::string::npos);
    for (const PathPoint& point : path.points) {
      const SoftmaxProblem here = with_lambda(problem, point.lambda);
      const double slow = objective(here, testing::solve_softmax_slowly(here, sample.table, 4000));
      EXPECT_LE(point.certificate.primal - slow, 1e-6 * slow + 1e-9) << describe(one) << " " << point.lambda;
      EXPECT_EQ(point.rank.has_value(), one.penalty.kind == MatrixPenaltyKind::nuclear);
      // Class by class: the model made of it says what the objective says.
      const Model model = task.with_lambda(point.lambda).model(point.w);
      ASSERT_EQ(model.outputs(), 4);
      Vector native;
      for (Index j = 0; j < problem.features(); ++j)
        for (Index k = 0; k < 4; ++k)
          native.push_back(j == problem.cols() ? model.intercepts[at(k)] : model.weights_of(k)[at(j)]);
      EXPECT_NEAR(objective(here, native), point.certificate.primal, 1e-12);
      EXPECT_EQ(model.penalty_name(), name_of(one.penalty.kind));
      EXPECT_EQ(model.penalty.lambda, point.lambda);
    }
  }
}

TEST(SoftmaxPath, CountsWeightsAndFeatures) {
  const SoftmaxSample sample = softmax_sample(150, 5, 4, 36);
  for (const MatrixPenaltyKind kind : {MatrixPenaltyKind::l1, MatrixPenaltyKind::group_lasso}) {
    const SoftmaxProblem problem = problem_of({{kind, 1, 0.5, {}}, Intercept::free, false}, sample);
    const Path path = solve_path(problem, lambda_grid(problem, {.count = 5, .ratio = 1e-2}));
    EXPECT_EQ(path.points.front().nonzeros, 0);
    EXPECT_EQ(path.points.front().features, 0);
    EXPECT_GT(path.points.back().features, 2);
    for (const PathPoint& point : path.points) {
      Index weights = 0, features = 0;
      for (Index j = 0; j < 5; ++j) {
        Index used = 0;
        for (Index k = 0; k < 4; ++k) used += point.w[at(k * 6 + j)] != 0;
        weights += used;
        features += used > 0;
        EXPECT_TRUE(kind == MatrixPenaltyKind::l1 || used == 0 || used == 4);
      }
      EXPECT_EQ(point.nonzeros, weights);
      EXPECT_EQ(point.features, features);
    }
  }
}

TEST(OneVsRestPath, IsThePathOfEveryClassOfItsOwn) {
  for (const LossKind loss : {LossKind::logistic, LossKind::squared, LossKind::squared_hinge})
    for (const PenaltyKind penalty : {PenaltyKind::l1, PenaltyKind::l2}) {
      const Dataset data = blobs({.sparse = true, .weighted = true});
      ProblemSpec spec;
      spec.loss.kind = loss;
      spec.penalty.kind = penalty;
      const Task task = Task(OneVsRestProblem(data, spec));
      const auto lambdas = lambda_grid(task, {.count = 5, .ratio = 1e-2});
      const Path path = solve_path(task, lambdas);
      ASSERT_EQ(path.points.size(), 5U);
      Vector w(path.points.size() * at(task.outputs() * task.dim()));
      std::vector<double> objectives(5, 0.0), gaps(5, 0.0);
      double largest = 0;
      for (Index k = 0; k < task.outputs(); ++k) {
        spec.positive = task.classes()[at(k)];
        const Problem one(data, spec);
        largest = std::max(largest, largest_lambda(one));
        const Path own = solve_path(one, lambdas);
        for (std::size_t p = 0; p < own.points.size(); ++p) {
          const auto first = path.points[p].w.begin() + k * task.dim();
          EXPECT_EQ(Vector(first, first + task.dim()), own.points[p].w);
          objectives[p] += own.points[p].certificate.primal;
          gaps[p] = std::max(gaps[p], own.points[p].certificate.relative_gap);
        }
      }
      EXPECT_EQ(largest_lambda(task), largest);
      for (std::size_t p = 0; p < 5; ++p) {
        EXPECT_EQ(path.points[p].certificate.primal, objectives[p]);
        EXPECT_EQ(path.points[p].certificate.relative_gap, gaps[p]);
      }
    }
}

TEST(OneVsRestPath, ItsModelIsThatOfAFit) {
  const Dataset data = blobs({});
  const Task task = Task(OneVsRestProblem(data, {}));
  SolveOptions exactly;
  exactly.tol = 1e-10;
  const Path path = solve_path(task, {0.1, 0.01}, exactly);
  const Task there = task.with_lambda(0.01);
  const Model ours = there.model(path.points[1].w), single = there.model(solve(there, exactly).w);
  EXPECT_EQ(ours.classes, single.classes);
  EXPECT_EQ(ours.link, single.link);
  for (std::size_t j = 0; j < ours.weights.size(); ++j) EXPECT_NEAR(ours.weights[j], single.weights[j], 1e-4);
}

TEST(MulticlassPath, IsTheSameAtAnyNumberOfThreads) {
  const Dataset data = blobs({.rows = 600, .classes = 4});
  const auto task_with = [&](int threads, bool softmax) {
    ProblemSpec spec;
    spec.penalty.kind = PenaltyKind::l1;
    spec.threads = threads;
    SoftmaxSpec matrix;
    matrix.penalty.kind = MatrixPenaltyKind::l1;
    matrix.threads = threads;
    return softmax ? Task(SoftmaxProblem(data, matrix)) : Task(OneVsRestProblem(data, spec));
  };
  for (const bool softmax : {false, true}) {
    CrossValidationOptions options;
    options.folds = 3;
    options.lambdas = lambda_grid(task_with(1, softmax), {.count = 4, .ratio = 1e-2});
    const CrossValidation one = cross_validate(task_with(1, softmax), options);
    for (const int threads : {2, 7}) {
      const CrossValidation other = cross_validate(task_with(threads, softmax), options);
      for (std::size_t p = 0; p < 4; ++p) {
        EXPECT_EQ(other.points[p].scores, one.points[p].scores);
        EXPECT_EQ(other.path.points[p].w, one.path.points[p].w);
      }
    }
  }
}

TEST(MulticlassPath, KeepsWhatIsDoneWhenTimeIsUp) {
  const Dataset data = blobs({});
  SolveOptions hurried;
  hurried.seconds = 1e-9;
  for (const Task& task : {Task(OneVsRestProblem(data, {})), Task(SoftmaxProblem(data, {}))}) {
    const Path path = solve_path(task, lambda_grid(task, {.count = 4}), hurried);
    EXPECT_LT(path.points.size(), 4U);
    EXPECT_EQ(path.status, Status::out_of_time);
  }
}

TEST(PathAdvice, NamesWhatIsOff) {
  const Dataset data = blobs({});
  SoftmaxSpec spec;
  spec.penalty.kind = MatrixPenaltyKind::group_lasso;
  const Task task = SoftmaxProblem(data, spec);
  const double largest = largest_lambda(task);
  const Path above = solve_path(task, {3 * largest, 2 * largest, 0.5 * largest});
  ASSERT_EQ(above.advice.size(), 1U);
  EXPECT_NE(above.advice[0].sentence().find("2 of 3 lambdas are above"), std::string::npos)
      << above.advice[0].sentence();
  SolveOptions cut;
  cut.iterations = 1;
  cut.tol = 1e-12;
  const Path short_of = solve_path(task, {0.1 * largest, 0.01 * largest}, cut);
  ASSERT_EQ(short_of.advice.size(), 1U);
  EXPECT_NE(short_of.advice[0].sentence().find("2 of 2 lambdas did not reach"), std::string::npos)
      << short_of.advice[0].sentence();
}

// Probabilities of the classes by the definition of each link.
Vector probabilities_of(const Vector& margins, bool softmax) {
  Vector p;
  double total = 0;
  for (const double u : margins) {
    p.push_back(softmax ? std::exp(u) : 1 / (1 + std::exp(-u)));
    total += p.back();
  }
  for (double& value : p) value /= total;
  return p;
}

double slow_score(ScoreKind metric, const Dataset& rows, const Vector& w, Index dim, bool softmax) {
  double total = 0, sum = 0;
  std::map<double, std::pair<double, double>> by_class;  // weight that is right, and all of it
  const Index classes = static_cast<Index>(w.size()) / dim;
  for (Index i = 0; i < rows.rows(); ++i) {
    Vector margins(at(classes));
    for (Index k = 0; k < classes; ++k) {
      margins[at(k)] = w[at(k * dim + dim - 1)];
      for (Index j = 0; j + 1 < dim; ++j) {
        const auto row = rows.x.visit([&](const auto& x) {
          if constexpr (requires { x.row(i)[j]; }) return static_cast<double>(x.row(i)[j]);
          return 0.0;
        });
        margins[at(k)] += w[at(k * dim + j)] * row;
      }
    }
    const double weight = rows.weights.empty() ? 1 : rows.weights[i], label = rows.y.values[i];
    const bool right = std::max_element(margins.begin(), margins.end()) - margins.begin() == static_cast<Index>(label);
    total += weight;
    sum += weight * (metric == ScoreKind::log_loss
                         ? -std::log(probabilities_of(margins, softmax)[static_cast<std::size_t>(label)])
                         : static_cast<double>(right));
    by_class[label].first += weight * static_cast<double>(right);
    by_class[label].second += weight;
  }
  if (metric != ScoreKind::balanced_accuracy) return sum / total;
  double mean = 0;
  for (const auto& [label, share] : by_class) mean += share.first / share.second / static_cast<double>(by_class.size());
  return mean;
}

TEST(MulticlassCrossValidation, EqualsFitsToCopiesOfTheRows) {
  const Dataset data = blobs({.rows = 140, .classes = 4, .weighted = true});
  for (const bool softmax : {false, true})
    for (const ScoreKind metric : {ScoreKind::log_loss, ScoreKind::accuracy, ScoreKind::balanced_accuracy}) {
      const auto task_of = [&](const Dataset& rows) {
        return softmax ? Task(SoftmaxProblem(rows, {})) : Task(OneVsRestProblem(rows, {}));
      };
      const Task task = task_of(data);
      CrossValidationOptions options;
      options.folds = 4;
      options.metric = metric;
      options.lambdas = {0.1, 0.01};
      options.solve.tol = 1e-12;  // w is found to its root
      options.solve.seed = 7;
      const CrossValidation result = cross_validate(task, options);
      ASSERT_EQ(result.points.size(), 2U);
      const auto dealt = deal_folds(data, 4, 7);
      for (std::size_t fold = 0; fold < 4; ++fold) {
        std::vector<Index> others;
        for (std::size_t k = 0; k < 4; ++k)
          if (k != fold) others.insert(others.end(), dealt[k].begin(), dealt[k].end());
        const Task copied = task_of(take_rows(data, others));
        for (const ScoredLambda& point : result.points) {
          const Vector w = solve_path(copied, {point.lambda}, options.solve).points[0].w;
          EXPECT_NEAR(point.scores[fold], slow_score(metric, take_rows(data, dealt[fold]), w, task.dim(), softmax),
                      1e-6);
        }
      }
    }
}

TEST(MulticlassCrossValidation, OfGivenRowsEqualsPathsOverThem) {
  const Dataset data = blobs({.rows = 140, .classes = 3, .weighted = true});
  std::vector<Split> splits(3);
  for (Index i = 0; i < data.rows(); ++i)
    for (Index k = 0; k < 3; ++k) ((i + k) % 7 < 4 ? splits[at(k)].train : splits[at(k)].test).push_back(i);
  for (const bool softmax : {false, true})
    for (const std::size_t count : {1U, 3U}) {
      CrossValidationOptions options;
      options.splits.assign(splits.begin(), splits.begin() + static_cast<std::ptrdiff_t>(count));
      options.metric = ScoreKind::accuracy;
      options.lambdas = {0.1, 0.01};
      options.solve.tol = 1e-12;
      const auto task_of = [&](const Dataset& rows) {
        return softmax ? Task(SoftmaxProblem(rows, {})) : Task(OneVsRestProblem(rows, {}));
      };
      const CrossValidation result = cross_validate(task_of(data), options);
      for (std::size_t k = 0; k < count; ++k) {
        const Task alone = task_of(take_rows(data, splits[k].train));
        for (const ScoredLambda& point : result.points) {
          ASSERT_EQ(point.scores.size(), count);
          const Vector w = solve_path(alone, {point.lambda}, options.solve).points[0].w;
          const Dataset judged = take_rows(data, splits[k].test);
          EXPECT_NEAR(point.scores[k], slow_score(options.metric, judged, w, alone.dim(), softmax), 1e-6);
        }
      }
      EXPECT_TRUE(count > 1 || result.one_standard_error == result.best);
    }
}

TEST(MulticlassCrossValidation, RefusesWhatDoesNotFit) {
  const Dataset data = blobs({.rows = 40, .classes = 3});
  ProblemSpec hinge;
  hinge.loss.kind = LossKind::squared_hinge;
  const Task ovr = Task(OneVsRestProblem(data, hinge)), softmax = SoftmaxProblem(data, {});
  EXPECT_THROW(check_metric(ScoreKind::auc, ovr), Error);
  EXPECT_THROW(check_metric(ScoreKind::average_precision, softmax), Error);
  EXPECT_THROW(check_metric(ScoreKind::rmse, softmax), Error);
  EXPECT_THROW(check_metric(ScoreKind::log_loss, ovr), Error);
  EXPECT_NO_THROW(check_metric(ScoreKind::log_loss, softmax));
  EXPECT_NO_THROW(check_metric(ScoreKind::balanced_accuracy, ovr));
  EXPECT_EQ(usual_metric(softmax), ScoreKind::log_loss);
  EXPECT_EQ(usual_metric(ovr), ScoreKind::accuracy);
  CrossValidationOptions options;
  options.lambdas = {0.1};
  options.folds = 30;  // more than a class has rows: that is said
  EXPECT_NE(cross_validate(softmax, options).advice.back().sentence().find("fewer rows than there are folds"),
            std::string::npos);
  options.folds = 41;  // more than there are rows
  EXPECT_THROW(cross_validate(softmax, options), Error);
  ProblemSpec named;
  named.positive = "1";
  EXPECT_THROW(Task(OneVsRestProblem(data, named)), Error);
  SoftmaxSpec none;
  none.penalty.kind = MatrixPenaltyKind::none;
  EXPECT_THROW(largest_lambda(SoftmaxProblem(data, none)), Error);
}

}  // namespace
}  // namespace s3gd
