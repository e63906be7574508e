#include "data/summary.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "data/convert.hpp"

namespace s3gd {
namespace {

Dataset dataset(Matrix x, std::vector<double> labels, LabelKind kind) {
  Dataset data;
  data.x = std::move(x);
  data.y.values = Array<double>(std::move(labels));
  data.y.kind = kind;
  return data;
}

// 4 x 4: a zero column, a constant one, one with both signs, one with a hidden zero; row 2 is zero but for the
// constant.
Dataset small() {
  return dataset(Matrix::own_dense<double>({0, 2, 3, 5,   //
                                            0, 2, -4, 5,  //
                                            0, 2, 0, 0,   //
                                            0, 2, 0, 5},
                                           4, 4),
                 {1, 2, 2, 2}, LabelKind::classes);
}

TEST(Summary, CountsWhatIsThere) {
  const DataSummary summary = summarise(small());
  EXPECT_EQ(summary.nonzeros, 9);
  EXPECT_DOUBLE_EQ(summary.density, 9.0 / 16);
  EXPECT_EQ(summary.least, -4);
  EXPECT_EQ(summary.largest, 5);
  EXPECT_EQ(summary.zero_columns, 1);
  EXPECT_EQ(summary.constant_columns, 1);
  EXPECT_EQ(summary.zero_rows, 0);
  EXPECT_EQ(summary.least_column_scale, 2);
  EXPECT_EQ(summary.largest_column_scale, 5);
  EXPECT_DOUBLE_EQ(summary.norm_quantiles.front(), 2);
  EXPECT_DOUBLE_EQ(summary.norm_quantiles.back(), std::sqrt(4.0 + 16 + 25));
  ASSERT_EQ(summary.classes.size(), 2U);
  EXPECT_EQ(summary.classes[1].rows, 3);
  EXPECT_EQ(summary.classes[1].name, "2");
  EXPECT_EQ(summary.memory_bytes, 16U * 8 + 4 * 8);
}

TEST(Summary, NormsSurviveValuesWhoseSquaresOverflowOrVanish) {
  const auto summary =
      summarise(dataset(Matrix::own_dense<double>({3e200, 4e200, 3e-200, 4e-200}, 2, 2), {0.5, 1.5}, LabelKind::real));
  EXPECT_DOUBLE_EQ(summary.norm_quantiles.back(), 5e200);
  EXPECT_DOUBLE_EQ(summary.norm_quantiles.front(), 5e-200);
  EXPECT_EQ(summary.label_least, 0.5);
  EXPECT_EQ(summary.label_largest, 1.5);
  EXPECT_DOUBLE_EQ(summary.label_mean, 1);
}

TEST(Summary, IsTheSameForDenseAndSparseAtAnyNumberOfThreads) {
  Rng rng(3);
  constexpr Index rows = 5000, cols = 7;
  std::vector<float> values;
  std::vector<double> labels;
  for (Index i = 0; i < rows * cols; ++i)
    values.push_back(rng.uniform() < 0.3 ? static_cast<float>(rng.normal()) : 0.0F);
  for (Index i = 0; i < rows; ++i) labels.push_back(static_cast<double>(rng.below(3)));
  const auto dense = dataset(Matrix::own_dense<float>(values, rows, cols), labels, LabelKind::classes);
  auto sparse = dense;
  sparse.x = with_layout(dense.x, Layout::sparse, Precision::float32, 1);
  const DataSummary reference = summarise(dense, 1);
  for (const Dataset* data : std::initializer_list<const Dataset*>{&dense, &sparse})
    for (const int threads : {1, 2, 7}) {
      const DataSummary summary = summarise(*data, threads);
      EXPECT_EQ(summary.nonzeros, reference.nonzeros);
      EXPECT_EQ(summary.zero_rows, reference.zero_rows);
      EXPECT_EQ(summary.least, reference.least);
      EXPECT_EQ(summary.largest_column_scale, reference.largest_column_scale);
      EXPECT_EQ(summary.norm_quantiles, reference.norm_quantiles);
    }
}

TEST(Summary, NoRowsOrNoColumnsAreNoDisaster) {
  const auto none = summarise(dataset(Matrix::own_dense<float>({}, 0, 3), {}, LabelKind::none));
  EXPECT_EQ(none.nonzeros, 0);
  EXPECT_TRUE(none.norm_quantiles.empty());
  const auto narrow = summarise(dataset(Matrix::own_dense<float>({}, 2, 0), {1, 2}, LabelKind::classes));
  EXPECT_EQ(narrow.zero_rows, 2);
  EXPECT_EQ(narrow.density, 0);
}

}  // namespace
}  // namespace s3gd
