#include "data/labels.hpp"

#include <cmath>
#include <unordered_set>

namespace s3gd {

LabelKind kind_of_labels(std::span<const double> labels) {
  std::unordered_set<double> seen;
  for (const double label : labels) {
    if (label != std::floor(label)) return LabelKind::real;
    seen.insert(label);
    if (static_cast<Index>(seen.size()) > kMostClasses) return LabelKind::real;
  }
  return LabelKind::classes;
}

}  // namespace s3gd
