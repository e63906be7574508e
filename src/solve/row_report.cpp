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

}  // namespace

RowReport report_rows(const Problem& problem, const std::vector<double>& w) {
  const Index n = problem.rows();
  const Index per_row = std::max<Index>(1, problem.x().stored() / n);
  const Index wanted = std::min(n, std::clamp(kMostEntries / per_row, kFewestRows, kMostRows));
  RowReport report;
  report.classes = !std::isnan(problem.positive_class());
  std::vector<double> largest(static_cast<std::size_t>(problem.cols()), 0.0), positive, negative;
  const double constant = problem.has_intercept() ? w.back() : 0.0;
  problem.x().visit([&](const auto& view) {
    for (Index k = 0; k < wanted; ++k) {
      const auto row =
          static_cast<Index>(static_cast<double>(k) * (static_cast<double>(n) / static_cast<double>(wanted)));
      if (problem.weight(row) == 0) continue;
      double margin = constant;
      bool zero = true;
      for_each_nonzero(view, row, [&](Index j, auto entry) {
        const auto value = static_cast<double>(entry);
        zero = false;
        margin += value * w[static_cast<std::size_t>(j)];
        largest[static_cast<std::size_t>(j)] = std::max(largest[static_cast<std::size_t>(j)], std::abs(value));
      });
      ++report.rows;
      report.zero_rows += zero ? 1 : 0;
      const double y = problem.targets()[static_cast<std::size_t>(row)];
      report.wrong += y * margin > 0 ? 0 : 1;
      (y > 0 ? positive : negative).push_back(margin);
    }
  });
  report.least_column = std::numeric_limits<double>::infinity();
  for (const double value : largest) {
    if (value > 0) report.least_column = std::min(report.least_column, value);
    report.largest_column = std::max(report.largest_column, value);
  }
  report.positive.rows = static_cast<Index>(positive.size());
  report.negative.rows = static_cast<Index>(negative.size());
  if (positive.empty() || negative.empty()) return report;
  const double typical_positive = median_of(positive), typical_negative = median_of(negative);
  report.positive.astray = share_beyond(positive, typical_negative, -1);
  report.negative.astray = share_beyond(negative, typical_positive, 1);
  return report;
}

}  // namespace s3gd
