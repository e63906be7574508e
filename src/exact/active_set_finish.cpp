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

// Sensitive: kEvery and kSampleRounds, halved, cost 20 % more passes on ijcnn1.
constexpr Index kEvery = 8;          // one row in so many for the start, and again for its own start ...
constexpr Index kLeastRows = 2048;   // ... while there are so many
constexpr double kSampleTol = 1e-2;  // how well a sample is solved: it is itself no better than a few percent
constexpr Index kSampleRounds = 8;   // at most
constexpr double kWeaken = 10, kPathTol = 1e-3;  // by how much from penalty to penalty, and how well those are solved
constexpr Index kPathRounds = 100;               // at most

using Purpose = ProxNewton::Purpose;

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
  return active_set(input.problem, std::move(start)).run(input.tol, input.max_iterations, progress, purpose);
}

Finish run_from_sample(const FinishInput& input, std::vector<double> start, Progress& progress, Purpose purpose) {
  double passes = 0;
  if (all_zero(start) && input.problem.rows() >= kEvery * kLeastRows &&
      (purpose == Purpose::start || input.tol < kSampleTol)) {
    Following watched(progress, 0, 1 / static_cast<double>(kEvery), false);
    if (const auto sample = sample_rows(input.problem, kEvery, input.seed)) {
      const FinishInput part{*sample, kSampleTol, input.seed + 1, kSampleRounds};
      Finish found = run_from_sample(part, {}, watched, Purpose::start);
      start = std::move(found.w);
      passes = found.passes / static_cast<double>(kEvery);
    }
  }
  Following following(progress, passes);
  Finish finish = run_from(input, std::move(start), following, purpose);
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
    Following watched(progress, so_far.passes, 1, false);
    const FinishInput part{stronger, kPathTol, input.seed, std::min(kPathRounds, left())};
    Finish found = run_from(part, std::move(so_far.w), watched, Purpose::start);
    so_far.w = std::move(found.w);
    so_far.passes += found.passes;
    so_far.iterations += found.iterations;
    if (watched.must_stop() || left() <= 0) return so_far;
  }
  Following following(progress, so_far.passes);
  FinishInput rest = input;
  rest.max_iterations = left();
  Finish finish = run_from(rest, std::move(so_far.w), following, Purpose::finish);
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
    set_.change_penalty(input.problem);
    Finish finish = set_.run(input.tol, input.max_iterations, progress);
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
  Following following(progress, finish.passes);
  FinishInput rest = input;
  rest.max_iterations -= finish.iterations;
  Finish again = run_by_weakening(rest, factor, following);
  again.passes += finish.passes;
  again.iterations += finish.iterations;
  if (!(again.certificate.relative_gap <= finish.certificate.relative_gap)) {
    again.w = std::move(finish.w);
    again.certificate = finish.certificate;
  }
  return again;
}

}  // namespace s3gd
