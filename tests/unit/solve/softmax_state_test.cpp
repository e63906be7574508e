// Softmax runs that are cut and resumed, stop early, or are judged on rows that lack classes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/interrupt.hpp"
#include "s3gd/error.hpp"
#include "solve/inputs.hpp"
#include "stochastic/control.hpp"
#include "support/softmax_sample.hpp"

namespace s3gd {
namespace {

using testing::softmax_sample;
using testing::SoftmaxSample;
using testing::Vector;

struct Case {
  std::string solver;
  bool sparse = false;
  MatrixPenaltyKind penalty = MatrixPenaltyKind::l2;
  GraphMode graph = GraphMode::streaming;
  Index rows = 300;
  Index cols = 6;
};

void PrintTo(const Case& one, std::ostream* out) {
  *out << one.solver << (one.sparse ? " sparse " : " dense ") << name_of(one.penalty)
       << (one.graph == GraphMode::full ? " full graph" : "") << " " << one.rows << " rows " << one.cols << " columns";
}

class SoftmaxResume : public ::testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    std::string name = info->name();
    std::replace(name.begin(), name.end(), '/', '_');
    path_ =
        (std::filesystem::temp_directory_path() / ("s3gd_softmax_" + name + "_" + std::to_string(getpid()))).string();
    std::filesystem::remove(path_);
  }
  void TearDown() override {
    request_interrupt(false);
    std::filesystem::remove(path_);
  }

  static SoftmaxProblem problem(int threads = 1) {
    const Case& one = GetParam();
    const SoftmaxSample sample = softmax_sample(one.rows, one.cols, 4, 51, one.cols > 6 ? 0.01 : 0.5);
    SoftmaxSpec spec;
    spec.penalty = {one.penalty, 0.002, 0.5, {}};
    spec.threads = threads;
    const Matrix x = one.sparse ? sample.table.csr<float, std::int32_t>() : sample.table.dense<float>();
    return SoftmaxProblem(sample.data(x, true), spec);
  }

  SolveOptions options() const {
    SolveOptions options;
    options.solver = GetParam().solver;
    options.graph_mode = GetParam().graph;
    if (options.solver == "s3gd" || options.solver == "auto") options.graph = {.anchors = 6, .neighbours = 3};
    const bool stochastic = find_estimator(options.solver) != nullptr;
    options.passes = !stochastic ? 0 : options.solver == "gd" || options.solver == "svrg" ? 30 : 4;
    options.tol = 1e-10;
    options.trace_every = !stochastic ? 1 : options.solver == "gd" ? 4 : 7;
    options.seed = 4;
    options.checkpoint = path_;
    options.checkpoint_every = 0;
    return options;
  }

  // Cut after so many looks; negative: never.
  Solution run(const SolveOptions& options, int looks, int threads = 1) {
    SoftmaxInput input;
    was_cut_ = false;
    input.watch = [&](const TraceRow&) { return !(was_cut_ = was_cut_ || --looks == 0); };
    return solve_softmax(problem(threads), options, input);
  }

  std::string path_;
  bool was_cut_ = false;
};

void expect_same(const Solution& cut, const Solution& whole) {
  EXPECT_EQ(cut.w, whole.w);
  EXPECT_EQ(cut.rank, whole.rank);
  EXPECT_EQ(cut.summary.status, whole.summary.status);
  EXPECT_EQ(cut.summary.objective, whole.summary.objective);
  EXPECT_EQ(cut.summary.certificate.relative_gap, whole.summary.certificate.relative_gap);
  EXPECT_EQ(cut.summary.iterations, whole.summary.iterations);
  EXPECT_EQ(cut.summary.passes, whole.summary.passes);
  ASSERT_EQ(cut.trace.size(), whole.trace.size());
  for (std::size_t k = 0; k < cut.trace.size(); ++k) {
    EXPECT_EQ(cut.trace[k].iteration, whole.trace[k].iteration);
    EXPECT_EQ(cut.trace[k].train_objective, whole.trace[k].train_objective) << k;
  }
}

TEST_P(SoftmaxResume, ARunCutAnywhereEndsWithTheSameBits) {
  SolveOptions options = this->options();
  const Solution whole = run(options, -1);
  const int looks = static_cast<int>(whole.trace.size());
  ASSERT_GT(looks, 3);
  for (const int cut : {1, 2, looks / 2, looks - 2}) {
    std::filesystem::remove(path_);
    options.resume = false;
    run(options, cut);
    options.resume = true;
    expect_same(run(options, -1, 3), whole);
  }
}

