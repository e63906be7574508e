#include "saved/ranking.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace s3gd {
namespace {

constexpr int kMantissaDigits = 52;
constexpr int kDigitsAtOnce = 4;
constexpr std::size_t kFewMargins = 4096;

double without_last_digits(double value, int digits) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) >> digits << digits);
}

}  // namespace

void Ranking::add(double margin, bool positive, double weight) {
  if (entries_.size() >= next_merge_) {
    merge();
    if (entries_.size() > most_)
      while (entries_.size() > most_ / 2 && dropped_ < kMantissaDigits) {
        dropped_ += kDigitsAtOnce;
        merge();
      }
    next_merge_ = std::max(kFewMargins, 2 * entries_.size());  // so that all merges together cost as two of the last
  }
  entries_.push_back({margin, positive ? weight : 0.0, positive ? 0.0 : weight});
}

void Ranking::merge() {
  for (Entry& entry : entries_) entry.margin = without_last_digits(entry.margin, dropped_);
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.margin < b.margin; });
  std::size_t kept = 0;
  for (const Entry& entry : entries_) {
    if (kept > 0 && entries_[kept - 1].margin == entry.margin) {
      entries_[kept - 1].positive += entry.positive;
      entries_[kept - 1].negative += entry.negative;
    } else {
      entries_[kept++] = entry;
    }
  }
  entries_.resize(kept);
}

Ranking::Result Ranking::result() {
  merge();
  double positives = 0, negatives = 0, wins = 0;
  for (const Entry& entry : entries_) {
    wins += entry.positive * (negatives + 0.5 * entry.negative);
    positives += entry.positive;
    negatives += entry.negative;
  }
  double found = 0, taken = 0, precision = 0;
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    found += entry->positive;
    taken += entry->positive + entry->negative;
    if (entry->positive > 0) precision += entry->positive * (found / taken);
  }
  if (!(positives > 0 && negatives > 0)) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    return {kNone, kNone, dropped_ == 0};
  }
  return {wins / (positives * negatives), precision / positives, dropped_ == 0};
}

}  // namespace s3gd
