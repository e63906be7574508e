// The finisher with active sets: looks at all coordinates rarely, works on few of them mostly.
#include <algorithm>

#include "base/index.hpp"
#include "base/random.hpp"
#include "exact/active_set.hpp"
#include "exact/finisher.hpp"
#include "problem/loss.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

constexpr Index kFirstSet = 100;     // coordinates let off zero at first; twice as many each time they do not suffice
constexpr Index kEvery = 8;          // one row in so many for the start, and again for its own start ...
constexpr Index kLeastRows = 2048;   // ... while there are so many
constexpr double kSampleTol = 1e-2;  // how well a sample is solved: it is itself no better than a few percent
constexpr Index kSampleRounds = 8;
constexpr double kShareOfGap = 0.3;
constexpr double kTrustMargins = 1e-9;  // tolerances from here on: margins moved along with w are as good as new ones
constexpr Index kMostRounds = 300;
constexpr int kPatience = 8;                     // rounds without progress before rounding is taken to be reached
constexpr double kWeaken = 10, kPathTol = 1e-3;  // by how much from penalty to penalty, and how well those are solved
constexpr Index kPathRounds = 100;

// Tells of a run that follows another.
class Shifted : public Progress {
 public:
  Shifted(Progress& progress, double passes) : progress_(progress), passes_(passes) {}
  bool moved(std::span<const double> w, double passes, double objective, double gap) override {
    ended_ = !progress_.moved(w, passes_ + passes, objective, gap);
    return !ended_;
  }
  bool must_stop() const override { return ended_ || progress_.must_stop(); }

 private:
  Progress& progress_;
  double passes_;
  bool ended_ = false;
};

// Tells of a run over another problem, one row in `every` of it: its passes are shorter, its values are not those of F.
class SparseProgress : public Progress {
 public:
  SparseProgress(Progress& progress, Index every) : progress_(progress), every_(static_cast<double>(every)) {}
  bool moved(std::span<const double> w, double passes, double, double) override {
    return progress_.moved(w, passes / every_, std::nan(""), std::nan(""));
  }
  bool must_stop() const override { return progress_.must_stop(); }

 private:
  Progress& progress_;
  double every_;
};

// A start is as good as its rows can tell, and needs no certificate.
enum class Purpose : bool { finish, start };

class ActiveSetRun {
 public:
  ActiveSetRun(const FinishInput& input, ActiveSet& set, Progress& progress, Purpose purpose)
      : input_(input), progress_(progress), purpose_(purpose), set_(set), watch_(input.tol) {
    set_.stop_when([this] { return progress_.must_stop(); });
  }

  Finish run() {
    set_.look_at_all();
    while (!done()) {
      ++finish_.iterations;
      set_.leave_zero();
      if (set_.choose(most_)) set_.solve_working_set(goal());
      if (set_.violators() > most_) most_ *= 2;
      most_ = std::max(most_, set_.support_size());
      set_.look_at_all();
      const bool go_on = progress_.moved(set_.w(), set_.passes(), set_.objective(), std::nan(""));
      if (!go_on || progress_.must_stop()) {
        stopped_ = true;
        break;
      }
    }
    return closed();
  }

 private:
  bool done() {
    const double gap = gap_ = set_.gap();
    const bool better = gap < 0.9 * least_gap_ || set_.objective() < lowest_ - 1e-13 * std::abs(lowest_);
    idle_ = better ? 0 : idle_ + 1;
    least_gap_ = std::min(least_gap_, gap);
    lowest_ = std::min(lowest_, set_.objective());
    if (purpose_ == Purpose::start && gap <= std::max(input_.tol, noise())) return true;
    if (purpose_ == Purpose::finish && watch_.worth_certifying(gap)) {
      certify_here();
      if (finish_.certificate.relative_gap <= input_.tol) return true;
      watch_.refused(finish_.certificate.relative_gap);
    }
    if (finish_.iterations >= input_.max_iterations) stopped_ = true;
    return stopped_ || idle_ >= kPatience || finish_.iterations >= kMostRounds;
  }

  // How well the working set is solved. Where slopes outside will be found beyond their thresholds, more than a share of
  // the gap would be wasted: from afar there always are some, from penalty to penalty few.
  double goal() const {
    const bool complete = set_.violators() <= (set_.carries_on() ? most_ : 0);
    return complete ? watch_.ask_below() : std::max(kShareOfGap * gap_, watch_.ask_below());
  }