TEST_P(SoftmaxResume, ARunCutAgainAndAgainEndsWithTheSameBits) {
  SolveOptions options = this->options();
  const Solution whole = run(options, -1);
  std::filesystem::remove(path_);
  options.resume = true;
  Solution part = run(options, 1);
  // Longer each time: what is cut within a start or its first segment begins again.
  for (int looks = 2; was_cut_ && looks < 1000; looks += 1 + looks / 4) part = run(options, looks);
  expect_same(part, whole);
}

TEST_P(SoftmaxResume, AnInterruptKeepsTheStateWhateverTheClockSays) {
  SolveOptions options = this->options();
  options.checkpoint_every = 1e9;
  const Solution whole = run(options, -1);
  EXPECT_FALSE(std::filesystem::exists(path_));
  int looks = 0;
  SoftmaxInput input;
  input.watch = [&looks](const TraceRow&) {
    if (++looks == 2) request_interrupt();
    return true;
  };
  EXPECT_EQ(solve_softmax(problem(), options, input).summary.status, Status::interrupted);
  request_interrupt(false);
  EXPECT_TRUE(std::filesystem::exists(path_) || GetParam().rows > 5000);  // where there is a start, which is made again
  options.resume = true;
  expect_same(run(options, -1), whole);
}

// The others are cut into segments by their checkpoints: the same run, to other bits.
class StochasticSoftmaxResume : public SoftmaxResume {};

TEST_P(StochasticSoftmaxResume, ACheckpointDoesNotChangeTheRun) {
  SolveOptions plain = options();
  plain.checkpoint.clear();
  plain.checkpoint_every = SolveOptions().checkpoint_every;
  EXPECT_EQ(run(plain, -1).w, run(options(), -1).w);
}

std::vector<Case> every_estimator() {
  std::vector<Case> cases{{"s3gd", false, MatrixPenaltyKind::l2, GraphMode::full},
                          {"s3gd", true, MatrixPenaltyKind::l2, GraphMode::full},
                          {"s3gd", false, MatrixPenaltyKind::nuclear},
                          {"s3gd", true, MatrixPenaltyKind::l1, GraphMode::streaming, 300, 200},
                          {"saga", true, MatrixPenaltyKind::l1, GraphMode::streaming, 300, 200}};
  for (const Estimator& estimator : estimator_table())
    for (const bool sparse : {false, true})
      for (const MatrixPenaltyKind penalty : {MatrixPenaltyKind::l2, MatrixPenaltyKind::l1})
        cases.push_back({estimator.name, sparse, penalty});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Stochastic, SoftmaxResume, ::testing::ValuesIn(every_estimator()));
INSTANTIATE_TEST_SUITE_P(Stochastic, StochasticSoftmaxResume, ::testing::ValuesIn(every_estimator()));
INSTANTIATE_TEST_SUITE_P(Exact, SoftmaxResume,
                         ::testing::Values(Case{"auto"}, Case{"auto", true, MatrixPenaltyKind::group_lasso},
                                           Case{"quasi-newton", true},
                                           Case{"prox-newton", false, MatrixPenaltyKind::nuclear},
                                           Case{"prox-newton", true, MatrixPenaltyKind::l1},
                                           Case{"auto", false, MatrixPenaltyKind::l2, GraphMode::streaming, 6000}));

