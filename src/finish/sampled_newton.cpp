// Quasi-Newton in the metric of a sampled Hessian, for smooth problems of moderate width.
//
// The rows are looked at in samples that grow: a sample's optimum is found to about the accuracy the sample deserves,
// cheaply, and is where the next begins; so the first steps do not depend on the number of rows at all. Over all rows,
// each step is one pass: the metric comes from rows drawn in proportion to their curvature, which near the optimum
// lives in few of them, and the memory of past steps corrects what the sample missed. Progress that is slower than it
// should be is answered by a new metric from more rows at the present point.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/random.hpp"
#include "finish/curvature_sample.hpp"
#include "finish/methods.hpp"
#include "finish/metric.hpp"
#include "finish/optimality.hpp"
#include "kernel/kernel.hpp"
#include "model/full_pass.hpp"
#include "model/loss.hpp"
#include "model/penalty.hpp"
#include "model/row_sums.hpp"

namespace s3gd {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr Index kWidest = 2000;        // columns; beyond, a factor costs more than it saves ...
constexpr double kFactorInPasses = 5;  // ... as it does with fewer rows than this many passes amount to
constexpr Index kAlwaysNarrow = 256;
constexpr double kCheapStart = 0.6;  // in passes: a first metric for less than this is where to begin
constexpr double kGrowth = 3;        // of a sample to the next
constexpr int kStepsPerSample = 2;
constexpr double kLastSample = 0.15;     // of the rows: beyond, full passes gain more
constexpr double kMetricInClimb = 0.3;   // passes a new metric may cost while samples grow
constexpr double kMetricInPasses = 1.2;  // what the first metric over all rows may cost
constexpr double kShortens = 0.4;        // of the way that is left, by a metric from twice the rows
constexpr double kNearEnough = 1e-6;     // relative decrease expected of a step below which float no longer resolves it
constexpr std::size_t kMemory = 10;
constexpr int kMostSteps = 300;       // over all rows; then the exact Newton takes over
constexpr double kStartPasses = 0.4;  // of S3GD otherwise

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

double product(std::span<const double> a, std::span<const double> b) {
  return kernel::dot(a.data(), b.data(), static_cast<Index>(a.size()));
}

// Rough costs in nanoseconds; they decide sizes of samples, so they are constants, not measurements: the same problem
// takes the same path on every machine.
struct Costs {
  explicit Costs(const Problem& problem) {
    const double entries = static_cast<double>(problem.x().stored()), rows = static_cast<double>(problem.rows());
    const double dim = static_cast<double>(problem.dim());
    row = entries / rows * (problem.x().is_dense() ? 0.25 : 2.0) + 10;
    pass = row * rows;
    metric_row = dim * dim / 60 + 0.5 * dim + 40;
    factor = dim * dim * dim / 60;
  }
  double row, pass, metric_row, factor;
};

Index first_sample(const Problem& problem) { return std::max<Index>(500, problem.dim() * 3 / 2); }

struct Point {
  std::vector<double> w, gradient;  // of F: penalty included
  double value = std::numeric_limits<double>::infinity();
  Arithmetic made_in = Arithmetic::data;

  // Differences of F below this are rounding.
  double rounding() const { return (made_in == Arithmetic::data ? 1e-8 : 1e-13) * std::abs(value); }
};

class Search {
 public:
  Search(const FinishInput& input, std::vector<double> start, Progress& progress)
      : input_(input),
        problem_(input.problem),
        progress_(progress),
        penalty_(problem_.spec().penalty, problem_.cols(), problem_.spec().intercept),
        optimality_(problem_),
        costs_(problem_),
        memory_(kMemory),
        rng_(input.seed, 5),
        from_zero_(std::all_of(start.begin(), start.end(), [](double value) { return value == 0; })) {
    point_.w = std::move(start);
    point_.w.resize(at(problem_.dim()), 0.0);
    for (Index j = 0; j < problem_.dim(); ++j) ridge_.push_back(2.0 * penalty_.l2_of(j));
  }

  Finish run() {
    if (from_zero_) climb();
    if (end_ == Running::yes) descend();
    finish_.w = point_.w;
    return std::move(finish_);
  }

 private:
  enum class Running { yes, no };

  // F and its gradient over the given rows, whose loss is scaled up to the whole.
  void evaluate(std::span<const Index> rows, Point& at_point, const PerRow& keep = {}) {
    at_point.gradient.resize(at_point.w.size());
    at_point.made_in = arithmetic_;
    const RowSums sums = sum_rows(problem_, rows, at_point.w, arithmetic_, at_point.gradient, keep);
    const double scale = sums.weight > 0 ? problem_.total_weight() / sums.weight : 1.0;
    kernel::scale(scale, at_point.gradient.data(), problem_.dim());
    for (std::size_t j = 0; j < ridge_.size(); ++j) at_point.gradient[j] += ridge_[j] * at_point.w[j];
    at_point.value = scale * sums.loss + penalty_.value(std::span<const double>(at_point.w));
    const Index count = rows.empty() ? problem_.rows() : static_cast<Index>(rows.size());
    finish_.passes += static_cast<double>(count) / static_cast<double>(problem_.rows());
  }

