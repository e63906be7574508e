// The metric of a quasi-Newton step: a Hessian summed over a sample of rows, factorised; and the memory of past steps
// that corrects what the sample missed.
#pragma once

#include <array>
#include <deque>
#include <utility>

#include "base/random.hpp"
#include "problem/hessian.hpp"
#include "s3gd/problem.hpp"

namespace s3gd {

class Metric {
 public:
  virtual ~Metric() = default;
  virtual void solve(std::span<double> v) const = 0;  // v <- H^-1 v
};

// The diagonal of the whole Hessian.
class DiagonalMetric final : public Metric {
 public:
  DiagonalMetric(const Problem& problem, std::span<const double> curvatures, std::span<const double> added);
  void solve(std::span<double> v) const override;

 private:
  std::vector<double> diagonal_;
};

// H = sum over the sample of weight_k x_k x_k' + diag(added), as a Cholesky factor. A part of the rows is summed in float; then
// coordinates that it hardly bends beside `added` are taken to couple with nothing and keep their diagonal alone.
class SampledMetric final : public Metric {
 public:
  // `rows` and `weights` side by side; `added` has dim() numbers, 0 for coordinates without a penalty.
  void build(const Problem& problem, std::span<const Index> rows, std::span<const double> weights,
             std::span<const double> added);
  // For further problems over the same rows: the sum is kept, and every coordinate the sample has is coupled.
  void keep_sum() { keeps_ = true; }
  // The same sample with another diagonal added: O(d^3), no row is looked at. Only where the sum was kept.
  void change_added(std::span<const double> added);
  bool empty() const { return squares_.empty(); }
  Index sample() const { return sample_; }         // rows it was built from
  void solve(std::span<double> v) const override;  // several vectors, one after the other, at once
  static double row_cost(const Problem& problem);  // of a row in the sample, in nanoseconds, roughly

 private:
  void factorise(std::vector<double> sum, std::span<const double> added);

  std::vector<Index> coupled_;              // coordinates in the factor, ascending
  ScaledFactor factor_;                     // coupled x coupled
  std::vector<double> squares_, diagonal_;  // of the sum; with what is added
  Index sample_ = 0;
  double jitter_ = 0;  // what the precision of the sum asks for on a unit diagonal
  bool keeps_ = false;
  std::vector<double> sum_;  // over the coupled coordinates, while kept
};

// Limited-memory BFGS on top of a metric.
class StepMemory {
 public:
  // rescales: the metric is multiplied by what it was wrong by along the last step.
  explicit StepMemory(std::size_t most, bool rescales = true) : most_(most), rescales_(rescales) {}
  void clear() { pairs_.clear(); }
  void add(std::vector<double> moved, std::vector<double> gradient_change);
  // The curvature has become larger by this diagonal (where negative, smaller), for past steps as well.
  void curvature_changed(std::span<const double> by);
  std::vector<double> direction(std::span<const double> gradient, const Metric& metric) const;  // -B gradient
  // The same in two halves, for a metric that is asked for several directions at once: v is to be solved for between them.
  // So is `change`, where there is one.
  struct Halfway {
    std::vector<double> v, shares, change;
  };
  Halfway before_metric(std::span<const double> gradient) const;
  std::vector<double> after_metric(Halfway half) const;

 private:
  struct Pair {
    std::vector<double> moved, change;
    double product;
  };
  std::size_t most_;
  bool rescales_;
  std::deque<Pair> pairs_;
};

// The numbers 0 .. count-1 in a random order that is computed, not stored: a Feistel network over the next power of
// four, walked until it lands inside. A sample of a thousand rows costs the same whatever the number of rows.
class LazyShuffle {
 public:
  LazyShuffle(Index count, Rng& rng) : count_(static_cast<std::uint64_t>(count)) {
    while ((std::uint64_t{1} << (2 * half_)) < count_) ++half_;
    for (auto& key : keys_) key = rng.next();
  }
  Index operator()(Index k) const {
    auto value = static_cast<std::uint64_t>(k);
    do value = round_trip(value);
    while (value >= count_);
    return static_cast<Index>(value);
  }

 private:
  std::uint64_t round_trip(std::uint64_t value) const {
    const std::uint64_t mask = (std::uint64_t{1} << half_) - 1;
    std::uint64_t left = value >> half_, right = value & mask;
    for (const std::uint64_t key : keys_) {
      std::uint64_t mixed = (right ^ key) * 0x9e3779b97f4a7c15U;
      mixed ^= mixed >> 32;
      left = std::exchange(right, left ^ (mixed & mask));
    }
    return left << half_ | right;
  }
  std::uint64_t count_;
  int half_ = 1;
  std::array<std::uint64_t, 6> keys_{};
};

// Rows and what each counts for, so that the weighted sum over them estimates sum_i sizes_i (anything of row i).
struct RowSample {
  std::vector<Index> rows;  // ascending
  std::vector<double> weights;
};

// About `count` rows drawn in proportion to their sizes (and a little at random), each at most once; all rows of some
// size when count is not less than their number. Systematic: one random offset, then every so much of the running sum.
RowSample sample_by_size(std::span<const double> sizes, Index count, Rng& rng);
// The same where the sizes are those of some of the rows (empty = all).
RowSample sample_by_size(std::span<const double> sizes, std::span<const Index> rows, Index count, Rng& rng);

}  // namespace s3gd
