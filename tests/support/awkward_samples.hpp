// Data that solvers find awkward: features on all scales, duplicates, flat columns, separable and rare classes.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "support/random_problem.hpp"

namespace s3gd::testing {

inline Sample plain(Index rows, Index cols, std::uint64_t seed = 1, double density = 0.6) {
  return random_sample(rows, cols, seed, density);
}

inline void scale_column(Sample& sample, Index column, double by) {
  Table& table = sample.table;
  for (Index i = 0; i < table.rows; ++i) {
    double& value = table.values[static_cast<std::size_t>(i * table.cols + column)];
    value = static_cast<double>(static_cast<float>(by * value));
  }
}

// Columns on scales from 10^-6 to 10^6; the labels follow the columns as they were.
inline Sample on_all_scales(Sample sample) {
  const Index last = sample.table.cols - 1;
  for (Index j = 0; j <= last; ++j)
    scale_column(sample, j, std::pow(10.0, -6.0 + 12.0 * static_cast<double>(j) / static_cast<double>(last)));
  return sample;
}

inline Sample all_scales(Index rows, Index cols) { return on_all_scales(plain(rows, cols, 2)); }

inline Sample duplicate_rows(Index rows, Index cols, Index copies) {
  const Sample one = plain(rows, cols, 3);
  Sample all = one;
  all.table.rows *= copies;
  const auto append = [](Vector& to, const Vector& from) { to.insert(to.end(), from.begin(), from.end()); };
  for (Index copy = 1; copy < copies; ++copy) {
    append(all.table.values, one.table.values);
    append(all.classes, one.classes);
    append(all.reals, one.reals);
    append(all.weights, one.weights);
  }
  return all;
}

// Column 0 is 3 everywhere, column 1 is 0, columns 2 and 3 are the same.
inline Sample constant_zero_and_equal_columns(Index rows, Index cols) {
  Sample sample = plain(rows, cols, 4);
  Table& table = sample.table;
  for (Index i = 0; i < rows; ++i) {
    double* row = table.values.data() + i * cols;
    row[0] = 3;
    row[1] = 0;
    row[3] = row[2];
  }
  return sample;
}

// A plane parts the classes: the labels without noise, every one of them.
inline Sample separable(Index rows, Index cols) {
  Sample sample = random_sample(rows, cols, 5, 1.0, 0.0);
  for (std::size_t i = 0; i < sample.classes.size(); ++i) sample.classes[i] = sample.reals[i] > 0.5 ? 1.0 : 0.0;
  return sample;
}

// One row in `ratio` is of class 1.
inline Sample imbalanced(Index rows, Index cols, Index ratio) {
  Sample sample = plain(rows, cols, 6);
  std::vector<double> sorted = sample.reals;
  std::sort(sorted.begin(), sorted.end());
  const double threshold = sorted[static_cast<std::size_t>(rows - std::max<Index>(2, rows / ratio))];
  for (std::size_t i = 0; i < sample.classes.size(); ++i) sample.classes[i] = sample.reals[i] >= threshold ? 1.0 : 0.0;
  return sample;
}

}  // namespace s3gd::testing
