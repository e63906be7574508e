#include "solve/row_report.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "solve/row_sample.hpp"

namespace s3gd {
namespace {

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double share_beyond(const std::vector<double>& margins, double border, double side) {
  const auto beyond = std::count_if(margins.begin(), margins.end(), [&](double u) { return side * (u - border) > 0; });
  return static_cast<double>(beyond) / static_cast<double>(margins.size());
}

template <class View>
double product(const View& x, Index i, const double* w) {
  if constexpr (is_dense_view<View>)
    return kernel::dot(x.row(i), w, x.cols);
  else
    return kernel::sparse_dot(x.values + x.starts[i], x.columns + x.starts[i], x.row_nonzeros(i), w);
}

}  // namespace

SampleReport report_sample(const Matrix& x, const std::function<double(Index)>& weight) {
  SampleReport report;
  std::vector<double> largest(static_cast<std::size_t>(x.cols()), 0.0);
  for_each_in_sample(x, weight, [&](const auto& view, Index row) {
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

SampleReport report_sample(const Problem& problem) {
  return report_sample(problem.x(), [&](Index row) { return problem.weight(row); });
}

SampleReport report_sample(const Dataset& data) {
  return report_sample(data.x, [&](Index row) { return data.weights.empty() ? 1.0 : data.weights[row]; });
}

std::pair<ClassReport, ClassReport> compare_classes(const std::vector<double>& high, const std::vector<double>& low) {
  ClassReport a{static_cast<Index>(high.size()), 0}, b{static_cast<Index>(low.size()), 0};
  if (high.empty() || low.empty()) return {a, b};
  a.astray = share_beyond(high, median_of(low), -1);
  b.astray = share_beyond(low, median_of(high), 1);
  return {a, b};
}

RowReport report_rows(const Problem& problem, const std::vector<double>& w, const SampleReport& sample) {
  RowReport report;
  static_cast<SampleReport&>(report) = sample;
  report.classes = !std::isnan(problem.positive_class());
  std::vector<double> positive, negative;
  const double constant = problem.has_intercept() ? w.back() : 0.0;
  const auto weight = [&](Index row) { return problem.weight(row); };
  for_each_in_sample(problem.x(), weight, [&](const auto& view, Index row) {
    const double by_features = product(view, row, w.data()), margin = constant + by_features;
    report.by_features = std::max(report.by_features, std::abs(by_features));
    const double y = problem.targets()[static_cast<std::size_t>(row)];
    report.wrong += y * margin > 0 ? 0 : 1;
    (y > 0 ? positive : negative).push_back(margin);
  });
  std::tie(report.positive, report.negative) = compare_classes(positive, negative);
  return report;
}

}  // namespace s3gd
