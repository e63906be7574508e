#include "anchor/anchors.hpp"

#include <algorithm>
#include <unordered_map>

#include "anchor/kmeans.hpp"
#include "anchor/nearest_rows.hpp"
#include "anchor/row_checksum.hpp"
#include "anchor/rows.hpp"

namespace s3gd {
namespace {

constexpr Index kCandidates = 2;  // nearest rows looked at for each centre, should the first be taken

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

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

std::vector<Index> nearest_distinct_rows(const Matrix& x, const Centres& centres, Index wanted, int threads) {
  DistinctRows distinct(x);
  std::vector<Index> anchors;
  for (const auto& candidates : nearest_rows(x, centres, kCandidates, threads))
    for (const Index row : candidates)
      if (distinct.take(row)) {
        anchors.push_back(row);
        break;
      }
  // Centres crowded out by duplicates, or never found because distinct rows are rare: any new row will do.
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