  bool report(std::span<const double> w) {
    if (progress_.moved(w, finish_.passes, kNotANumber, kNotANumber) && ++finish_.iterations < input_.max_iterations)
      return true;
    end_ = Running::no;
    finish_.end = FinishEnd::stopped;
    return false;
  }

  void climb();
  bool sample_step(std::span<const Index> rows);
  void descend();
  bool full_step();
  double best_between(const Point& from, std::span<const double> direction, std::span<const double> old_margins,
                      std::span<const double> new_margins) const;
  bool worth_a_metric(double gap, double rate, Index size) const;
  void draw_metric(Index size);
  double estimated_gap() const;
  bool certified();

  const FinishInput& input_;
  const Problem& problem_;
  Progress& progress_;
  Penalty penalty_;
  Optimality optimality_;
  Costs costs_;
  std::vector<double> ridge_;
  Arithmetic arithmetic_ = Arithmetic::data;
  SampledMetric metric_;
  StepMemory memory_;
  Rng rng_;
  bool from_zero_;
  Point point_;
  std::vector<double> margins_, new_margins_, curvatures_;
  Running end_ = Running::yes;
  Finish finish_;
};

// One step on a sample; false when there is nothing left to gain on it.
bool Search::sample_step(std::span<const Index> rows) {
  const std::vector<double> direction = memory_.direction(point_.gradient, metric_);
  const double slope = product(direction, point_.gradient);
  if (!(slope < 0)) return false;
  Point next;
  double t = 1;
  for (int halving = 0; halving < 20; ++halving) {
    next.w = point_.w;
    kernel::axpy(t, direction.data(), next.w.data(), problem_.dim());
    evaluate(rows, next);
    if (next.value <= point_.value + 1e-4 * t * slope) break;
    t *= 0.4;
  }
  if (!(next.value < point_.value)) return false;
  std::vector<double> moved = next.w, change = next.gradient;
  kernel::axpy(-1.0, point_.w.data(), moved.data(), problem_.dim());
  kernel::axpy(-1.0, point_.gradient.data(), change.data(), problem_.dim());
  memory_.add(std::move(moved), std::move(change));
  std::swap(point_, next);
  return true;
}

void Search::climb() {
  const Index n = problem_.rows();
  const Index first = first_sample(problem_);
  const auto last = static_cast<Index>(kLastSample * static_cast<double>(n));
  if (first > last) return;
  const Index run = std::clamp<Index>(64 / problem_.cols(), 1, 8);
  const Index runs = (n + run - 1) / run;
  const LazyShuffle shuffle(runs, rng_);
  std::vector<Index> order;
  Index drawn = 0;
  for (double size = static_cast<double>(first); size <= static_cast<double>(last); size *= kGrowth) {
    for (; drawn < runs && static_cast<double>(order.size()) < size; ++drawn) {
      const Index begin = shuffle(drawn) * run;
      for (Index i = begin; i < std::min(n, begin + run); ++i) order.push_back(i);
    }
    const std::span<const Index> rows = order;
    std::vector<double> curvature(rows.size());
    evaluate(rows, point_, {{}, curvature});
    const double metric_cost = costs_.metric_row * size + costs_.factor;
    if (metric_.empty() ||
        (metric_cost < kMetricInClimb * costs_.pass && size > 3.5 * static_cast<double>(metric_.sample()))) {
      const double total = static_cast<double>(n) / static_cast<double>(rows.size());
      for (double& c : curvature) c *= total;
      metric_.build(problem_, rows, curvature, ridge_);
      memory_.clear();
    }
    for (int step = 0; step < kStepsPerSample; ++step) {
      if (!sample_step(rows)) break;
    }
    if (!report(point_.w)) return;
  }
}

void Search::draw_metric(Index size) {
  const RowSample sample = sample_by_size(curvatures_, size, rng_);
  metric_.build(problem_, sample.rows, sample.weights, ridge_);
  memory_.clear();
}

double Search::estimated_gap() const {
  std::vector<double> loss_part = point_.gradient;
  for (std::size_t j = 0; j < ridge_.size(); ++j) loss_part[j] -= ridge_[j] * point_.w[j];
  return optimality_.relative_gap(point_.w, loss_part, point_.value);
}

bool Search::certified() {
  finish_.certificate = certify(problem_, point_.w);
  finish_.passes += 1;
  return finish_.certificate.relative_gap <= input_.tol;
}

// Where F is least between the old margins and the new ones, by bisection on the slope along the way. No pass: the
// margins of both ends are known.
double Search::best_between(const Point& from, std::span<const double> direction, std::span<const double> old_margins,
                            std::span<const double> new_margins) const {
  const Loss loss(problem_.spec().loss);
  const auto y = problem_.targets();
  const auto slope_at = [&](double t) {
    double slope = 0;
    for (std::size_t j = 0; j < direction.size(); ++j)
      slope += ridge_[j] * (from.w[j] + t * direction[j]) * direction[j];
    constexpr Index kBlock = 512;
    double u[kBlock], slopes[kBlock];
    for (Index first = 0; first < problem_.rows(); first += kBlock) {
      const Index count = std::min(kBlock, problem_.rows() - first);
      for (Index r = 0; r < count; ++r)
        u[r] = old_margins[at(first + r)] + t * (new_margins[at(first + r)] - old_margins[at(first + r)]);
      loss.terms(u, y.data() + first, count, {nullptr, slopes, nullptr});
      for (Index r = 0; r < count; ++r)
        slope += problem_.weight(first + r) * slopes[r] * (new_margins[at(first + r)] - old_margins[at(first + r)]);
    }
    return slope;
  };
  double low = 0, high = 1;
  for (int halving = 0; halving < 40 && high - low > 0.1 * high; ++halving) {
    const double middle = 0.5 * (low + high);
    (slope_at(middle) < 0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

bool Search::full_step() {
  const std::vector<double> direction = memory_.direction(point_.gradient, metric_);
  const double slope = product(direction, point_.gradient);
  if (!(slope < 0)) return false;
  if (-slope < kNearEnough * std::abs(point_.value)) arithmetic_ = Arithmetic::exact;
  Point next;
  double t = 1;
  for (int attempt = 0; attempt < 12; ++attempt) {
    next.w = point_.w;
    kernel::axpy(t, direction.data(), next.w.data(), problem_.dim());
    if (!report(next.w)) return false;
    evaluate({}, next, {new_margins_, curvatures_});
    if (next.value <= point_.value + 1e-4 * t * slope + point_.rounding()) break;
    if (attempt == 11) return false;
    t *= attempt == 0 ? best_between(point_, direction, margins_, new_margins_) : 0.3;
  }
  std::vector<double> moved = next.w, change = next.gradient;
  kernel::axpy(-1.0, point_.w.data(), moved.data(), problem_.dim());
  kernel::axpy(-1.0, point_.gradient.data(), change.data(), problem_.dim());
  memory_.add(std::move(moved), std::move(change));
  std::swap(margins_, new_margins_);
  std::swap(point_, next);
  return true;
}

void Search::descend() {
  const Index n = problem_.rows();
  margins_.resize(at(n));
  new_margins_.resize(at(n));
  curvatures_.resize(at(n));
  const auto affordable =
      static_cast<Index>(std::max(0.0, kMetricInPasses * costs_.pass - costs_.factor) / costs_.metric_row);
  Index size = std::clamp<Index>(affordable, static_cast<Index>(1.5 * static_cast<double>(problem_.dim())), n);
  evaluate({}, point_, {margins_, curvatures_});
  draw_metric(size);
  double first_gap = estimated_gap();
  int steps = 0, total = 0;
  for (;;) {
    const double gap = estimated_gap();
    if (gap <= 0.9 * input_.tol && certified()) {
      finish_.end = FinishEnd::converged;
      return;
    }
    if (steps >= 2 && worth_a_metric(gap, std::pow(gap / first_gap, 1.0 / steps), size)) {
      size = std::min<Index>(n, 2 * size);
      draw_metric(size);
      steps = 0;
      first_gap = gap;
    }
    if (++total > kMostSteps) break;
    if (full_step()) {
      ++steps;
    } else if (end_ == Running::yes && point_.made_in == Arithmetic::data) {  // it may have been rounding
      arithmetic_ = Arithmetic::exact;
      evaluate({}, point_, {margins_, curvatures_});
      memory_.clear();
    } else {
      break;
    }
  }
  if (end_ == Running::yes) finish_.end = certified() ? FinishEnd::converged : FinishEnd::stalled;
}

// Whether a metric from twice the rows, which shortens the way that is left by about a third, costs less than it saves.
bool Search::worth_a_metric(double gap, double rate, Index size) const {
  if (size >= problem_.rows()) return false;
  const double left = rate < 1 ? std::log(gap / input_.tol) / -std::log(rate) : 1e3;
  const double cost = 2.0 * static_cast<double>(size) * costs_.metric_row + costs_.factor;
  return kShortens * left * costs_.pass > cost;
}

}  // namespace

bool suits_sampled_newton(const Problem& problem) {
  const Penalty penalty(problem.spec().penalty, problem.cols(), problem.spec().intercept);
  if (penalty.l1_strength() > 0 || penalty.norm_strength() > 0 || problem.dim() > kWidest) return false;
  const Costs costs(problem);
  return costs.factor < kFactorInPasses * costs.pass || problem.dim() <= kAlwaysNarrow;
}

// Where a metric costs a good part of a pass, stochastic steps are the cheaper start.
double start_of_sampled_newton(const Problem& problem) {
  const Costs costs(problem);
  const double first = costs.factor + costs.metric_row * static_cast<double>(first_sample(problem));
  return first > kCheapStart * costs.pass ? kStartPasses : 0.0;
}

Finish finish_by_sampled_newton(const FinishInput& input, std::vector<double> start, Progress& progress) {
  return Search(input, std::move(start), progress).run();
}

}  // namespace s3gd
