// Dual coordinate ascent as a finisher: for an l2 penalty and sparse rows, where an epoch costs one pass whatever d is
// and gains a factor of ten to a thousand, as long as n lambda is not small against the curvature of the loss.
//
// Where it is, or where rounding ends the gains, Newton-CG takes over.
#include <numeric>
#include <optional>
#include <utility>

#include "base/index.hpp"
#include "exact/dual_ascent.hpp"
#include "exact/finisher.hpp"
#include "problem/constant_model.hpp"
#include "problem/full_pass.hpp"
#include "problem/newton.hpp"

namespace s3gd {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
// Sensitive: kBlock, doubled, costs up to 38 % more epochs, kDamping and kLeastDamping, halved, up to 25 (generated text).
constexpr Index kEntriesBetweenChecks = 1 << 20;  // whether to stop: a few milliseconds
constexpr Index kBlock = 8;                       // rows visited in a row
constexpr double kFloatIsEnough = 1e-9;           // tolerances from here on allow w in float, where the data is ...
constexpr Index kCachedWidth = 8192;              // ... which is worth it from this width on
constexpr double kStreamingDamping = 0.25, kDamping = 0.025;  // of the intercept: rho, as a share of the mean curvature
// The least such share, and the same times the share of the heaviest row: with less, rows overshoot.
constexpr double kLeastDamping = 0.005, kLeastByRow = 40, kLeastOfFew = 10;
constexpr double kLooseCoupling = 0.1;     // below which narrow data suits as well
constexpr double kCarriedIsEnough = 1e-6;  // tolerances from here on allow rounding to add up from problem to problem
constexpr double kFurthest = 2;            // times as far as from the last problem to this one, a prediction goes
constexpr Index kRecentres = 3;            // within the epoch after a prediction, whose intercept lags behind
constexpr double kGoodStart = 1e-3;        // relative gap below which a given start beats the streaming epoch

// w is kept in the data's type where that is float and enough for the tolerance.
bool float_is_enough(const FinishInput& input) {
  return input.tol >= kFloatIsEnough && input.problem.cols() > kCachedWidth &&
         input.problem.x().precision() == Precision::float32;
}

std::unique_ptr<Ascent> make_ascent(const Problem& problem, bool in_float) {
  return problem.x().visit([&](const auto& view) -> std::unique_ptr<Ascent> {
    using View = std::decay_t<decltype(view)>;
    if (in_float) return std::make_unique<DualAscent<View, typename View::Value>>(problem, view);
    return std::make_unique<DualAscent<View, double>>(problem, view);
  });
}

class DualRun {
 public:
  DualRun(const FinishInput& input, Progress& progress, bool in_float)
      : input_(&input),
        first_(input.problem),
        problem_(input.problem),
        progress_(&progress),
        in_float_(in_float),
        ascent_(make_ascent(first_, in_float)),
        rng_(input.seed, 11),
        order_(at(input.problem.rows())),
        w_(at(input.problem.dim())) {
    double heaviest = 1.0 / static_cast<double>(problem_.rows());
    for (const double q : problem_.weights()) heaviest = std::max(heaviest, q / problem_.total_weight());
    least_share_ = std::max(kLeastOfFew * heaviest, std::min(kLeastByRow * heaviest, kLeastDamping));
  }

  Finish run(const std::vector<double>& start) {
    forecast_.emplace(input_->tol, constant_model());
    begin(start);
    return ascend();
  }

  // The next of several problems that differ in the strength of their penalty, from where the last one ended.
  Finish run_next(const FinishInput& input, Progress& progress) {
    const double before = problem_.spec().penalty.lambda, lambda = input.problem.spec().penalty.lambda;
    const std::vector<double> start = std::move(found_);
    input_ = &input;
    progress_ = &progress;
    problem_ = input.problem;
    imbalance_ = std::numeric_limits<double>::infinity();
    stopped_ = false;
    finish_ = {};
    if (!at_solution_ || input.tol < kCarriedIsEnough) {
      ascent_->change_strength(before / lambda);
      last_.reset();
      return run(start);
    }
    const double distance = std::log(before / lambda);
    const double share = last_ ? std::clamp(distance / distance_, 0.0, kFurthest) : 0.0;
    auto here = ascent_->place();
    ascent_->weaken(before / lambda, last_ ? *last_ : here, share);
    last_ = std::move(here);
    distance_ = distance;
    forecast_.emplace(input.tol, Forecast(*forecast_));
    recentres_ = kRecentres;
    return ascend();
  }