TEST(SoftmaxCheckpoint, OfAnotherRunIsRefusedByName) {
  const SoftmaxSample sample = softmax_sample(60, 4, 3, 52);
  const Dataset data = sample.data(sample.table.dense<double>());
  SolveOptions options;
  options.checkpoint =
      (std::filesystem::temp_directory_path() / ("s3gd_softmax_other_" + std::to_string(getpid()))).string();
  options.checkpoint_every = 0;
  std::filesystem::remove(options.checkpoint);
  solve_softmax(SoftmaxProblem(data, {}), options);
  options.resume = true;
  const auto refusal = [&](const Dataset& rows, const SoftmaxSpec& spec, const SolveOptions& with) -> std::string {
    try {
      solve_softmax(SoftmaxProblem(rows, spec), with);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(refusal(data, {}, options), "");
  SoftmaxSpec other;
  other.penalty.lambda = 0.5;
  EXPECT_NE(refusal(data, other, options).find("lambda"), std::string::npos);
  other = {};
  other.penalty.kind = MatrixPenaltyKind::nuclear;
  EXPECT_NE(refusal(data, other, options).find("penalty"), std::string::npos);
  SolveOptions seeded = options;
  seeded.seed = 9;
  EXPECT_NE(refusal(data, {}, seeded).find("seed"), std::string::npos);
  EXPECT_NE(refusal(sample.data(sample.table.dense<double>(), true), {}, options).find("weights"), std::string::npos);
  options.resume = false;
  EXPECT_NE(refusal(data, {}, options).find("resume"), std::string::npos);
  std::filesystem::remove(options.checkpoint);
}

// More features than the labels can bear, and next to no penalty: what fits the rows best does not fit others best.
TEST(SoftmaxEarlyStop, EverySolverStopsAndKeepsTheBestOfWhatItSaw) {
  const SoftmaxSample sample = softmax_sample(400, 30, 3, 53);
  const Dataset all = sample.data(sample.table.dense<double>());
  std::vector<Index> first, rest;
  for (Index i = 0; i < 400; ++i) (i < 100 ? first : rest).push_back(i);
  for (const std::string solver : {"auto", "s3gd", "saga", "svrg", "quasi-newton", "prox-newton"}) {
    SoftmaxSpec spec;
    spec.penalty.lambda = 1e-8;
    const SoftmaxProblem train(take_rows(all, first), spec);
    const SoftmaxProblem test = on_rows(train, take_rows(all, rest));
    SolveOptions options;
    options.solver = solver;
    options.patience = 2;
    options.passes = 4000;
    options.tol = 1e-12;
    SoftmaxInput input;
    input.test = &test;
    std::vector<double> losses;
    input.watch = [&](const TraceRow& row) {
      losses.push_back(row.test_objective);
      return true;
    };
    const Solution fit = solve_softmax(train, options, input);
    EXPECT_EQ(fit.summary.status, Status::early_stopped) << solver;
    ASSERT_FALSE(losses.empty());
    // The penalty is next to nothing: objectives are losses. A stochastic run also looks where it does not tell.
    const double least = *std::min_element(losses.begin(), losses.end());
    EXPECT_LE(objective(test, fit.w), least + 1e-5) << solver;
    EXPECT_GE(objective(test, fit.w), (find_estimator(solver) == nullptr ? least - 1e-5 : 0.0)) << solver;
    EXPECT_LT(objective(test, fit.w), losses.at(losses.size() - 2)) << solver;
    options.patience = 0;
    options.passes = 0;
    options.tol = 1e-6;
    if (find_estimator(solver) != nullptr) continue;  // alone they do not get that far
    EXPECT_LT(objective(test, fit.w), objective(test, solve_softmax(train, options, input).w)) << solver;
  }
}

TEST(SoftmaxEarlyStop, NeedsRowsToLookAt) {
  const SoftmaxSample sample = softmax_sample(40, 3, 3, 54);
  const SoftmaxProblem problem(sample.data(sample.table.dense<double>()), {});
  SolveOptions options;
  options.patience = 2;
  EXPECT_THROW(solve_softmax(problem, options), Error);
  options.patience = 0;
  options.resume = true;
  EXPECT_THROW(solve_softmax(problem, options), Error);
}

TEST(SoftmaxOnRows, ClassesAreMatchedByNameAndMayBeMissing) {
  const SoftmaxSample sample = softmax_sample(60, 4, 3, 55);
  Dataset train = sample.data(sample.table.dense<double>());
  train.y.class_names = {"ant", "bee", "cow"};
  for (const ClassWeight by_class : {ClassWeight::none, ClassWeight::balanced}) {
    SoftmaxSpec spec;
    spec.class_weight = by_class;
    const SoftmaxProblem problem(train, spec);
    // The rows of two classes, whose words come in another order.
    std::vector<Index> rows;
    Vector labels;
    for (Index i = 0; i < 60; ++i) {
      if (sample.labels[static_cast<std::size_t>(i)] == 1) continue;
      rows.push_back(i);
      labels.push_back(sample.labels[static_cast<std::size_t>(i)] == 2 ? 0 : 1);
    }
    Dataset other = take_rows(train, rows);
    other.y.values = Array<double>(std::move(labels));
    other.y.class_names = {"cow", "ant"};
    const SoftmaxProblem test = on_rows(problem, other);
    EXPECT_EQ(test.class_names(), problem.class_names());
    EXPECT_EQ(test.dim(), problem.dim());
    double total = 0;
    for (Index i = 0; i < test.rows(); ++i) {
      EXPECT_EQ(test.targets()[static_cast<std::size_t>(i)],
                problem.targets()[static_cast<std::size_t>(rows[static_cast<std::size_t>(i)])]);
      total += test.weight(i);
    }
    EXPECT_NEAR(total, 1, 1e-12);
    other.y.class_names = {"cow", "dog"};
    EXPECT_THROW(on_rows(problem, other), Error);
  }
}

}  // namespace
}  // namespace s3gd
