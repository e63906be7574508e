#include "data/columns.hpp"

#include <fmt/core.h>

#include <map>

#include "base/mention.hpp"
#include "data/convert.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

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
