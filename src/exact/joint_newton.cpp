#include "exact/joint_newton.hpp"

#include <algorithm>
#include <utility>

#include "exact/curvature_sample.hpp"
#include "exact/system_search.hpp"

namespace s3gd {
namespace {

// A Hessian is made anew for every step, so that a sample has to be worth one: larger ones than for one output, and later.
constexpr SampleGrowth kGrowth{.first = 2000, .last = 0.35};
constexpr Index kSampleOverHessian = 3;   // rows of a sample to those of a Hessian over it
constexpr double kHessianShare = 0.1;     // of the rows, in the first Hessians over all of them
constexpr double kBelowRounding = 1e-15;  // a tolerance that asks for as much as there is
constexpr double kWorthAStep = 0.1;       // of the gap left after a step beyond it

using State = SystemSearch::State;

class JointNewton {
 public:
  JointNewton(NewtonSystems& systems, const JointInput& input, std::vector<std::vector<double>> starts,
              std::span<Progress* const> progress)
      : systems_(systems), input_(input), rows_(systems.rows()), rng_(input.seed, 5) {
    searches_.reserve(starts.size());
    for (std::size_t k = 0; k < starts.size(); ++k)
      searches_.emplace_back(systems, k, input, std::move(starts[k]), *progress[k]);
  }

  std::vector<Finish> run() {
    if (input_.climbs) climb();
    descend();
    for (SystemSearch& one : searches_)
      if (input_.tol <= kBelowRounding && one.converged()) polish(one);
    std::vector<Finish> finishes;
    for (SystemSearch& one : searches_) finishes.push_back(one.take_result());
    return finishes;
  }

 private:
  using Some = std::vector<SystemSearch*>;

  template <class Wanted>
  Some those(Wanted&& wanted) {
    Some chosen;
    for (SystemSearch& one : searches_)
      if (wanted(one)) chosen.push_back(&one);
    return chosen;
  }
  Some those_in(State state) {
    return those([&](const SystemSearch& one) { return one.state() == state; });
  }
  Some searching() {
    return those([](const SystemSearch& one) { return one.searching(); });
  }
  static std::vector<SystemAt> places(const Some& some) {
    std::vector<SystemAt> at;
    for (SystemSearch* one : some) at.push_back(one->here());
    return at;
  }
  bool stopped() const {
    return std::all_of(searches_.begin(), searches_.end(),
                       [](const SystemSearch& one) { return !one.searching() || one.must_stop(); });
  }

  // One pass over the present rows for some of the systems, each where it wants to be seen.
  void look(const Some& some) {
    std::vector<SystemAt> at;
    for (SystemSearch* one : some) at.push_back(one->wanted());
    systems_.look(at, sample_, arithmetic_);
    const Index count = sample_.empty() ? rows_ : static_cast<Index>(sample_.size());
    for (SystemSearch* one : some) {
      one->take_pass(arithmetic_);
      one->count_passes(static_cast<double>(count) / static_cast<double>(rows_));
    }
  }

  void begin_rows() {
    for (SystemSearch* one : searching()) one->begin_rows();
    const Some active = searching();
    if (active.empty()) return;
    look(active);
    systems_.precondition(places(active), sample_, rng_);
  }

  // New directions for those that have just reached a point.
  void aim(Index hessian_rows) {
    const Some fresh = those_in(State::fresh);
    if (fresh.empty()) return;
    std::vector<StepMemory::Halfway> halves;
    std::vector<std::vector<double>> v;
    for (const SystemSearch* one : fresh) {
      halves.push_back(one->before_metric());
      v.push_back(std::move(halves.back().v));
    }
    systems_.build(places(fresh), sample_, hessian_rows, rng_);
    const std::vector<double> passes = systems_.solve(v, [this] { return stopped(); });
    for (std::size_t c = 0; c < fresh.size(); ++c) {
      halves[c].v = std::move(v[c]);
      fresh[c]->count_passes(passes[c]);
      if (fresh[c]->set_direction(std::move(halves[c])) && fresh[c]->needs_digits()) arithmetic_ = Arithmetic::exact;
    }
  }