  // How much of F a sample cannot tell, about: a feature for each so many rows.
  double noise() const { return static_cast<double>(set_.support_size()) / static_cast<double>(input_.problem.rows()); }

  void certify_here() {
    const bool at_hand = set_.carries_on() && input_.tol >= kTrustMargins;
    const Certificate certificate = at_hand ? set_.certificate(input_.tol) : certify(input_.problem, set_.w());
    certify_passes_ += at_hand ? 0.5 : 1;
    if (!finish_.w.empty() && finish_.certificate.relative_gap <= certificate.relative_gap) return;
    finish_.w = set_.w();
    finish_.certificate = certificate;
  }

  Finish closed() {
    finish_.passes = set_.passes();
    if (purpose_ == Purpose::start) {
      finish_.w = set_.w();
      return std::move(finish_);
    }
    if (finish_.w.empty() || finish_.certificate.relative_gap > input_.tol) certify_here();
    if (finish_.certificate.relative_gap <= input_.tol)
      finish_.end = FinishEnd::converged;
    else
      finish_.end = stopped_ ? FinishEnd::stopped : FinishEnd::stalled;
    finish_.passes += certify_passes_;
    return std::move(finish_);
  }

  const FinishInput& input_;
  Progress& progress_;
  Purpose purpose_;
  ActiveSet& set_;
  Finish finish_;
  GapWatch watch_;
  double least_gap_ = std::numeric_limits<double>::infinity(), lowest_ = std::numeric_limits<double>::infinity();
  double certify_passes_ = 0;
  Index most_ = kFirstSet;
  double gap_ = 0;  // estimated at the last look at all coordinates
  int idle_ = 0;
  bool stopped_ = false;
};

// The same problem over fewer rows, where a run may begin: one row of every block of `every`, drawn by `seed`, with its
// target and weight (the penalty scaled where weights do not sum to 1). None where it misses a class or every weight.
std::optional<Problem> sample_rows(const Problem& problem, Index every, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Index> rows;
  for (Index begin = 0; begin < problem.rows(); begin += every)
    rows.push_back(begin + rng.below(std::min(every, problem.rows() - begin)));
  std::vector<double> targets, weights;
  bool positive = false, negative = false;
  for (const Index i : rows) {
    targets.push_back(problem.targets()[at(i)]);
    weights.push_back(problem.weight(i));
    if (weights.back() > 0) (targets.back() > 0 ? positive : negative) = true;
  }
  const TargetKind kind = traits_of(problem.spec().loss.kind).targets;
  const bool classifies = kind == TargetKind::classes;
  if (classifies ? !(positive && negative) : !positive && (kind == TargetKind::counts || !negative))
    return std::nullopt;

  Dataset whole;
  whole.x = problem.x();
  Dataset data = take_rows(whole, rows);
  data.y = {Array<double>(std::move(targets)), classifies ? LabelKind::classes : LabelKind::real, {}};
  if (!problem.weights().empty()) data.weights = Array<double>(std::move(weights));
  ProblemSpec spec = problem.spec();
  spec.class_weight = ClassWeight::none;  // it is in the weights
  spec.positive.clear();
  spec.penalty.lambda /= problem.total_weight();
  for (PenaltySpec& term : spec.penalty.also) term.lambda /= problem.total_weight();
  return Problem(std::move(data), spec);
}

ActiveSet active_set(const Problem& problem, std::vector<double> start) {
  if (start.empty()) start.assign(static_cast<std::size_t>(problem.dim()), 0.0);
  if (static_cast<Index>(start.size()) != problem.dim())
    throw Error("the start has " + std::to_string(start.size()) + " numbers, expected " +
                std::to_string(problem.dim()));
  return ActiveSet(problem, std::move(start));
}

Finish run_from(const FinishInput& input, std::vector<double> start, Progress& progress, Purpose purpose) {
  ActiveSet set = active_set(input.problem, std::move(start));
  return ActiveSetRun(input, set, progress, purpose).run();
}

