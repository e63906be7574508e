// What depends on the order of the margins of two classes: area under the ROC curve and average precision.
//
// Keeps each different margin once, with the weight of the positives and the negatives that have it. When more than
// kMostMargins are different, their last binary digits are dropped, as few as will do: memory stays bounded, and rows
// whose margins agree in all other digits count as ties.
#pragma once

#include <cstdint>
#include <vector>

namespace s3gd {

class Ranking {
 public:
  static constexpr std::size_t kMostMargins = std::size_t{1} << 20;
  explicit Ranking(std::size_t most_margins = kMostMargins) : most_(most_margins) {}

  void add(double margin, bool positive, double weight);

  struct Result {
    double auc, average_precision;  // NaN without rows of both classes
    bool exact;                     // no digits were dropped
  };
  Result result();

 private:
  struct Entry {
    double margin, positive, negative;
  };
  void merge();  // sorts, and makes one entry of those with the same margin

  std::size_t most_;
  std::vector<Entry> entries_;
  std::size_t next_merge_ = 0;  // number of entries at which they are merged
  int dropped_ = 0;             // binary digits of each margin
};

}  // namespace s3gd
