#include "solve/row_report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "anchor/rows.hpp"

namespace s3gd {
namespace {

constexpr Index kFewestRows = 200, kMostRows = 5000;
constexpr Index kMostEntries = 2'000'000;

double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double share_beyond(const std::vector<double>& margins, double border, double side) {
  const auto beyond = std::count_if(margins.begin(), margins.end(), [&](double u) { return side * (u - border) > 0; });
  return static_cast<double>(beyond) / static_cast<double>(margins.size());
}

// Calls visit(view, row) for the rows of the sample.
template <class Visit>
void for_each_in_sample(const Problem& problem, Visit&& visit) {
  const Index n = problem.rows();
  const Index per_row = std::max<Index>(1, problem.x().stored() / n);
  const Index wanted = std::min(n, std::clamp(kMostEntries / per_row, kFewestRows, kMostRows));
  problem.x().visit([&](const auto& view) {
    for (Index k = 0; k < wanted; ++k) {
      const auto row =
          static_cast<Index>(static_cast<double>(k) * (static_cast<double>(n) / static_cast<double>(wanted)));
      if (problem.weight(row) != 0) visit(view, row);
    }
  });
}

template <class View>
double product(const View& x, Index i, const double* w) {
  if constexpr (is_dense_view<View>)
    return kernel::dot(x.row(i), w, x.cols);
  else
    return kernel::sparse_dot(x.values + x.starts[i], x.columns + x.starts[i], x.row_nonzeros(i), w);
}

}  // namespace

SampleReport report_sample(const Problem& problem) {
  SampleReport report;
  std::vector<double> largest(static_cast<std::size_t>(problem.cols()), 0.0);
  for_each_in_sample(problem, [&](const auto& view, Index row) {
    bool zero = true;
    for_each_nonzero(view, row, [&](Index j, auto entry) {
      zero = false;
      double& size = largest[static_cast<std::size_t>(j)];
      size = std::max(size, std::abs(static_cast<double>(entry)));
    });
    ++report.rows;
    report.zero_rows += zero ? 1 : 0;
  });
  report.least_column = std::numeric_limits<double>::infinity();
  for (const double value : largest) {
    if (value > 0) report.least_column = std::min(report.least_column, value);
    report.largest_column = std::max(report.largest_column, value);
  }
  return report;
}

RowReport report_rows(const Problem& problem, const std::vector<double>& w, const SampleReport& sample) {
  RowReport report;
  static_cast<SampleReport&>(report) = sample;
  report.classes = !std::isnan(problem.positive_class());
  std::vector<double> positive, negative;
  const double constant = problem.has_intercept() ? w.back() : 0.0;
  for_each_in_sample(problem, [&](const auto& view, Index row) {
    const double margin = constant + product(view, row, w.data());
    const double y = problem.targets()[static_cast<std::size_t>(row)];
    report.wrong += y * margin > 0 ? 0 : 1;
    (y > 0 ? positive : negative).push_back(margin);
  });
  report.positive.rows = static_cast<Index>(positive.size());
  report.negative.rows = static_cast<Index>(negative.size());
  if (positive.empty() || negative.empty()) return report;
  const double typical_positive = median_of(positive), typical_negative = median_of(negative);
  report.positive.astray = share_beyond(positive, typical_negative, -1);
  report.negative.astray = share_beyond(negative, typical_positive, 1);
  return report;
}

}  // namespace s3gd