  void try_steps() {
    if (const Some trying = those_in(State::trying); !trying.empty()) look(trying);
  }

  void certify_waiting();
  void climb();
  void descend();
  void polish(SystemSearch& one);

  NewtonSystems& systems_;
  JointInput input_;
  Index rows_;
  Rng rng_;
  std::vector<SystemSearch> searches_;
  std::vector<Index> sample_;  // rows looked at; empty = all
  Arithmetic arithmetic_ = Arithmetic::data;
};

void JointNewton::climb() {
  const auto last = static_cast<Index>(kGrowth.last * static_cast<double>(rows_));
  GrowingSample sample(rows_, 1, rng_);
  for (Index size = kGrowth.first; size <= last; size *= kGrowth.factor) {
    sample_ = sample.grow(size);
    std::sort(sample_.begin(), sample_.end());
    begin_rows();
    for (int taken = 0; taken < kGrowth.steps; ++taken) {
      aim(std::max(kGrowth.first, size / kSampleOverHessian));
      try_steps();
    }
    for (SystemSearch& one : searches_) {
      if (one.state() == State::stuck) one.begin_rows();
      if (one.searching()) one.report(false);
    }
  }
  sample_.clear();
}

void JointNewton::certify_waiting() {
  const Some waiting = those([](const SystemSearch& one) { return one.waiting(); });
  if (waiting.empty()) return;
  const std::vector<NewtonSystems::Certified> certified = systems_.certify(places(waiting));
  bool exact = false;
  for (std::size_t c = 0; c < waiting.size(); ++c) exact = waiting[c]->take_certificate(certified[c]) || exact;
  if (!exact) return;
  arithmetic_ = Arithmetic::exact;
  for (SystemSearch* one : those_in(State::fresh)) one->begin_rows();
  look(those_in(State::fresh));
}

void JointNewton::descend() {
  begin_rows();
  auto sample = static_cast<Index>(kHessianShare * static_cast<double>(rows_));
  sample = std::clamp<Index>(sample, std::min(rows_, kGrowth.first), rows_);
  for (;;) {
    for (SystemSearch* one : those_in(State::fresh)) one->report(true);
    for (SystemSearch& one : searches_)
      if ((one.state() == State::trying || one.state() == State::stuck) && one.must_stop()) one.stop();
    if (searching().empty()) {
      certify_waiting();
      if (searching().empty()) return;
      continue;
    }
    const Some next = those_in(State::fresh);
    const auto slow = std::count_if(next.begin(), next.end(), [](const SystemSearch* one) { return one->slow(); });
    if (slow > 0 && 2 * slow >= static_cast<Index>(next.size())) {
      sample = std::min(rows_, 2 * sample);
      systems_.precondition(places(next), sample_, rng_);
    }
    aim(sample);
    try_steps();
  }
}

// To a tolerance below rounding, the objective cannot tell the last points apart; the gradient can.
void JointNewton::polish(SystemSearch& one) {
  for (double last = one.gap(); last > 0 && !one.must_stop();) {
    SystemPoint before = one.point();
    one.polish();
    aim(rows_);
    while (one.state() == State::trying) look({&one});
    if (one.state() != State::fresh) break;
    const double now = one.gap();
    if (!(now < last)) one.set_point(std::move(before));
    if (!(now < kWorthAStep * last)) break;
    last = now;
  }
  one.end_polish();
}

}  // namespace

std::vector<Finish> finish_jointly(NewtonSystems& systems, const JointInput& input,
                                   std::vector<std::vector<double>> starts, std::span<Progress* const> progress) {
  return JointNewton(systems, input, std::move(starts), progress).run();
}

}  // namespace s3gd
