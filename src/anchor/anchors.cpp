#include "anchor/anchors.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>

#include "anchor/kmeans.hpp"
#include "anchor/nearest_rows.hpp"
#include "anchor/row_checksum.hpp"
#include "anchor/rows.hpp"
#include "base/index.hpp"

namespace s3gd {
namespace {

// Nearest rows looked at for each centre, should the first be taken: few for all, then many for those left over.
constexpr std::array<Index, 2> kCandidates{2, 64};

// Rows by content: take() says whether a row differs from all taken before, and takes it if so.
class DistinctRows {
 public:
  explicit DistinctRows(const Matrix& x) : x_(x) {}

  bool take(Index row) {
    const auto key = row_checksum(x_, row);
    const auto [first, last] = taken_.equal_range(key);
    for (auto it = first; it != last; ++it)
      if (rows_equal(x_, it->second, row)) return false;
    taken_.emplace(key, row);
    return true;
  }

 private:
  const Matrix& x_;
  std::unordered_multimap<std::uint64_t, Index> taken_;
};

Centres chosen_centres(const Centres& centres, const std::vector<Index>& chosen) {
  Centres some;
  some.count = static_cast<Index>(chosen.size());
  some.dim = centres.dim;
  for (const Index j : chosen) some.values.insert(some.values.end(), centres.row(j), centres.row(j) + centres.dim);
  return some;
}

std::vector<Index> nearest_distinct_rows(const Matrix& x, const Centres& centres, Index wanted, int threads) {
  DistinctRows distinct(x);
  std::vector<Index> anchors;
  std::vector<Index> open(at(centres.count));  // centres that have no anchor yet
  std::iota(open.begin(), open.end(), Index{0});
  for (const Index candidates : kCandidates) {
    if (open.empty()) break;
    std::vector<Index> still_open;
    const auto nearest = nearest_rows(x, chosen_centres(centres, open), candidates, threads);
    for (std::size_t j = 0; j < open.size(); ++j) {
      const auto row = std::find_if(nearest[j].begin(), nearest[j].end(), [&](Index i) { return distinct.take(i); });
      if (row != nearest[j].end())
        anchors.push_back(*row);
      else
        still_open.push_back(open[j]);
    }
    open = std::move(still_open);
  }
  // Centres crowded out by many duplicates, or never found because distinct rows are rare: any new row will do.
  for (Index i = 0; i < x.rows() && static_cast<Index>(anchors.size()) < wanted; ++i)
    if (distinct.take(i)) anchors.push_back(i);
  return anchors;
}

}  // namespace

std::vector<Index> choose_anchors(const Matrix& x, const GraphOptions& options) {
  const Index wanted = std::min(options.anchors, x.rows());
  KmeansOptions clustering;
  clustering.clusters = wanted;
  clustering.sample = options.sample_per_anchor > x.rows() / wanted ? 0 : options.sample_per_anchor * wanted;
  clustering.rounds = options.rounds;
  clustering.seed = options.seed;
  clustering.threads = options.threads;
  const Centres centres = kmeans(x, clustering);
  return nearest_distinct_rows(x, centres, wanted, options.threads);
}

template <class T>
std::vector<T> dense_rows(const Matrix& x, const std::vector<Index>& rows) {
  std::vector<T> values(rows.size() * at(x.cols()));
  x.visit([&](const auto& view) {
    for (std::size_t j = 0; j < rows.size(); ++j) expand_row(view, rows[j], values.data() + j * at(view.cols));
  });
  return values;
}

template std::vector<float> dense_rows<float>(const Matrix&, const std::vector<Index>&);
template std::vector<double> dense_rows<double>(const Matrix&, const std::vector<Index>&);

}  // namespace s3gd
