#include "data/generate.hpp"

#include <cmath>
#include <map>

#include "binary_support.hpp"
#include "data/convert.hpp"

namespace s3gd {
namespace {

using namespace testing_support;

const std::vector<std::string>& small_specs() {
  static const std::vector<std::string> specs{"gen:manifold?rows=300&cols=11&seed=3",
                                              "gen:manifold?rows=200&cols=7&classes=4",
                                              "gen:manifold?rows=200&cols=7&tails=1&ratio=9",
                                              "gen:text?rows=300&cols=500&nnz=9&topics=5&counts=1",
                                              "gen:text?rows=300&cols=500&nnz=9",
                                              "gen:ill?rows=300&cols=6&condition=100",
                                              "gen:imbalanced?rows=300&cols=5",
                                              "gen:regression?rows=300&cols=8",
                                              "gen:regression?rows=300&cols=90&density=0.1&informative=0.2"};
  return specs;
}

// Row i of a dataset, zeros written out.
std::vector<double> full_row(const Dataset& data, Index i) {
  const Matrix dense = with_layout(data.x, Layout::dense, Precision::float64, 1);
  const auto& view = std::get<DenseView<double>>(dense.view());
  return {view.row(i), view.row(i) + view.cols};
}

TEST(Generate, TheSameAtAnyNumberOfThreads) {
  for (const auto& spec : small_specs()) {
    LoadOptions options;
    options.threads = 1;
    const auto expected = generate(spec, options);
    for (const int threads : {2, 7}) {
      options.threads = threads;
      EXPECT_TRUE(same_data(generate(spec, options), expected)) << spec;
    }
  }
}

TEST(Generate, ARowDoesNotDependOnHowManyThereAre) {
  for (const std::string kind : {"manifold", "text", "ill", "imbalanced", "regression"}) {
    const auto few = generate("gen:" + kind + "?rows=20&cols=30&seed=9");
    const auto many = generate("gen:" + kind + "?rows=3000&cols=30&seed=9");
    for (const Index i : {0, 7, 19}) {
      EXPECT_EQ(full_row(few, i), full_row(many, i)) << kind;
      EXPECT_EQ(few.y.values[i], many.y.values[i]) << kind;
    }
  }
}

TEST(Generate, FirstNamesTheRowToBeginWith) {
  for (const std::string kind : {"manifold", "text", "ill", "imbalanced", "regression"}) {
    const auto whole = generate("gen:" + kind + "?rows=30&cols=30&seed=9");
    const auto rest = generate("gen:" + kind + "?rows=12&cols=30&seed=9&first=18");
    for (const Index i : {0, 5, 11}) {
      EXPECT_EQ(full_row(rest, i), full_row(whole, 18 + i)) << kind;
      EXPECT_EQ(rest.y.values[i], whole.y.values[18 + i]) << kind;
    }
  }
}

TEST(Generate, TextHasTheRatioAskedFor) {
  const auto data = generate("gen:text?rows=20000&cols=1000&nnz=20&noise=0&ratio=19");
  const double positive = static_cast<double>(std::count(data.y.values.begin(), data.y.values.end(), 1.0));
  EXPECT_NEAR(positive / 20000, 0.05, 0.02);  // the threshold comes from 501 rows
}

// Shares of the classes, with labels drawn anew as well.
TEST(Generate, ClustersHaveTheRatioAskedFor) {
  const auto data = generate("gen:manifold?rows=20000&cols=12&tails=1&ratio=49&noise=0.1");
  const double positive = static_cast<double>(std::count(data.y.values.begin(), data.y.values.end(), 1.0));
  EXPECT_NEAR(positive / 20000, 0.02, 0.004);
}

// The fourth moment over the squared second: far above that of the same clusters without tails.
TEST(Generate, TailsStretchWhatIsFarFromZero) {
  const auto kurtosis = [](const std::string& tails) {
    double second = 0, fourth = 0;
    const auto data = generate("gen:manifold?rows=4000&cols=12&clusters=40&dims=6&spread=0.4&tails=" + tails);
    const auto& view = std::get<DenseView<float>>(data.x.view());
    const double count = static_cast<double>(view.rows * view.cols);
    for (Index i = 0; i < view.rows; ++i)
      for (Index j = 0; j < view.cols; ++j) {
        const double square = double{view.row(i)[j]} * double{view.row(i)[j]};
        second += square / count;
        fourth += square * square / count;
      }
    return fourth / (second * second);
  };
  EXPECT_GT(kurtosis("1.5"), 3 * kurtosis("0"));
}

// Rows of one topic share words that others hardly have; words stay frequent in the unequal way of a power law.
TEST(Generate, TopicsHaveWordsOfTheirOwn) {
  const auto data = generate("gen:text?rows=2000&cols=1000&nnz=40&topics=4&counts=1");
  const auto& view = std::get<CsrView<float, std::int32_t>>(data.x.view());
  Index first = 0, of_topic = 0, between = 0;  // the law's own head, a topic's, and a place with neither
  for (const auto column : std::span(view.columns, static_cast<std::size_t>(view.nonzeros()))) {
    first += column < 5;
    of_topic += column >= 200 && column < 205;
    between += column >= 150 && column < 155;
  }
  EXPECT_GT(first, 2 * of_topic);
  EXPECT_GT(of_topic, 3 * between);
}

TEST(Generate, AnotherSeedGivesOtherRows) {
  for (const std::string kind : {"manifold", "text", "ill", "imbalanced", "regression"})
    EXPECT_NE(full_row(generate("gen:" + kind + "?rows=2&cols=30&seed=1"), 1),
              full_row(generate("gen:" + kind + "?rows=2&cols=30&seed=2"), 1));
}

TEST(Generate, BlocksJoinedAreTheWhole) {
  const auto generator = RowGenerator::from_spec("gen:text?rows=150000&cols=50&nnz=3");
  Index rows = 0, blocks = 0;
  stream_rows(*generator, {}, [&](const Dataset& block) {
    rows += block.rows();
    ++blocks;
  });
  EXPECT_EQ(rows, 150000);
  EXPECT_GT(blocks, 1);
}

TEST(Generate, EveryKindIsSoundAndOfTheSizeAskedFor) {
  for (const auto& spec : small_specs()) {
    const auto data = generate(spec);
    EXPECT_NO_THROW(data.x.check()) << spec;
    EXPECT_EQ(data.y.values.size(), data.rows());
    EXPECT_EQ(data.source, spec);
  }
  EXPECT_EQ(generate("gen:ill?rows=1&cols=1").rows(), 1);
  EXPECT_EQ(generate("gen:text?rows=3&cols=1&nnz=4").cols(), 1);
}

TEST(Generate, WithoutNoiseLabelsFollowTheTrueWeights) {
  for (const std::string spec :
       {"gen:manifold?rows=200&cols=9&noise=0", "gen:manifold?rows=200&cols=9&noise=0&tails=1&ratio=9",
        "gen:text?rows=200&cols=400&noise=0", "gen:ill?rows=200&cols=9&noise=0",
        "gen:regression?rows=200&cols=9&noise=0", "gen:regression?rows=200&cols=99&density=0.1&noise=0"}) {
    LoadOptions options;
    options.precision = Precision::float64;
    const auto data = generate(spec, options);
    const auto generator = RowGenerator::from_spec(spec);
    const auto weights = generator->true_weights();
    for (Index i = 0; i < data.rows(); ++i) {
      double margin = generator->true_intercept();
      const auto row = full_row(data, i);
      for (std::size_t j = 0; j < row.size(); ++j) margin += weights[j] * row[j];
      if (data.y.kind == LabelKind::real) {
        EXPECT_NEAR(data.y.values[i], margin, 1e-9) << spec;
      } else if (std::abs(margin) > 1e-9) {
        EXPECT_EQ(data.y.values[i], margin > 0 ? 1 : -1) << spec;
      }
    }
  }
}

TEST(Generate, MoreClassesFollowTheLargestProduct) {
  const std::string spec = "gen:manifold?rows=300&cols=12&classes=5&noise=0";
  LoadOptions options;
  options.precision = Precision::float64;
  const auto data = generate(spec, options);
  const auto generator = RowGenerator::from_spec(spec);
  for (Index i = 0; i < data.rows(); ++i) {
    const auto row = full_row(data, i);
    std::vector<double> margins;
    for (Index k = 0; k < 5; ++k) {
      const auto weights = generator->true_weights(k);
      margins.push_back(0);
      for (std::size_t j = 0; j < row.size(); ++j) margins.back() += weights[j] * row[j];
    }
    const auto best = std::max_element(margins.begin(), margins.end()) - margins.begin();
    EXPECT_EQ(data.y.values[i], static_cast<double>(best));
  }
}

TEST(Generate, ImbalancedHasTheRatioAskedFor) {
  const auto data = generate("gen:imbalanced?rows=40000&cols=3&ratio=9");
  Index positive = 0;
  for (const double label : data.y.values) positive += label > 0;
  EXPECT_NEAR(static_cast<double>(positive), 4000, 300);  // five standard deviations
}

TEST(Generate, IllConditionedHasTheSpectrumAskedFor) {
  // The trace and the largest eigenvalue (by power iteration) of the second moment, against the known ones.
  const auto data = generate("gen:ill?rows=40000&cols=4&condition=64", {});
  std::vector<std::vector<double>> moment(4, std::vector<double>(4));
  const auto& view = std::get<DenseView<float>>(data.x.view());
  for (Index i = 0; i < view.rows; ++i)
    for (std::size_t a = 0; a < 4; ++a)
      for (std::size_t b = 0; b < 4; ++b) moment[a][b] += double{view.row(i)[a]} * double{view.row(i)[b]} / 40000;
  double trace = 0, top = 0;
  for (std::size_t a = 0; a < 4; ++a) trace += moment[a][a];
  std::vector<double> v(4, 0.5);
  for (int step = 0; step < 100; ++step) {
    std::vector<double> next(4);
    for (std::size_t a = 0; a < 4; ++a)
      for (std::size_t b = 0; b < 4; ++b) next[a] += moment[a][b] * v[b];
    top = std::sqrt(next[0] * next[0] + next[1] * next[1] + next[2] * next[2] + next[3] * next[3]);
    for (std::size_t a = 0; a < 4; ++a) v[a] = next[a] / top;
  }
  EXPECT_NEAR(trace, (1 + 1 / 4.0 + 1 / 16.0 + 1 / 64.0) / 4, 0.012);
  EXPECT_NEAR(top, 0.25, 0.012);
}

TEST(Generate, TextIsBalancedUnitLengthAndSparserToTheRight) {
  const auto data = generate("gen:text?rows=20000&cols=1000&nnz=20&noise=0");
  const auto& view = std::get<CsrView<float, std::int32_t>>(data.x.view());
  std::map<bool, Index> halves;
  Index positive = 0;
  for (Index i = 0; i < view.rows; ++i) {
    double squares = 0;
    for (auto k = view.starts[i]; k < view.starts[i + 1]; ++k) {
      squares += double{view.values[k]} * double{view.values[k]};
      ++halves[view.columns[k] < 500];
    }
    EXPECT_NEAR(squares, 1, 1e-5);
    positive += data.y.values[i] > 0;
  }
  EXPECT_NEAR(static_cast<double>(view.nonzeros()) / 20000, 20, 3);
  EXPECT_GT(halves[true], 4 * halves[false]);
  EXPECT_NEAR(static_cast<double>(positive) / 20000, 0.5, 0.12);
}

TEST(Generate, LayoutPrecisionAndColumnsAsAsked) {
  LoadOptions options;
  options.layout = Layout::dense;
  options.precision = Precision::float64;
  options.cols = 600;
  const auto data = generate("gen:text?rows=50&cols=500", options);
  EXPECT_TRUE(std::holds_alternative<DenseView<double>>(data.x.view()));
  EXPECT_EQ(data.cols(), 600);
}

TEST(Generate, AWrongSpecNamesTheNearestRightOne) {
  EXPECT_TRUE(contains(error_of([] { generate("gen:manifodl"); }), "manifold"));
  EXPECT_TRUE(contains(error_of([] { generate("gen:text?row=3"); }), "rows"));
  EXPECT_TRUE(contains(error_of([] { generate("gen:ill?ratio=3"); }), "'ratio'"));
  for (const std::string spec :
       {"gen:", "gen:?rows=3", "gen:ill?rows", "gen:ill?rows=", "gen:ill?rows=x", "gen:ill?rows=0", "gen:ill?rows=-4",
        "gen:ill?rows=2.5", "gen:ill?rows=1e400", "gen:ill?noise=2", "gen:ill?rows=nan", "gen:ill?seed=-1",
        "gen:ill?cols=1e15", "gen:text?nnz=1e15&cols=1e15", "gen:manifold?dims=1e15", "gen:manifold?classes=1",
        "gen:ill?rows=1e15&cols=1000", "gen:ill?&rows=3", "gen:ill?rows=3&&cols=2"})
    EXPECT_TRUE(contains(error_of([&] { generate(spec); }), spec) ||
                contains(error_of([&] { generate(spec); }), "memory"))
        << spec;
}

TEST(Generate, TheKindsAreListedWithTheirParameters) {
  ASSERT_EQ(generator_kinds().size(), 5U);
  for (const auto& kind : generator_kinds()) {
    EXPECT_FALSE(kind.summary.empty());
    EXPECT_TRUE(contains(kind.parameters, "rows=10000"));
    EXPECT_NO_THROW(RowGenerator::from_spec("gen:" + kind.name));
  }
}

}  // namespace
}  // namespace s3gd
