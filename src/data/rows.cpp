#include <algorithm>
#include <cmath>
#include <map>

#include "base/random.hpp"
#include "data/convert.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

Array<double> taken(const Array<double>& from, std::span<const Index> rows) {
  if (from.empty()) return {};
  std::vector<double> values;
  values.reserve(rows.size());
  for (const Index row : rows) values.push_back(from[row]);
  return Array<double>(std::move(values));
}

// Rows by class, classes in ascending order; one group when there are no classes.
std::vector<std::vector<Index>> groups_of(const Dataset& data, bool stratified) {
  std::map<double, std::vector<Index>> by_label;
  const bool classes = stratified && data.y.kind == LabelKind::classes;
  for (Index i = 0; i < data.rows(); ++i) by_label[classes ? data.y.values[i] : 0.0].push_back(i);
  std::vector<std::vector<Index>> groups;
  for (auto& entry : by_label) groups.push_back(std::move(entry.second));
  return groups;
}

// How many of each group go to the test part: rounded down, then one more for those that lost most by it, until the
// total is the one asked for. The last row of a group stays in the training part as long as others have one to give.
std::vector<Index> test_counts(const std::vector<std::vector<Index>>& groups, double fraction, Index total) {
  std::vector<Index> counts;
  std::vector<std::pair<double, std::size_t>> lost;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const double share = fraction * static_cast<double>(groups[g].size());
    counts.push_back(static_cast<Index>(share));
    lost.emplace_back(std::floor(share) - share, g);
    total -= counts.back();
  }
  std::sort(lost.begin(), lost.end());
  for (std::size_t last_ones = 0; last_ones < 2; ++last_ones)
    for (Index before = -1; total > 0 && total != before;) {
      before = total;
      for (std::size_t k = 0; k < lost.size() && total > 0; ++k) {
        Index& count = counts[lost[k].second];
        if (count + 1 > static_cast<Index>(groups[lost[k].second].size()) - (last_ones == 0 ? 1 : 0)) continue;
        ++count;
        --total;
      }
    }
  return counts;
}

}  // namespace

Dataset take_rows(const Dataset& data, std::span<const Index> rows) {
  for (const Index row : rows)
    if (row < 0 || row >= data.rows())
      throw Error("row " + std::to_string(row) + " was asked for, there are " + std::to_string(data.rows()));
  data.verify();
  Dataset part = data;
  part.verifier = nullptr;
  part.x = gather_rows(data.x, rows, 0);
  part.y.values = taken(data.y.values, rows);
  part.weights = taken(data.weights, rows);
  return part;
}

Split split_rows(const Dataset& data, double test_fraction, std::uint64_t seed, bool stratified) {
  if (!(test_fraction > 0 && test_fraction < 1))
    throw Error("the share of the test rows is " + std::to_string(test_fraction), "give a number between 0 and 1");
  if (data.rows() < 2) throw Error("there are too few rows to split");
  data.verify();
  const auto rows = static_cast<double>(data.rows());
  const Index total = std::clamp<Index>(static_cast<Index>(std::llround(test_fraction * rows)), 1, data.rows() - 1);
  auto groups = groups_of(data, stratified);
  const auto counts = test_counts(groups, test_fraction, total);
  Split split;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    Rng rng(seed, g);
    rng.shuffle(groups[g]);
    const auto border = groups[g].begin() + counts[g];
    split.test.insert(split.test.end(), groups[g].begin(), border);
    split.train.insert(split.train.end(), border, groups[g].end());
  }
  std::sort(split.test.begin(), split.test.end());
  std::sort(split.train.begin(), split.train.end());
  return split;
}

}  // namespace s3gd
