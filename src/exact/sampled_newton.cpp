// Quasi-Newton in the metric of a sampled Hessian, for smooth problems of moderate width.
//
// The rows are looked at in samples that grow: a sample's optimum is found to about the accuracy the sample deserves,
// cheaply, and is where the next begins; so the first steps do not depend on the number of rows at all. Over all rows,
// each step is one pass: the metric comes from rows drawn in proportion to their curvature, which near the optimum
// lives in few of them, and the memory of past steps corrects what the sample missed. Progress that is slower than it
// should be is answered by a new metric from more rows at the present point.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/random.hpp"
#include "exact/curvature_sample.hpp"
#include "exact/methods.hpp"
#include "exact/path_predictor.hpp"
#include "exact/smooth_search.hpp"
#include "kernel/kernel.hpp"

namespace s3gd {
namespace {

constexpr Index kWidest = 2000;        // columns; beyond, a factor costs more than it saves ...
constexpr double kFactorInPasses = 5;  // ... as it does with fewer rows than this many passes amount to
constexpr Index kAlwaysNarrow = 256;
constexpr double kCheapStart = 0.6;      // in passes: a first metric for less than this is where to begin
constexpr double kMetricInClimb = 0.5;   // passes a new metric may cost while samples grow
constexpr double kGoodForAll = 5;        // rows for each parameter: a sample's metric that will do for all rows
constexpr double kMetricInPasses = 1.2;  // what the first metric over all rows may cost
constexpr double kNextMetric = 0.3;      // likewise the next, at least
constexpr double kPoorRate = 0.25;       // of the gap, left by a step: not a metric made for a sample then
constexpr double kShortens = 0.4;        // of the way that is left, by a metric from twice the rows
constexpr int kMostSteps = 300;          // over all rows; then the exact Newton takes over
constexpr double kStartPasses = 0.4;     // of S3GD otherwise
constexpr int kFewSteps = 2;             // a metric kept from another problem is worth keeping on

// Rough costs in nanoseconds; they decide sizes of samples, so they are constants, not measurements: the same problem
// takes the same path on every machine.
struct Costs {
  explicit Costs(const Problem& problem) {
    const double entries = static_cast<double>(problem.x().stored()), rows = static_cast<double>(problem.rows());
    const double dim = static_cast<double>(problem.dim());
    pass = entries * (problem.x().is_dense() ? 0.25 : 2.0) + 10 * rows;
    metric_row = SampledMetric::row_cost(problem);
    factor = dim * dim * dim / 60;
  }
  double metric(double rows) const { return metric_row * rows + factor; }
  double pass, metric_row, factor;
};

// A metric from a small sample serves many steps: samples begin as small as a factor can be made from, and end early.
SampleGrowth sample_growth(const Problem& problem) {
  return {.first = std::max<Index>(500, problem.dim() * 3 / 2), .last = 0.15};
}

class SampledNewton final : SmoothSearch {
 public:
  SampledNewton(const FinishInput& input, std::vector<double> start, Progress& progress)
      : SmoothSearch(input, std::move(start), progress),
        costs_(problem_),
        rng_(input.seed, 5),
        from_zero_(all_zero(point_.w)) {}

  Finish run() {
    if (from_zero_) climb();
    if (running()) settle();
    if (running()) descend();
    return take_result();
  }

  // The next of several problems that differ in their penalty. The rows of the metric were drawn for another one: they
  // are kept as long as few steps are needed.
  Finish run_next(const FinishInput& input, Progress& progress) {
    metric_.keep_sum();
    go_on(input, progress);
    const double lambda = problem_.spec().penalty.lambda;
    if (!knows_point())
      settle();
    else if (steps_made_ > kFewSteps)
      draw_metric(metric_.sample());
    else if (costs_.factor < costs_.pass)
      metric_.change_added(ridge_);
    first_aim_.clear();
    descend(predictor_.towards(lambda));
    if (finish_.end == FinishEnd::converged) {
      std::vector<double> solution = memory_.direction(point_.gradient, metric_);
      kernel::axpy(1.0, point_.w.data(), solution.data(), problem_.dim());
      predictor_.arrived(lambda, first_aim_, solution);
    }
    return take_result();
  }

 private:
  void climb();
  bool sample_step(std::span<const Index> rows);
  void settle();
  void descend(std::span<const double> bend = {});  // at the first step
  bool worth_a_metric(double gap, double rate, Index rows) const;
  void draw_metric(Index size);
  // Rows of a metric that costs so many passes.
  Index affordable(double passes) const {
    return static_cast<Index>(std::max(0.0, passes * costs_.pass - costs_.factor) / costs_.metric_row);
  }
  bool good_for_all() const {
    return static_cast<double>(metric_.sample()) >= kGoodForAll * static_cast<double>(problem_.dim());
  }

