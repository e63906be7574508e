#include "s3gd/dataset.hpp"

#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "base/mention.hpp"
#include "data/format.hpp"
#include "s3gd/error.hpp"

namespace s3gd {

std::vector<double> Labels::distinct(Index limit) const {
  std::unordered_set<double> seen;
  for (const double value : values) {
    seen.insert(value);
    if (static_cast<Index>(seen.size()) > limit)
      throw Error("more than " + std::to_string(limit) + " different labels",
                  "these look like real numbers: use " + opt("loss", "squared"));
  }
  std::vector<double> sorted(seen.begin(), seen.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

std::string Labels::name_of(double value) const {
  if (!class_names.empty()) return class_names.at(static_cast<std::size_t>(value));
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return std::string(text, end);
}

void Dataset::verify(int threads) const {
  if (verifier) verifier->verify(threads);
}

}  // namespace s3gd