 private:
  Finish ascend() {
    at_solution_ = false;
    while (!done()) {
      shuffle();
      const AscentSums sums = epoch();
      ascent_->recentre();
      damp_less(sums);
      if (done()) break;
      forecast_->epoch(sums.distance);
      if (forecast_->worth_certifying()) forecast_->certified(certify_now());
      if (!done() && forecast_->slow()) return remembered(by_others(forecast_->gap()));
    }
    if (finish_.certificate.relative_gap > input_->tol || finish_.w.empty()) certify_now();
    finish_.end = finish_.certificate.relative_gap <= input_->tol ? FinishEnd::converged : FinishEnd::stopped;
    at_solution_ = finish_.end == FinishEnd::converged && finish_.iterations > 0;
    return remembered(std::move(finish_));
  }

  Finish remembered(Finish finish) {
    found_ = finish.w;
    return finish;
  }

  bool done() const {
    return stopped_ || finish_.iterations >= input_->max_iterations ||
           (!finish_.w.empty() && finish_.certificate.relative_gap <= input_->tol);
  }

  // Sets intercept and its damping to the best model without features; returns the value of its loss.
  double constant_model() {
    const ConstantModel model = best_constant(problem_, ascent_->l2_of_intercept());
    ascent_->set_centre(model.b);
    set_damping({.weight = problem_.total_weight(), .curvature = model.curvature}, kStreamingDamping);
    return model.loss;
  }

  void begin(const std::vector<double>& start) {
    if (std::any_of(start.begin(), start.end(), [](double v) { return v != 0; })) {
      w_ = start;
      const double gap = certify_now().relative_gap;
      if (gap <= input_->tol) return;
      if (gap < kGoodStart) return restart(start);
    }
    stream();
  }

  void restart(const std::vector<double>& start) {
    std::vector<double> u(order_.size());
    margins(problem_, start, u);
    ascent_->restart(u, problem_.has_intercept() ? start.back() : 0.0);
    finish_.passes += 1;
  }

  // The rows once, telling of points on the way where that is cheap.
  void stream() {
    ascent_->clear();
    shuffle();
    const Index n = problem_.rows();
    AscentSums sums;
    Index seen = 0;
    for (const Index end : {n / 16, n / 8, n / 4, n * 3 / 8, n / 2, n * 3 / 4, n}) {
      if (end < n && !cheap_to_tell(end - seen)) continue;
      sums = visit(seen, end, true);
      seen = end;
      if (end == n) ascent_->end_streaming();
      tell(finish_.passes + static_cast<double>(end) / static_cast<double>(n));
      if (stopped_) return;
      if (4 * end >= n) ascent_->recentre();
    }
    finish_.passes += 1;
    finish_.iterations = 1;
    set_damping(sums, kDamping);
  }

  AscentSums epoch() {
    const Index n = problem_.rows(), recentres = std::exchange(recentres_, 0);
    const Index parts = recentres > 0 ? recentres + 1 : cheap_to_tell(n / 2) ? 2 : 1;
    AscentSums sums;
    for (Index part = 0; part < parts; ++part) {
      sums += visit(n * part / parts, n * (part + 1) / parts, false);
      if (part + 1 == parts) break;
      if (recentres > 0)
        ascent_->recentre();
      else
        tell(finish_.passes + 0.5);
    }
    finish_.passes += 1;
    ++finish_.iterations;
    tell(finish_.passes);
    return sums;
  }

  AscentSums visit(Index begin, Index end, bool streaming) {
    const Index part = std::max<Index>(1, kEntriesBetweenChecks / (1 + problem_.x().stored() / problem_.rows()));
    AscentSums sums;
    for (; begin < end && !stopped_; begin += part) {
      const auto rows = std::span<const Index>(order_).subspan(at(begin), at(std::min(part, end - begin)));
      sums += ascent_->visit(rows, streaming);
      stopped_ = progress_->must_stop();
    }
    return sums;
  }

  // Writing the parameters out costs O(d), against the entries of the rows visited.
  bool cheap_to_tell(Index rows) const { return problem_.x().stored() / problem_.rows() * rows >= 2 * problem_.dim(); }
  void tell(double passes) {
    if (stopped_) return;
    ascent_->parameters(w_);
    stopped_ = !progress_->moved(w_, passes, kNaN, kNaN);
  }

  void set_damping(const AscentSums& sums, double share) {
    const double curvature = sums.weight > 0 ? sums.curvature / sums.weight * problem_.total_weight() : 0.0;
    const double least = 1e-2 * problem_.total_weight() * Loss(problem_.spec().loss).curvature_bound();
    ascent_->set_damping(std::max(share, least_share_) * std::max(curvature, least) - ascent_->l2_of_intercept());
  }

  // Damping that holds the intercept back for longer than the rows do is lessened.
  void damp_less(const AscentSums& sums) {
    const double imbalance = ascent_->imbalance();
    if (imbalance > 0.3 * imbalance_) damping_ *= 0.25;
    imbalance_ = imbalance;
    set_damping(sums, damping_);
  }

