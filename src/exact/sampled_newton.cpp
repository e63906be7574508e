// Newton steps for one output (exact/newton_search.hpp), for smooth problems: in the metric of a sampled Hessian where a factor
// of that is cheap, in the metric of the Hessian's diagonal (L-BFGS) at any width.
//
// The metric is kept over steps. It comes from rows drawn in proportion to their curvature, which near the optimum lives in
// few of them; progress that is slower than it should be is answered by a new one from more rows at the present point.
// Where a step is too long, the margins at both ends of it tell without a pass where on the way F is least.

#include "base/index.hpp"
#include "exact/finisher.hpp"
#include "exact/metric.hpp"
#include "exact/newton_search.hpp"
#include "exact/search.hpp"
#include "kernel/kernel.hpp"
#include "problem/full_pass.hpp"
#include "problem/loss.hpp"
#include "problem/penalty.hpp"

namespace s3gd {
namespace {

// Sensitive, 10 to 30 % of the passes: kCheapStart, kShortens, kPoorRate, kShorterOnSample; kStartPasses up to 85 % on hog features.
constexpr Index kWidest = 2000;          // columns; beyond, a factor costs more than it saves ...
constexpr double kFactorInPasses = 5;    // ... as it does with fewer rows than this many passes amount to
constexpr Index kAlwaysNarrow = 256;     // columns whose factor is cheap next to anything else
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
constexpr int kMostLbfgsSteps = 10000;   // a guard
constexpr double kShorterOnSample = 0.4, kShorter = 0.3;  // of a step after its first shortening

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

// A metric from a small sample serves many steps: samples begin as small as a factor can be made from, and end early. Without a
// penalty few rows may have no optimum (separable classes), and the way to it leads where no row bends: none are used then.
SampleGrowth sample_growth(const Problem& problem) {
  const std::vector<double> ridge = Penalty(problem).ridge();
  const bool penalised = std::any_of(ridge.begin(), ridge.end(), [](double bend) { return bend > 0; });
  return {.first = penalised ? std::max<Index>(500, problem.dim() * 3 / 2) : problem.rows(),
          .last = 0.15,
          .run = std::clamp<Index>(64 / std::max<Index>(1, problem.cols()), 1, 8)};
}

SearchRules rules_of(const Problem& problem, int most_steps) {
  return {.growth = sample_growth(problem),
          .rescales = true,
          .float_error = 1e-8,
          .most_trials = 12,
          .most_steps = most_steps,
          .most_in_vain = 0,
          .tells_trials = true,
          .asks_again = true,
          .polishes = false};
}

// All but the metric.
class OneOutput : public NewtonSystems {
 public:
  OneOutput(const FinishInput& input, int most_steps)
      : NewtonSystems(rules_of(input.problem, most_steps)),
        problem_(input.problem),
        tol_(input.tol),
        penalty_(problem_),
        ridge_(penalty_.ridge()) {}

  // The same rows under another penalty. From now on what a step has seen serves for certificates as well.
  void change_penalty(const FinishInput& input, SystemSearch& search);

  Index rows() const override { return problem_.rows(); }
  bool has_dual() const override { return penalty_.has_dual(); }
  void look(std::span<const SystemAt> at, std::span<const Index> rows, Arithmetic arithmetic) override;
  double gap(const SystemAt& at) const override {
    const SystemPoint& point = *at.point;
    return estimated_gap(problem_, penalty_, point.w, point.loss_gradient(ridge_), point.value);
  }
  std::vector<Certified> certify(std::span<const SystemAt> at) const override;
  double shorter(const LineSearch& line, const Refused& refused) const override;

 protected:
  static std::vector<double> solve_by(const Metric& metric, std::span<std::vector<double>> v) {
    for (std::vector<double>& one : v) metric.solve(one);
    return std::vector<double>(v.size(), 0.0);
  }
  const std::vector<double>& curvatures(SystemPoint& point) const;

  Problem problem_;
  double tol_;
  Penalty penalty_;
  std::vector<double> ridge_;  // second derivative of the penalty in each coordinate

 private:
  double best_between(const Refused& refused) const;