  Costs costs_;
  SampledMetric metric_;
  Rng rng_;
  bool from_zero_;
  Index usual_ = 0;                // rows of a first metric over all rows
  int steps_made_ = 0;             // over all rows, for the last problem
  std::vector<double> first_aim_;  // of the first of them
  PathPredictor predictor_;
};

// One step on a sample; false when there is nothing left to gain on it.
bool SampledNewton::sample_step(std::span<const Index> rows) {
  const std::vector<double> direction = memory_.direction(point_.gradient, metric_);
  const double slope = kernel::dot(direction.data(), point_.gradient.data(), problem_.dim());
  if (!(slope < 0)) return false;
  const LineSearch line{point_.value, slope, 0};  // a sample's own F: what is rounding in it is no gain
  Point next;
  double t = 1;
  for (int halving = 0; halving < 20; ++halving) {
    step_from(point_, t, direction, next);
    evaluate(rows, next);
    if (line.enough(t, next.value)) break;
    t *= 0.4;
  }
  if (!(next.value < point_.value)) return false;
  remember(point_, next);
  std::swap(point_, next);
  return true;
}

void SampledNewton::climb() {
  const Index n = problem_.rows();
  const SampleGrowth growth = sample_growth(problem_);
  const auto last = static_cast<Index>(growth.last * static_cast<double>(n));
  if (growth.first > last) return;
  GrowingSample sample(n, std::clamp<Index>(64 / problem_.cols(), 1, 8), rng_);
  for (Index size = growth.first; size <= last; size *= growth.factor) {
    const std::span<const Index> rows = sample.grow(size);
    std::vector<double> curvature(rows.size());
    evaluate(rows, point_, {{}, curvature});
    const double budget = size * growth.factor > last ? kMetricInPasses : kMetricInClimb;
    const double cost = costs_.metric(static_cast<double>(size));
    if (metric_.empty() || (!good_for_all() && cost < budget * costs_.pass)) {
      const double total = static_cast<double>(n) / static_cast<double>(rows.size());
      for (double& c : curvature) c *= total;
      metric_.build(problem_, rows, curvature, ridge_);
      memory_.clear();
    }
    for (int step = 0; step < growth.steps; ++step) {
      if (!sample_step(rows)) break;
    }
    if (!report(point_.w)) return;
  }
}

void SampledNewton::draw_metric(Index size) {
  const RowSample sample = sample_by_size(curvatures(), size, rng_);
  metric_.build(problem_, sample.rows, sample.weights, ridge_);
  memory_.clear();
}

// Sees all rows at the present point, and has a metric for them.
void SampledNewton::settle() {
  usual_ = std::min(problem_.rows(), std::max(affordable(kMetricInPasses), problem_.dim() * 3 / 2));
  evaluate_all();
  if (!good_for_all()) draw_metric(usual_);
}

void SampledNewton::descend(std::span<const double> bend) {
  steps_made_ = 0;
  double first_gap = this->gap();
  for (int steps = 0, total = 0; total < kMostSteps; ++total) {
    const double gap = this->gap();
    if (reached(gap)) return;
    const double rate = steps == 0 ? 0 : std::pow(gap / first_gap, 1.0 / steps);
    const bool poor = rate > kPoorRate && 2 * metric_.sample() <= usual_;
    const Index larger =
        std::min(problem_.rows(), std::max(poor ? usual_ : affordable(kNextMetric), 2 * metric_.sample()));
    if ((poor || steps >= 2) && worth_a_metric(gap, rate, larger)) {
      draw_metric(larger);
      steps = 0;
      first_gap = gap;
    }
    ++steps_made_;
    const bool gained = full_step(metric_, steps_made_ == 1 ? bend : std::span<const double>());
    if (steps_made_ == 1) first_aim_ = aim();
    if (gained)
      ++steps;
    else if (!try_exact_arithmetic())
      break;
  }
  conclude();
}

// Whether a metric from more rows, which shortens the way that is left by about a third, costs less than it saves.
bool SampledNewton::worth_a_metric(double gap, double rate, Index rows) const {
  if (metric_.sample() >= problem_.rows()) return false;
  const double left = rate < 1 ? std::log(gap / input_->tol) / -std::log(rate) : 1e3;
  return kShortens * left * costs_.pass > costs_.metric(static_cast<double>(rows));
}

}  // namespace

const Need kCheapFactor{"few enough columns for their rows", rows_in, "have too many", [](const Problem& problem) {
                          if (problem.dim() > kWidest) return false;
                          const Costs costs(problem);
                          return costs.factor < kFactorInPasses * costs.pass || problem.dim() <= kAlwaysNarrow;
                        }};

// Where a metric costs a good part of a pass, stochastic steps are the cheaper start.
double start_of_sampled_newton(const Problem& problem) {
  const Costs costs(problem);
  return costs.metric(static_cast<double>(sample_growth(problem).first)) > kCheapStart * costs.pass ? kStartPasses
                                                                                                    : 0.0;
}

Finish finish_by_sampled_newton(const FinishInput& input, std::vector<double> start, Progress& progress) {
  return SampledNewton(input, std::move(start), progress).run();
}

std::unique_ptr<FinishSequence> sampled_newton_sequence(const Problem&, std::vector<double> start) {
  class Sequence final : public FinishSequence {
   public:
    explicit Sequence(std::vector<double> from) : start_(std::move(from)) {}
    Finish next(const FinishInput& input, Progress& progress) override {
      if (!search_) search_.emplace(input, std::move(start_), progress);
      return search_->run_next(input, progress);
    }

   private:
    std::vector<double> start_;
    std::optional<SampledNewton> search_;
  };
  return std::make_unique<Sequence>(std::move(start));
}

}  // namespace s3gd
