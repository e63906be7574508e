#include "solve/advice.hpp"

#include <fmt/core.h>

#include <cmath>
#include <limits>

#include "base/index.hpp"
#include "base/mention.hpp"

namespace s3gd {
namespace {

constexpr double kWildScales = 1e4;     // between the largest entries of two columns
constexpr double kManyZeroRows = 0.01;  // of the rows

}  // namespace

SampleReport report_sample(const Matrix& x, const std::function<double(Index)>& weight) {
  SampleReport report;
  std::vector<double> largest(at(x.cols()), 0.0);
  for_each_in_sample(x, weight, [&](const auto& view, Index row) {
    bool zero = true;
    for_each_nonzero(view, row, [&](Index j, auto entry) {
      zero = false;
      double& size = largest[at(j)];
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

void advise_on_rows(const SampleReport& sample, std::vector<Advice>& advice) {
  const double factor = sample.largest_column / sample.least_column;
  if (sample.largest_column > kWildScales * sample.least_column)
    advice.push_back(
        {AdviceCode::wild_scales,
         fmt::format("features differ in scale by a factor of {:.0e}, so that the penalty weighs on some and "
                     "not on others: use {}",
                     factor, opt("scale", "standard or max-abs")),
         {{"factor", factor}}});
  const double share = static_cast<double>(sample.zero_rows) / static_cast<double>(std::max<Index>(1, sample.rows));
  if (share >= kManyZeroRows)
    advice.push_back(
        {AdviceCode::zero_rows,
         fmt::format("{} % of the rows are all zero and say nothing but their label: check how the file is "
                     "read ({}, {}, {}), or leave them out",
                     share < 0.1 ? fmt::format("{:.2g}", 100 * share) : fmt::format("{:.0f}", 100 * share),
                     opt("format"), opt("index-base"), opt("label-column")),
         {{"share", share}}});
}

}  // namespace s3gd
