#include "s3gd/scale.hpp"

#include <cmath>

#include "binary_support.hpp"
#include "data/convert.hpp"

namespace s3gd {
namespace {

using namespace testing_support;
using Rows = std::vector<std::vector<double>>;

Rows full(const Matrix& x) {
  const Matrix dense = with_layout(x, Layout::dense, Precision::float64, 1);
  const auto& view = std::get<DenseView<double>>(dense.view());
  Rows rows;
  for (Index i = 0; i < view.rows; ++i) rows.emplace_back(view.row(i), view.row(i) + view.cols);
  return rows;
}

struct Moments {
  double largest = 0, mean = 0, deviation = 0;
};

Moments naive_moments(const Rows& rows, std::size_t j) {
  Moments m;
  for (const auto& row : rows) {
    m.largest = std::max(m.largest, std::abs(row[j]));
    m.mean += row[j] / static_cast<double>(rows.size());
  }
  for (const auto& row : rows) m.deviation += std::pow(row[j] - m.mean, 2) / static_cast<double>(rows.size());
  m.deviation = std::sqrt(m.deviation);
  return m;
}

Dataset with(Matrix x) {
  Dataset data;
  data.x = std::move(x);
  return data;
}

TEST(Scale, MaxAbsOfEveryTypeIsTheNaiveOne) {
  for (const auto& x : all_types(2500, 6)) {
    const auto rows = full(x);
    const auto data = with(x);
    const auto scaling = learn_scaling(data, Scale::max_abs);
    const auto scaled_data = apply_scaling(data, scaling);
    const auto scaled = full(scaled_data.x);
    EXPECT_EQ(scaled_data.x.view().index(), x.view().index());
    for (std::size_t j = 0; j < 6; ++j) {
      const auto m = naive_moments(rows, j);
      for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_NEAR(scaled[i][j], rows[i][j] / m.largest, 1e-6);
      EXPECT_NEAR(naive_moments(scaled, j).largest, 1, 1e-6);
    }
  }
}

TEST(Scale, StandardOfDenseDataHasMeanZeroAndDeviationOne) {
  for (const auto& x : {small_dense<float>(3000, 5), small_dense<double>(3000, 5)}) {
    const auto data = with(x);
    const auto scaled = full(apply_scaling(data, learn_scaling(data, Scale::standard)).x);
    for (std::size_t j = 0; j < 5; ++j) {
      EXPECT_NEAR(naive_moments(scaled, j).mean, 0, 1e-6);
      EXPECT_NEAR(naive_moments(scaled, j).deviation, 1, 1e-6);
    }
  }
}

TEST(Scale, StandardOfSparseDataDividesByTheSameDeviationAndStaysSparse) {
  const auto x = small_csr<double, std::int32_t>(3000, 5);
  const auto sparse = learn_scaling(with(x), Scale::standard);
  const auto dense = learn_scaling(with(with_layout(x, Layout::dense, Precision::float64, 1)), Scale::standard);
  EXPECT_TRUE(sparse.shift.empty());
  ASSERT_EQ(dense.shift.size(), 5U);
  const auto rows = full(x);
  const auto scaled_data = apply_scaling(with(x), sparse);
  EXPECT_EQ(scaled_data.x.stored(), x.stored());
  const auto scaled = full(scaled_data.x);
  for (std::size_t j = 0; j < 5; ++j) {
    EXPECT_NEAR(sparse.factor[j], dense.factor[j], 1e-12 * dense.factor[j]);
    EXPECT_NEAR(sparse.factor[j], 1 / naive_moments(rows, j).deviation, 1e-10);
    for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_DOUBLE_EQ(scaled[i][j], rows[i][j] * sparse.factor[j]);
  }
}

TEST(Scale, AShiftLearntOnDenseDataIsAppliedToSparseDataToo) {
  const auto dense = with(small_dense<float>(40, 4));
  const auto scaling = learn_scaling(dense, Scale::standard);
  const auto sparse = with(with_layout(dense.x, Layout::sparse, Precision::float32, 1));
  EXPECT_TRUE(same_matrix(apply_scaling(sparse, scaling).x, apply_scaling(dense, scaling).x));
}

TEST(Scale, UnitRowsHaveLengthOneAndEmptyRowsStay) {
  for (const auto& x : all_types(50, 3)) {
    const auto data = with(x);
    const auto rows = full(x);
    const auto scaled = full(apply_scaling(data, learn_scaling(data, Scale::unit_rows)).x);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double before = 0, after = 0;
      for (std::size_t j = 0; j < 3; ++j) {
        before += rows[i][j] * rows[i][j];
        after += scaled[i][j] * scaled[i][j];
      }
      EXPECT_NEAR(after, before > 0 ? 1 : 0, 1e-6);
    }
  }
}

TEST(Scale, ExtremeRowsKeepTheirLength) {
  const auto data = with(Matrix::own_dense<double>({3e300, 4e300, 3e-300, 4e-300}, 2, 2));
  const auto scaled = full(apply_scaling(data, learn_scaling(data, Scale::unit_rows)).x);
  for (const auto& row : scaled) {
    EXPECT_NEAR(row[0], 0.6, 1e-12);
    EXPECT_NEAR(row[1], 0.8, 1e-12);
  }
}

TEST(Scale, AColumnThatDoesNotVaryIsLeftAsItIs) {
  const auto data = with(Matrix::own_dense<double>({0, 5, 0, 5, 0, 5}, 3, 2));
  EXPECT_EQ(learn_scaling(data, Scale::max_abs).factor, (std::vector<double>{1, 0.2}));
  const auto standard = learn_scaling(data, Scale::standard);
  EXPECT_EQ(standard.factor, (std::vector<double>{1, 1}));
  EXPECT_EQ(full(apply_scaling(data, standard).x), (Rows{{0, 0}, {0, 0}, {0, 0}}));
}

TEST(Scale, ALargeMeanDoesNotCancelTheDeviation) {
  const auto data = with(Matrix::own_dense<double>({1e8 + 1, 1e8 - 1, 1e8 + 1, 1e8 - 1}, 4, 1));
  EXPECT_DOUBLE_EQ(learn_scaling(data, Scale::standard).factor[0], 1);
}

TEST(Scale, TheSameAtAnyNumberOfThreads) {
  for (const auto& x : all_types(20000, 7)) {
    const auto data = with(x);
    for (const auto kind : {Scale::max_abs, Scale::standard, Scale::unit_rows}) {
      const auto one = learn_scaling(data, kind, 1);
      const auto expected = apply_scaling(data, one, 1);
      for (const int threads : {2, 7}) {
        const auto many = learn_scaling(data, kind, threads);
        EXPECT_EQ(many.factor, one.factor);
        EXPECT_EQ(many.shift, one.shift);
        EXPECT_TRUE(same_matrix(apply_scaling(data, many, threads).x, expected.x));
      }
    }
  }
}

TEST(Scale, NoneCopiesNothingAndOtherColumnsAreRefused) {
  const auto data = with(small_dense<float>(5, 3));
  EXPECT_EQ(apply_scaling(data, learn_scaling(data, Scale::none)).x.owner(), data.x.owner());
  EXPECT_THROW(apply_scaling(with(small_dense<float>(5, 4)), learn_scaling(data, Scale::max_abs)), Error);
}

}  // namespace
}  // namespace s3gd
