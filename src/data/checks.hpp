// Checks of data: what kind its labels are, whether its contents are sound, and when that is looked at.
#pragma once

#include <atomic>
#include <functional>

#include "s3gd/dataset.hpp"

namespace s3gd {

// Classes when every label is a whole number and at most kMostClasses different ones occur; real otherwise.
constexpr Index kMostClasses = 1000;
LabelKind kind_of_labels(std::span<const double> labels);

// Throws, naming `name`, unless matrix, labels and weights are sound: sizes agree, every number is finite, classes are
// whole numbers (and have a name, if any has), weights are not negative.
void check_contents(const Dataset& data, const std::string& name, int threads);

// The part of it that concerns labels and weights.
void check_targets(const Dataset& data, const std::string& name);

// Deferred check of mapped data; see Dataset::verifier.
struct Verifier {
  virtual ~Verifier() = default;
  virtual void verify(int threads) const = 0;  // throws Error; does the work once
  virtual bool has_checksums() const = 0;      // or only looks whether the contents are sound
};

// A check that waits until rows are used, and then runs once whatever the number of threads that ask.
std::shared_ptr<const Verifier> verify_once(std::function<void(int threads)> check, bool has_checksums);

// Rows whose values nobody has looked at yet, and which the first pass that makes margins looks at on its way.
//
// A dense row with a value that is not finite has no finite margin w.x, whatever w is (0 times infinity is no number
// either). So finite margins of all rows show that every value is finite, at no cost; a margin that is not finite, which
// may also come from w or from an overflow, is a reason to look at the values themselves.
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
