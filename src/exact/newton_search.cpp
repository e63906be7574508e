#include "exact/newton_search.hpp"

#include <algorithm>
#include <cmath>

#include "exact/metric.hpp"
#include "kernel/kernel.hpp"

namespace s3gd {
namespace {

// Sensitive: kGrowth, up to 40 % of the passes of one-vs-rest and 20 % of softmax over text; all others hardly.
constexpr double kFar = 0.1;   // a gap beyond which it is not the sample that slows steps down, but changing curvature
constexpr double kSlow = 0.3;  // of the gap left after a step: the Hessian deserves more rows
constexpr double kSmallerGap = 0.5;       // of the least so far: that step has gained
constexpr double kBelowRounding = 1e-15;  // a tolerance that asks for as much as there is
constexpr double kWorthAStep = 0.1;       // of the gap left after a step beyond it
// A Hessian is made anew for every step, so that a sample has to be worth one: larger ones than for one output, and later.
constexpr SampleGrowth kGrowth{.first = 2000, .last = 0.35, .sorted = true};
constexpr Index kSampleOverHessian = 3;  // rows of a sample to those of a Hessian over it
constexpr double kHessianShare = 0.1;    // of the rows, in the first Hessians over all of them

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using State = SystemSearch::State;

std::vector<SystemAt> places(const std::vector<SystemSearch*>& some) {
  std::vector<SystemAt> at;
  for (SystemSearch* one : some) at.push_back(one->here());
  return at;
}

}  // namespace

FreshHessians::FreshHessians() : NewtonSystems({.growth = kGrowth}) {}

bool FreshHessians::begin(std::span<const SystemAt> at, std::span<const Index> rows, Index, Rng& rng) {
  precondition(at, rows, rng);
  return true;
}

bool FreshHessians::renew(std::span<const SystemAt> at, std::span<const Index> rows, bool whole, Rng& rng) {
  const Index all = this->rows();
  if (!rows.empty()) {
    build(at, rows, std::max(kGrowth.first, static_cast<Index>(rows.size()) / kSampleOverHessian), rng);
    return false;
  }
  if (sample_ == 0) {
    const auto share = static_cast<Index>(kHessianShare * static_cast<double>(all));
    sample_ = std::clamp<Index>(share, std::min(all, kGrowth.first), all);
  }
  const auto slow = std::count_if(at.begin(), at.end(), [](const SystemAt& one) { return one.slow; });
  if (!whole && slow > 0 && 2 * slow >= std::ssize(at)) {
    sample_ = std::min(all, 2 * sample_);
    precondition(at, rows, rng);
  }
  build(at, rows, whole ? all : sample_, rng);
  return false;
}

SystemSearch::SystemSearch(const NewtonSystems& systems, std::size_t number, const SearchInput& input,
                           std::vector<double> start, Progress& progress)
    : systems_(&systems),
      number_(number),
      input_(input),
      progress_(&progress),
      memory_(kStepMemory, systems.rules.rescales),
      watch_(input.tol),
      vain_(kSmallerGap) {
  point_.w = std::move(start);
  point_.float_error = trial_.float_error = systems.rules.float_error;
}

void SystemSearch::go_on(const SearchInput& input, Progress& progress, std::vector<double> bend) {
  input_ = input;
  progress_ = &progress;
  bend_ = std::move(bend);
  watch_ = GapWatch(input.tol);
  state_ = State::fresh;
  refused_ = false;
  gap_ = kInfinity;
  aim_.clear();
  finish_ = {};
}

void SystemSearch::begin_rows() {
  seen_ = refused_ = false;
  state_ = State::fresh;
}

void SystemSearch::take_pass(Arithmetic made_in, bool over_sample, double passes) {
  finish_.passes += passes;
  wanted().point->made_in = made_in;
  if (std::exchange(seen_, true)) judge_trial(over_sample);
}

// Accepts the trial, or shortens the step. In a sample's own F, what is rounding is no gain. A step shorter than the last digit
// of w changes nothing: the next would be the same.
void SystemSearch::judge_trial(bool over_sample) {
  const LineSearch line{point_.value, slope_, over_sample ? 0.0 : point_.rounding()};
  if (trial_.value == point_.value && trial_.gradient == point_.gradient) {
    state_ = State::stuck;
    return;
  }
  if (line.enough(length_, trial_.value) && (!over_sample || trial_.value < point_.value)) {
    StepTaken step(point_, trial_);
    memory_.add(std::move(step.moved), std::move(step.gradient));
    std::swap(point_, trial_);
    state_ = State::fresh;
    refused_ = false;
    bend_.clear();
    ++gained_;
    return;
  }
  if (!bend_.empty()) {
    bend_.clear();
  } else if (++trials_ == systems_->rules.most_trials) {
    state_ = State::stuck;
    return;
  } else {
    length_ = systems_->shorter(line, {point_, trial_, direction_, length_, over_sample});
  }
  place_trial();
}

void SystemSearch::place_trial() {
  state_ = State::trying;
  if (bend_.empty()) return step_from(point_, length_, direction_, trial_);
  std::vector<double> bent = direction_;
  kernel::axpy(1.0, bend_.data(), bent.data(), static_cast<Index>(bent.size()));
  step_from(point_, 1, bent, trial_);
}

bool SystemSearch::set_direction(StepMemory::Halfway solved, double passes) {
  finish_.passes += passes;
  direction_ = memory_.after_metric(std::move(solved));
  const auto size = static_cast<Index>(direction_.size());
  slope_ = kernel::dot(direction_.data(), point_.gradient.data(), size);
  length_ = 1;
  trials_ = 0;
  if (++steps_ > 1) bend_.clear();
  if (!(slope_ < 0) || steps_ > systems_->rules.most_steps) {
    state_ = State::stuck;
    return false;
  }
  if (steps_ == 1) {
    aim_ = point_.w;
    kernel::axpy(1.0, direction_.data(), aim_.data(), size);
  }
  place_trial();
  return true;
}

void SystemSearch::keep_best() {
  if (std::exchange(best_in_, point_.made_in) != point_.made_in) {
    vain_ = VainSteps(kSmallerGap);
    best_gap_ = kInfinity;
  }
  if (!vain_.count(gap_, point_.value, point_.rounding()) && !(gap_ < best_gap_)) return;
  best_gap_ = gap_;
  best_ = point_.w;
}

void SystemSearch::arrive() {
  const SearchRules& rules = systems_->rules;
  if (!refused_) {
    const double before = std::exchange(gap_, gap());
    slow_ = gap_ < kFar && gap_ > kSlow * before;
    if (rules.most_in_vain > 0) keep_best();
    if (watch_.worth_certifying(gap_)) {
      state_ = State::resting;
      return;
    }
  }
  if (rules.tells_trials) return;
  // As certificates tell it: no objective is below zero.
  tell(point_.w, point_.value, systems_->has_dual() ? std::min(gap_, 1.0) : gap_);
  if (state_ == State::fresh && vain_.steps() >= rules.most_in_vain) {
    point_.w = best_;
    state_ = State::stuck;
  }
}

void SystemSearch::tell(std::span<const double> w, double value, double gap) {
  const bool trial = systems_->rules.tells_trials, goes_on = progress_->moved(w, finish_.passes, value, gap);
  if (goes_on || !trial) ++finish_.iterations;  // a trial that is not looked at is none
  if (!goes_on || finish_.iterations > input_.max_iterations - (trial ? 1 : 0)) stop();
}

void SystemSearch::stop() {
  state_ = State::ended;
  finish_.end = FinishEnd::stopped;
}

void SystemSearch::take_certificate(const NewtonSystems::Certified& certified) {
  const double gap = certified.certificate.relative_gap;
  finish_.certificate = certified.certificate;
  finish_.passes += certified.passes;
  if (gap <= input_.tol || state_ == State::stuck) {
    state_ = State::ended;
    finish_.end = gap <= input_.tol ? FinishEnd::converged : FinishEnd::stalled;
    return;
  }
  finish_.certificate.relative_gap = std::nan("");
  state_ = State::fresh;
  if (!systems_->rules.asks_again) watch_.refused(gap);
  refused_ = true;
}

Finish SystemSearch::take_result() {
  finish_.w = point_.w;
  return std::move(finish_);
}

NewtonSearch::NewtonSearch(NewtonSystems& systems, const SearchInput& input, std::vector<std::vector<double>> starts,
                           std::span<Progress* const> progress)
    : systems_(systems), input_(input), rows_(systems.rows()), rng_(input.seed, 5) {
  searches_.reserve(starts.size());
  for (std::size_t k = 0; k < starts.size(); ++k)
    searches_.emplace_back(systems, k, input, std::move(starts[k]), *progress[k]);
}

void NewtonSearch::go_on(const SearchInput& input, Progress& progress, std::vector<double> bend) {
  input_ = input;
  arithmetic_ = Arithmetic::exact;
  only().go_on(input, progress, std::move(bend));
  knows_point_ = !only().point().gradient.empty() && only().point().made_in == Arithmetic::exact;
}

std::vector<Finish> NewtonSearch::run() {
  if (input_.climbs) climb();
  if (!knows_point_) begin_rows();
  descend();
  for (SystemSearch& one : searches_)
    if (systems_.rules.polishes && input_.tol <= kBelowRounding && one.converged()) polish(one);
  std::vector<Finish> finishes;
  for (SystemSearch& one : searches_) finishes.push_back(one.take_result());
  return finishes;
}

// One pass over the present rows for some of the systems, each where it wants to be seen.
void NewtonSearch::look(const Some& some) {
  std::vector<SystemAt> at;
  for (SystemSearch* one : some) at.push_back(one->wanted());
  systems_.look(at, sample_, arithmetic_);
  const Index count = sample_.empty() ? rows_ : static_cast<Index>(sample_.size());
  const double passes = static_cast<double>(count) / static_cast<double>(rows_);
  for (SystemSearch* one : some) one->take_pass(arithmetic_, !sample_.empty(), passes);
}

void NewtonSearch::begin_rows(Index wanted) {
  const Some active = searching();
  if (active.empty()) return;
  for (SystemSearch* one : active) one->begin_rows();
  look(active);
  if (systems_.begin(places(active), sample_, wanted, rng_))
    for (SystemSearch* one : active) one->forget_steps();
}

// New directions for those that have just reached a point.
void NewtonSearch::aim(bool whole) {
  const Some fresh = those_in(State::fresh);
  if (fresh.empty()) return;
  if (systems_.renew(places(fresh), sample_, whole, rng_))
    for (SystemSearch* one : fresh) one->forget_steps();
  std::vector<StepMemory::Halfway> halves;
  std::vector<std::vector<double>> v;
  for (const SystemSearch* one : fresh) {
    halves.push_back(one->before_metric());
    v.push_back(std::move(halves.back().v));
  }
  for (StepMemory::Halfway& half : halves)
    if (!half.change.empty()) v.push_back(std::move(half.change));
  const std::vector<double> passes = systems_.solve(v, [this] {
    return std::all_of(searches_.begin(), searches_.end(),
                       [](const SystemSearch& one) { return !one.searching() || one.must_stop(); });
  });
  for (std::size_t c = 0; c < fresh.size(); ++c) {
    halves[c].v = std::move(v[c]);
    if (v.size() > fresh.size()) halves[c].change = std::move(v[fresh.size() + c]);
    const bool leads_down = fresh[c]->set_direction(std::move(halves[c]), passes[c]);
    if (leads_down && sample_.empty() && fresh[c]->needs_digits()) arithmetic_ = Arithmetic::exact;
  }
}

void NewtonSearch::try_steps() {
  if (systems_.rules.tells_trials && sample_.empty())
    for (SystemSearch* one : those_in(State::trying)) one->tell_of_trial();
  if (const Some trying = those_in(State::trying); !trying.empty()) look(trying);
}

void NewtonSearch::climb() {
  const SampleGrowth& growth = systems_.rules.growth;
  const auto last = static_cast<Index>(growth.last * static_cast<double>(rows_));
  if (growth.first > last) return;
  GrowingSample sample(rows_, growth.run, rng_);
  for (Index size = growth.first; size <= last && !searching().empty(); size *= growth.factor) {
    sample_ = sample.grow(size);
    if (growth.sorted) std::sort(sample_.begin(), sample_.end());
    begin_rows(size);
    for (int taken = 0; taken < growth.steps; ++taken) {
      aim();
      do try_steps();
      while (!those_in(State::trying).empty());
    }
    for (SystemSearch& one : searches_) {
      if (one.state() == State::stuck) one.begin_rows();
      if (one.searching()) one.tell_of_sample();
    }
  }
  sample_.clear();
}

// Certificates for those that expect to be done, and for those that are stuck at the end of all digits; others that are stuck
// get more of them.
void NewtonSearch::serve_waiting() {
  const Some stuck = those([](const SystemSearch& one) { return one.wants_digits(); });
  const Some asking = those([](const SystemSearch& one) { return one.waiting() && !one.wants_digits(); });
  if (!asking.empty()) {
    const std::vector<NewtonSystems::Certified> certified = systems_.certify(places(asking));
    for (std::size_t c = 0; c < asking.size(); ++c) asking[c]->take_certificate(certified[c]);
  }
  if (stuck.empty()) return;
  arithmetic_ = Arithmetic::exact;
  for (SystemSearch* one : stuck) one->begin_rows();
  const Some again = those_in(State::fresh);
  for (SystemSearch* one : again) {
    one->begin_rows();
    one->forget_steps();
  }
  look(again);
}

void NewtonSearch::descend() {
  for (SystemSearch& one : searches_) one.begin_descent();
  for (;;) {
    for (SystemSearch* one : those_in(State::fresh)) one->arrive();
    for (SystemSearch& one : searches_)
      if (!systems_.rules.tells_trials && (one.state() == State::trying || one.state() == State::stuck) &&
          one.must_stop())
        one.stop();
    if (searching().empty()) {
      serve_waiting();
      if (searching().empty()) return;
      continue;
    }
    aim();
    try_steps();
  }
}

// To a tolerance below rounding, the objective cannot tell the last points apart; the gradient can.
void NewtonSearch::polish(SystemSearch& one) {
  for (double last = one.gap(); last > 0 && !one.must_stop();) {
    SystemPoint before = one.point();
    one.polish();
    aim(true);
    while (one.state() == State::trying) look({&one});
    if (one.state() != State::fresh) break;
    const double now = one.gap();
    if (!(now < last)) one.point() = std::move(before);
    if (!(now < kWorthAStep * last)) break;
    last = now;
  }
  one.end_polish();
}

}  // namespace s3gd