  // A new random order. Sparse rows stay together in small blocks, so that memory is read in order.
  void shuffle() {
    blocks_.resize(at((problem_.rows() + kBlock - 1) / kBlock));
    std::iota(blocks_.begin(), blocks_.end(), Index{0});
    rng_.shuffle(blocks_);
    auto out = order_.begin();
    for (const Index block : blocks_)
      for (Index i = block * kBlock; i < std::min(problem_.rows(), (block + 1) * kBlock); ++i) *out++ = i;
  }

  Certificate certify_now() {
    const Certificate certificate = certify(problem_, w_);
    finish_.passes += 1;
    if (finish_.w.empty() || certificate.relative_gap < finish_.certificate.relative_gap) {
      finish_.w = w_;
      finish_.certificate = certificate;
    }
    return certificate;
  }

  // Near the end, where the rounding of float stops the ascent: the same in double. Else Newton; where margins are so
  // large that the loss has no curvature left, from zero.
  Finish by_others(double gap) {
    if (in_float_ && gap < kGoodStart)
      return go_on(w_, [&](const FinishInput& input, std::vector<double> start, Progress& progress) {
        return DualRun(input, progress, false).run(start);
      });
    Finish rest{.w = w_, .certificate = {.relative_gap = std::numeric_limits<double>::infinity()}};
    if (std::all_of(w_.begin(), w_.end(), [](double v) { return std::isfinite(v); })) {
      rest = go_on(w_, finish_by_newton);
      if (rest.end != FinishEnd::stalled) return rest;
    }
    const Finish again = go_on(std::vector<double>(w_.size()), finish_by_newton);
    return rest.certificate.relative_gap < again.certificate.relative_gap ? rest : again;
  }

  template <class Method>
  Finish go_on(const std::vector<double>& start, Method&& method) {
    FinishInput input = *input_;
    input.max_iterations -= finish_.iterations;
    Following later(*progress_, finish_.passes);
    Finish rest = method(input, start, later);
    rest.iterations += finish_.iterations;
    rest.passes += finish_.passes;
    return rest;
  }

  const FinishInput* input_;
  Problem first_;  // whose rows the ascent looks at
  Problem problem_;
  Progress* progress_;
  bool in_float_;
  std::unique_ptr<Ascent> ascent_;
  Rng rng_;
  std::vector<Index> order_, blocks_;
  std::vector<double> w_;  // as last told
  Finish finish_;
  std::optional<Forecast> forecast_;
  std::vector<double> found_;          // the last problem's answer
  bool at_solution_ = false;           // whether the ascent ended there
  std::optional<Ascent::Place> last_;  // where the ascent was one problem earlier ...
  double distance_ = 0;                // ... and how far away in log lambda
  double imbalance_ = std::numeric_limits<double>::infinity(), damping_ = kDamping, least_share_ = 0;
  bool stopped_ = false;
  Index recentres_ = 0;  // within the next epoch
};

// How much a visit of a row moves its own margin, over a few rows: psi'' q ||x||^2 / (2 l2). Epochs gain most below 0.1.
double mean_coupling(const Problem& problem) {
  const Penalty penalty(problem);
  const Index count = std::min<Index>(problem.rows(), 100);
  double sum = 0;
  problem.x().visit([&](const auto& view) {
    for (Index k = 0; k < count; ++k)
      for_each_nonzero(view, k * (problem.rows() / count),
                       [&](Index j, double value) { sum += 0.5 * value * value / penalty.l2_of(j); });
  });
  const double share = problem.total_weight() / static_cast<double>(problem.rows());
  return Loss(problem.spec().loss).curvature_bound() * share * sum / static_cast<double>(count);
}

}  // namespace

const Need kSparseRows{"sparse rows", rows_in, "are dense",
                       [](const Problem& problem) { return !problem.x().is_dense(); }};
const Need kLooseRows{"wide rows, or a penalty that is not weak for them", rows_in, "are narrow, and it is",
                      [](const Problem& problem) {
                        return problem.cols() > Newton::kDirectSize || mean_coupling(problem) < kLooseCoupling;
                      }};

Finish finish_by_dual_ascent(const FinishInput& input, std::vector<double> start, Progress& progress) {
  return DualRun(input, progress, float_is_enough(input)).run(start);
}

std::unique_ptr<FinishSequence> dual_ascent_sequence(const Problem&, std::vector<double> start) {
  // The first problem starts from parameters alone; from the second on there are dual variables to go on with.
  class Sequence final : public FinishSequence {
   public:
    explicit Sequence(std::vector<double> from) : start_(std::move(from)) {}
    Finish next(const FinishInput& input, Progress& progress) override {
      if (run_) return run_->run_next(input, progress);
      return run_.emplace(input, progress, float_is_enough(input)).run(start_);
    }

   private:
    std::vector<double> start_;
    std::optional<DualRun> run_;
  };
  return std::make_unique<Sequence>(std::move(start));
}

}  // namespace s3gd