  bool goes_on_ = false;
  bool needs_positives_ = false;
};

void OneOutput::change_penalty(const FinishInput& input, SystemSearch& search) {
  SystemPoint& point = search.point();
  const std::vector<double> gradient = point.gradient.empty() ? point.gradient : point.loss_gradient(ridge_);
  const double loss = point.value - penalty_.value(std::span<const double>(point.w));
  problem_ = input.problem;
  tol_ = input.tol;
  penalty_ = Penalty(problem_);
  std::vector<double> ridge = penalty_.ridge(), change = ridge;
  kernel::axpy(-1.0, ridge_.data(), change.data(), problem_.dim());
  search.memory().curvature_changed(change);
  ridge_ = std::move(ridge);
  goes_on_ = true;
  needs_positives_ = certificate_needs_positives(problem_);
  point.value = loss + penalty_.value(std::span<const double>(point.w));
  for (std::size_t j = 0; j < gradient.size(); ++j) point.gradient[j] = gradient[j] + ridge_[j] * point.w[j];
}

// Few steps are followed by a new metric: a trial's curvatures are left out.
void OneOutput::look(std::span<const SystemAt> systems, std::span<const Index> rows, Arithmetic arithmetic) {
  SystemPoint& point = *systems[0].point;
  point.gradient.resize(point.w.size());
  point.positives.reset();
  PerRow keep;
  if (rows.empty()) {
    point.margins.resize(at(problem_.rows()));
    keep.margins = point.margins;
  }
  point.curvatures.resize(systems[0].trial ? 0 : rows.empty() ? at(problem_.rows()) : rows.size());
  keep.curvatures = point.curvatures;
  if (rows.empty() && goes_on_ && needs_positives_)
    keep.positive_gradient = point.positives.emplace(OfPositives{0, std::vector<double>(point.w.size())}).gradient;
  const RowSums sums = sum_rows(problem_, rows, point.w, arithmetic, point.gradient, keep);
  if (point.positives) point.positives->loss = sums.positive_loss;
  point.complete(sums.weight > 0 ? problem_.total_weight() / sums.weight : 1.0, sums.loss, penalty_, ridge_);
}

// Of all rows; no pass.
const std::vector<double>& OneOutput::curvatures(SystemPoint& point) const {
  if (!point.curvatures.empty()) return point.curvatures;
  RowTerms terms;
  evaluate_rows(problem_, point.margins, terms);
  return point.curvatures = std::move(terms.curvatures);
}

std::vector<NewtonSystems::Certified> OneOutput::certify(std::span<const SystemAt> systems) const {
  const SystemPoint& point = *systems[0].point;
  const bool at_hand = goes_on_ && point.made_in == Arithmetic::exact && (point.positives || !needs_positives_);
  if (!at_hand) return {{s3gd::certify(problem_, point.w), 1}};
  const std::vector<double> gradient = point.loss_gradient(ridge_);
  const double loss = point.value - penalty_.value(std::span<const double>(point.w));
  RowsSeen seen{.loss = loss, .margins = point.margins, .gradient = gradient, .enough = tol_};
  if (point.positives) seen.positives = &*point.positives;
  return {{certify_seen(problem_, point.w, seen), 0}};
}

double OneOutput::shorter(const LineSearch&, const Refused& refused) const {
  if (refused.over_sample) return kShorterOnSample * refused.length;
  return refused.length * (refused.length == 1 ? best_between(refused) : kShorter);
}

// The share of the step at which F is least, by bisection on the slope along the way. No pass: the margins of both
// ends are known.
double OneOutput::best_between(const Refused& refused) const {
  const Loss loss(problem_.spec().loss);
  const auto y = problem_.targets();
  const std::vector<double>&from = refused.from.margins, &to = refused.trial.margins;
  const auto slope_at = [&](double t) {
    double slope = 0;
    for (std::size_t j = 0; j < ridge_.size(); ++j)
      slope += ridge_[j] * (refused.from.w[j] + t * refused.direction[j]) * refused.direction[j];
    constexpr Index kBlock = 512;  // margins whose slopes are made at once
    double u[kBlock], slopes[kBlock];
    for (Index first = 0; first < problem_.rows(); first += kBlock) {
      const Index count = std::min(kBlock, problem_.rows() - first);
      for (Index r = 0; r < count; ++r) u[r] = from[at(first + r)] + t * (to[at(first + r)] - from[at(first + r)]);
      loss.terms(u, y.data() + first, count, {nullptr, slopes, nullptr});
      for (Index r = 0; r < count; ++r)
        slope += problem_.weight(first + r) * slopes[r] * (to[at(first + r)] - from[at(first + r)]);
    }
    return slope;
  };
  double low = 0, high = 1;
  // Where rows far on the wrong side do not bend, a step is many orders of magnitude too long.
  constexpr double kMuchShorter = 1e-3, kShortest = 1e-100;
  while (high > kShortest && slope_at(kMuchShorter * high) > 0) high *= kMuchShorter;
  for (int halving = 0; halving < 40 && high - low > 0.1 * high; ++halving) {
    const double middle = 0.5 * (low + high);
    (slope_at(middle) < 0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

class SampledOutput final : public OneOutput {
 public:
  explicit SampledOutput(const FinishInput& input) : OneOutput(input, kMostSteps), costs_(problem_) {}

  bool begin(std::span<const SystemAt> at, std::span<const Index> rows, Index wanted, Rng& rng) override {
    if (rows.empty()) return begin_all(*at[0].point, rng);
    const SampleGrowth& growth = rules.growth;
    const auto last = static_cast<Index>(growth.last * static_cast<double>(problem_.rows()));
    const double budget = wanted * growth.factor > last ? kMetricInPasses : kMetricInClimb;
    const double cost = costs_.metric(static_cast<double>(wanted));
    if (!metric_.empty() && (good_for_all() || !(cost < budget * costs_.pass))) return false;
    const double total = static_cast<double>(problem_.rows()) / static_cast<double>(rows.size());
    std::vector<double>& curvature = at[0].point->curvatures;
    for (double& c : curvature) c *= total;
    metric_.build(problem_, rows, curvature, ridge_);
    return true;
  }
  bool renew(std::span<const SystemAt> at, std::span<const Index> rows, bool, Rng& rng) override;
  std::vector<double> solve(std::span<std::vector<double>> v, const std::function<bool()>&) override {
    return solve_by(metric_, v);
  }

  // For further penalties over the same rows. The rows of the metric were drawn for another one: they are kept as long as
  // few steps are needed.
  void keep_metric() { metric_.keep_sum(); }
  void carry_metric(SystemSearch& search, Rng& rng) {
    first_step_ = -1;
    if (search.steps() > kFewSteps) {
      draw_metric(search.point(), metric_.sample(), rng);
      search.forget_steps();
    } else if (costs_.factor < costs_.pass) {
      metric_.change_added(ridge_);
    }
  }
  const Metric& metric() const { return metric_; }

 private:
  bool begin_all(SystemPoint& point, Rng& rng) {
    first_step_ = -1;
    usual_ = std::min(problem_.rows(), std::max(affordable(kMetricInPasses), problem_.dim() * 3 / 2));
    if (good_for_all()) return false;
    draw_metric(point, usual_, rng);
    return true;
  }
  void draw_metric(SystemPoint& point, Index size, Rng& rng) {
    const RowSample sample = sample_by_size(curvatures(point), size, rng);
    metric_.build(problem_, sample.rows, sample.weights, ridge_);
  }
  bool worth_a_metric(double gap, double rate, Index rows) const;
  // Rows of a metric that costs so many passes.
  Index affordable(double passes) const {
    return static_cast<Index>(std::max(0.0, passes * costs_.pass - costs_.factor) / costs_.metric_row);
  }
  bool good_for_all() const {
    return static_cast<double>(metric_.sample()) >= kGoodForAll * static_cast<double>(problem_.dim());
  }

  Costs costs_;
  SampledMetric metric_;
  Index usual_ = 0;       // rows of a first metric over all rows
  double first_gap_ = 0;  // where this metric's steps over all rows began ...
  int first_step_ = -1;   // ... and after how many others; -1: before all
};

bool SampledOutput::renew(std::span<const SystemAt> at, std::span<const Index> rows, bool, Rng& rng) {
  if (!rows.empty()) return false;
  const auto& [system, point, trial, gap, made, slow] = at[0];
  if (first_step_ < 0) {
    first_gap_ = gap;
    first_step_ = 0;
  }
  const int steps = made - first_step_;
  const double rate = steps == 0 ? 0 : std::pow(gap / first_gap_, 1.0 / steps);
  const bool poor = rate > kPoorRate && 2 * metric_.sample() <= usual_;
  const Index larger =
      std::min(problem_.rows(), std::max(poor ? usual_ : affordable(kNextMetric), 2 * metric_.sample()));
  if (!(poor || steps >= 2) || !worth_a_metric(gap, rate, larger)) return false;
  draw_metric(*point, larger, rng);
  first_gap_ = gap;
  first_step_ = made;
  return true;
}

// Whether a metric from more rows, which shortens the way that is left by about a third, costs less than it saves; likewise one
// from all rows once more, where the last was made so far away that it serves badly here.
bool SampledOutput::worth_a_metric(double gap, double rate, Index rows) const {
  if (metric_.sample() >= problem_.rows() && !(rate > kPoorRate)) return false;
  const double left = rate < 1 ? std::log(gap / tol_) / -std::log(rate) : 1e3;
  return kShortens * left * costs_.pass > costs_.metric(static_cast<double>(rows));
}

class DiagonalOutput final : public OneOutput {
 public:
  explicit DiagonalOutput(const FinishInput& input) : OneOutput(input, kMostLbfgsSteps) {}
  bool begin(std::span<const SystemAt> at, std::span<const Index>, Index, Rng&) override {
    metric_.emplace(problem_, curvatures(*at[0].point), ridge_);
    return false;
  }
  bool renew(std::span<const SystemAt>, std::span<const Index>, bool, Rng&) override { return false; }
  std::vector<double> solve(std::span<std::vector<double>> v, const std::function<bool()>&) override {
    return solve_by(*metric_, v);
  }

 private:
  std::optional<DiagonalMetric> metric_;
};

NewtonSearch search_for(OneOutput& system, const FinishInput& input, bool climbs, std::vector<double> start,
                        Progress& progress) {
  start.resize(at(input.problem.dim()), 0.0);
  Progress* const told[] = {&progress};
  const bool from_zero = all_zero(start);
  std::vector<std::vector<double>> starts(1, std::move(start));
  return {system, {input.tol, input.seed, input.max_iterations, climbs && from_zero}, std::move(starts), told};
}

// Several problems that differ in their penalty.
class SampledSequence final : public FinishSequence {
 public:
  explicit SampledSequence(std::vector<double> start) : start_(std::move(start)) {}

  Finish next(const FinishInput& input, Progress& progress) override {
    if (!search_) {
      system_.emplace(input);
      system_->keep_metric();
      search_.emplace(search_for(*system_, input, false, std::move(start_), progress));
    }
    const double lambda = input.problem.spec().penalty.lambda;
    SystemSearch& one = search_->only();
    system_->change_penalty(input, one);
    search_->go_on({input.tol, input.seed, input.max_iterations, false}, progress, predictor_.towards(lambda));
    if (search_->knows_point()) system_->carry_metric(one, search_->rng());
    Finish finish = std::move(search_->run()[0]);
    if (finish.end == FinishEnd::converged) {
      std::vector<double> solution = one.memory().direction(one.point().gradient, system_->metric());
      kernel::axpy(1.0, one.point().w.data(), solution.data(), input.problem.dim());
      predictor_.arrived(lambda, one.aim(), solution);
    }
    return finish;
  }

 private:
  std::vector<double> start_;
  std::optional<SampledOutput> system_;
  std::optional<NewtonSearch> search_;
  PathPredictor predictor_;
};

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
  SampledOutput system(input);
  return std::move(search_for(system, input, true, std::move(start), progress).run()[0]);
}

Finish finish_by_lbfgs(const FinishInput& input, std::vector<double> start, Progress& progress) {
  DiagonalOutput system(input);
  return std::move(search_for(system, input, false, std::move(start), progress).run()[0]);
}

std::unique_ptr<FinishSequence> sampled_newton_sequence(const Problem&, std::vector<double> start) {
  return std::make_unique<SampledSequence>(std::move(start));
}

}  // namespace s3gd