Finish run_from_sample(const FinishInput& input, std::vector<double> start, Progress& progress, Purpose purpose) {
  const bool from_zero = std::all_of(start.begin(), start.end(), [](double value) { return value == 0; });
  double passes = 0;
  if (from_zero && input.problem.rows() >= kEvery * kLeastRows &&
      (purpose == Purpose::start || input.tol < kSampleTol)) {
    SparseProgress watched(progress, kEvery);
    if (const auto sample = sample_rows(input.problem, kEvery, input.seed)) {
      const FinishInput part{*sample, kSampleTol, input.seed + 1, kSampleRounds};
      Finish found = run_from_sample(part, {}, watched, Purpose::start);
      start = std::move(found.w);
      passes = found.passes / static_cast<double>(kEvery);
    }
  }
  Shifted shifted(progress, passes);
  Finish finish = run_from(input, std::move(start), shifted, purpose);
  finish.passes += passes;
  return finish;
}

Problem with_penalty_times(const Problem& problem, double factor) {
  ProblemSpec spec = problem.spec();
  spec.penalty.lambda *= factor;
  for (PenaltySpec& term : spec.penalty.also) term.lambda *= factor;
  return Problem(problem.data(), spec);
}

// How many times stronger the penalty would have to be to weigh, at w, a tenth of what predicting nothing loses.
double weakness(const Problem& problem, std::span<const double> w) {
  const Penalty penalty(problem);
  const std::vector<double> zero(w.size(), 0.0);
  return 0.1 * objective(problem, zero) / std::max(penalty.value(w), std::numeric_limits<double>::min());
}

// Under a penalty that is next to nothing, F is flat but for a few rows, and which those are is hard to find from afar.
// Under a strong one it is not, and from penalty to weaker penalty few of them change.
Finish run_by_weakening(const FinishInput& input, double factor, Progress& progress) {
  Finish so_far;
  const auto left = [&] { return input.max_iterations - so_far.iterations; };
  for (; factor > 1; factor /= kWeaken) {
    const Problem stronger = with_penalty_times(input.problem, factor);
    Shifted shifted(progress, so_far.passes);
    SparseProgress watched(shifted, 1);
    const FinishInput part{stronger, kPathTol, input.seed, std::min(kPathRounds, left())};
    Finish found = run_from(part, std::move(so_far.w), watched, Purpose::start);
    so_far.w = std::move(found.w);
    so_far.passes += found.passes;
    so_far.iterations += found.iterations;
    if (shifted.must_stop() || left() <= 0) return so_far;
  }
  Shifted shifted(progress, so_far.passes);
  FinishInput rest = input;
  rest.max_iterations = left();
  Finish finish = run_from(rest, std::move(so_far.w), shifted, Purpose::finish);
  finish.passes += so_far.passes;
  finish.iterations += so_far.iterations;
  return finish;
}

class ActiveSetSequence final : public FinishSequence {
 public:
  ActiveSetSequence(const Problem& first, std::vector<double> start) : set_(active_set(first, std::move(start))) {
    set_.carry_on();
  }

  Finish next(const FinishInput& input, Progress& progress) override {
    const double before = set_.passes();
    Shifted shifted(progress, -before);
    set_.change_penalty(input.problem);
    Finish finish = ActiveSetRun(input, set_, shifted, Purpose::finish).run();
    finish.passes -= before;
    if (finish.end == FinishEnd::converged) set_.arrived();
    return finish;
  }

 private:
  ActiveSet set_;
};

}  // namespace

std::unique_ptr<FinishSequence> active_set_sequence(const Problem& first, std::vector<double> start) {
  return std::make_unique<ActiveSetSequence>(first, std::move(start));
}

Finish finish_by_active_set(const FinishInput& input, std::vector<double> start, Progress& progress) {
  Finish finish = run_from_sample(input, std::move(start), progress, Purpose::finish);
  const double factor = finish.end == FinishEnd::stalled ? weakness(input.problem, finish.w) : 0;
  if (!(factor > 1)) return finish;
  Shifted shifted(progress, finish.passes);
  FinishInput rest = input;
  rest.max_iterations -= finish.iterations;
  Finish again = run_by_weakening(rest, factor, shifted);
  again.passes += finish.passes;
  again.iterations += finish.iterations;
  if (!(again.certificate.relative_gap <= finish.certificate.relative_gap)) {
    again.w = std::move(finish.w);
    again.certificate = finish.certificate;
  }
  return again;
}

}  // namespace s3gd
