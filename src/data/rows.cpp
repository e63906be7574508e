// Rows and columns chosen: parts of a dataset, and columns that go with those of another.
#include "data/columns.hpp"

#include <fmt/core.h>
#include <algorithm>
#include <map>

#include "base/mention.hpp"
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

constexpr std::size_t kNamesShown = 5;

using Places = std::map<std::string, std::size_t, std::less<>>;

Places places_of(const std::vector<std::string>& names, const std::string& whose) {
  Places places;
  for (std::size_t j = 0; j < names.size(); ++j)
    if (!places.emplace(names[j], j).second)
      throw Error(whose + " has two columns named '" + names[j] + "'", "name every column differently");
  return places;
}

// ", .." after the first few.
std::string listed(const std::vector<std::string>& names, const Places& but) {
  std::string list;
  std::size_t count = 0;
  for (const std::string& name : names) {
    if (but.contains(name)) continue;
    if (++count <= kNamesShown) list += (list.empty() ? "'" : ", '") + name + "'";
  }
  return count > kNamesShown ? list + " and " + std::to_string(count - kNamesShown) + " more" : list;
}

[[noreturn]] void refuse_names(const Dataset& data, const std::vector<std::string>& expected, const Places& here,
                               const Places& wanted) {
  const std::string missing = listed(expected, here);
  const std::string extra = listed(data.feature_names, wanted);
  std::string text = data.source + ": other columns than in training:";
  if (!missing.empty()) text += " missing " + missing;
  if (!extra.empty()) text += (missing.empty() ? " " : "; ") + std::string("unknown ") + extra;
  const bool label_taken = wanted.contains(data.label_column);
  if (missing.empty() && !extra.empty())
    throw Error(text, "leave them out; " + opt("weight-column", "NAME") + " where one holds weights of rows, " +
                          opt("label-column", "NAME") + " where it holds labels");
  throw Error(text, label_taken ? "the column '" + data.label_column +
                                      "' was taken for the label: " + opt("label-column", "none")
                                : "give the columns of the training rows; their order does not matter");
}

std::vector<Index> places_by_name(const Dataset& data, const std::vector<std::string>& names) {
  if (data.feature_names == names) return {};
  const Places here = places_of(data.feature_names, data.source);
  const Places wanted = places_of(names, "the training data");
  std::vector<Index> to;
  for (const std::string& name : data.feature_names) {
    const auto place = wanted.find(name);
    if (place != wanted.end()) to.push_back(static_cast<Index>(place->second));
  }
  if (to.size() != names.size() || names.size() != data.feature_names.size()) refuse_names(data, names, here, wanted);
  return to;
}

Dataset widened(Dataset data, Index cols, int threads) {
  if (data.cols() >= cols) return data;
  data.x = with_cols(data.x, cols, threads);
  data.feature_names.clear();
  return data;
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

std::vector<Index> column_places(const Dataset& data, const std::vector<std::string>& names, Index cols) {
  if (!names.empty() && !data.feature_names.empty()) return places_by_name(data, names);
  if (data.cols() == cols || data.has_open_width()) return {};
  const bool label_taken = data.cols() + 1 == cols && !data.label_column.empty();
  throw Error(data.source + " has " + std::to_string(data.cols()) + " columns, " + std::to_string(cols) +
                  " were there in training",
              label_taken ? "one column was taken for the label: " + opt("label-column", "none") + " when there is none"
                          : "give the columns of the training rows");
}

Dataset match_columns(const Dataset& data, const std::vector<std::string>& names, Index cols, int threads) {
  const std::vector<Index> to = column_places(data, names, cols);
  if (to.empty()) return data;
  data.verify(threads);
  Dataset matched = data;
  matched.verifier = nullptr;
  matched.feature_names = names;
  matched.x = with_columns_at(data.x, to, threads);
  return matched;
}

void read_alike(LoadOptions& options, const std::optional<Index>& index_base, const std::string& label_column) {
  if (options.index_base == IndexBase::detect && index_base)
    options.index_base = *index_base == 0 ? IndexBase::zero : IndexBase::one;
  options.usual_label_column = label_column;
}

void match_widths(Dataset& train, Dataset& test, int threads) {
  test = match_columns(test, train.feature_names, train.cols(), threads);
  if (test.cols() > train.cols() && !train.has_open_width())
    throw Error(fmt::format("{} has {} columns, {} has {}", test.source, test.cols(), train.source, train.cols()),
                "validate on the columns of the training rows");
  train = widened(std::move(train), test.cols(), threads);
  test = widened(std::move(test), train.cols(), threads);
}

}  // namespace s3gd
