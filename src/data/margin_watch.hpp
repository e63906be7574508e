// Rows whose values nobody has looked at yet, and which the first pass that makes margins looks at on its way.
//
// A dense row with a value that is not finite has no finite margin w.x, whatever w is (0 times infinity is no number
// either). So finite margins of all rows show that every value is finite, at no cost; a margin that is not finite, which
// may also come from w or from an overflow, is a reason to look at the values themselves.
#pragma once

#include <atomic>

#include "data/format.hpp"

namespace s3gd {

class MarginWatch final : public Verifier {
 public:
  explicit MarginWatch(Matrix x) : x_(std::move(x)) {}  // dense

  void verify(int) const override {}  // waits for the margins
  bool has_checksums() const override { return false; }

  // A pass has made the margins of some of the rows, or of all. Throws the Error of Matrix::check().
  void made_margins(bool of_all_rows, bool all_finite, int threads) const {
    if (sound_.load(std::memory_order_relaxed)) return;
    if (!all_finite)
      insist(threads);
    else if (of_all_rows)
      sound_.store(true, std::memory_order_relaxed);
  }
  // Schedule at the values now, unless the margins of all rows have shown that they are finite.
  void insist(int threads) const {
    if (sound_.load(std::memory_order_relaxed)) return;
    x_.check(threads);
    sound_.store(true, std::memory_order_relaxed);
  }

 private:
  Matrix x_;
  mutable std::atomic<bool> sound_{false};
};

}  // namespace s3gd
