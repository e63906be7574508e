// Newton steps for smooth problems in metrics made of samples of the rows: one search, whatever the number of outputs.
//
// What is solved are systems: one output is one, one-vs-rest is one for each class, softmax a single one that couples its
// classes. Every system has its own point, step length, memory of past steps and certificate; what they share is the
// reading of the rows: the pass, and the sample that their metrics are made of. A system that expects to be certified
// rests, and is certified together with the others.
//
// From nothing, the rows are looked at in samples that grow, so that the first steps do not depend on the number of rows at
// all. Over all rows a step is one pass; the memory of past steps corrects what the sample of the metric missed. A step that
// gains nothing over float rows may have been rounding: rows are then seen in double.
//
// What differs is the metric (NewtonSystems): one output keeps a factor over steps and penalties, since that costs little
// beside a pass; several have Hessians made anew for every step (FreshHessians).
#pragma once

#include <functional>
#include <limits>
#include <optional>

#include "base/random.hpp"
#include "exact/finisher.hpp"
#include "exact/metric.hpp"
#include "exact/search.hpp"
#include "problem/certificate.hpp"
#include "problem/optimality.hpp"

namespace s3gd {

struct SystemPoint : SearchPoint {
  std::vector<double> margins;           // of all rows, where the systems keep them
  std::vector<double> curvatures;        // of the rows looked at: what they are drawn by; may be missing at a trial
  double scale = 1;                      // what sums over them are multiplied by to stand for all rows
  std::optional<OfPositives> positives;  // kept where certificates will ask for them
};

// One of the systems where it is to be seen, and how far it is.
struct SystemAt {
  std::size_t system;
  SystemPoint* point;
  bool trial = false;  // not where it is yet: the point may be refused
  double gap = 0;      // estimated, over all rows
  int steps = 0;       // made over all rows
  bool slow = false;   // the last one left more of the gap than the sample of a metric should
};

// How systems of a kind are searched.
struct SearchRules {
  SampleGrowth growth;
  bool rescales = false;      // see StepMemory
  double float_error = 1e-7;  // see SearchPoint
  int most_trials = 21;       // of one step's length
  int most_steps = 1000;      // over all rows: by then another method is due
  int most_in_vain = 15;      // steps that gain nothing but rounding; 0: no matter
  bool tells_trials = false;  // each trial is told of before its pass, without F; else each point, with F and gap
  bool asks_again =
      false;             // steps leave so little of a gap that a certificate that said no is asked for after the next
  bool polishes = true;  // where the tolerance asks for as much as there is
};

// What the search asks of the problem.
class NewtonSystems {
 public:
  explicit NewtonSystems(const SearchRules& given) : rules(given) {}
  virtual ~NewtonSystems() = default;
  const SearchRules rules;
  virtual Index rows() const = 0;
  virtual bool has_dual() const = 0;  // whether gaps are duality gaps

  // F, its gradient and the rows' curvatures at these points, in one pass over `rows` (empty = all).
  virtual void look(std::span<const SystemAt> at, std::span<const Index> rows, Arithmetic arithmetic) = 0;
  virtual double gap(const SystemAt& at) const = 0;  // relative, estimated from what a look has found
  struct Certified {
    Certificate certificate;
    double passes;
  };
  virtual std::vector<Certified> certify(std::span<const SystemAt> at) const = 0;
  // The length to try after this one, which ended at a trial that gained too little; the first trial of a step is 1.
  struct Refused {
    const SystemPoint &from, &trial;
    std::span<const double> direction;
    double length;
    bool over_sample;
  };
  virtual double shorter(const LineSearch& line, const Refused& refused) const {
    return line.shorter(refused.length, refused.trial.value);
  }

  // Metrics. True: they are new ones, of which past steps know nothing.
  // Of systems that have just been looked at over `rows`, of which `wanted` were asked for (0: all).
  virtual bool begin(std::span<const SystemAt> at, std::span<const Index> rows, Index wanted, Rng& rng) = 0;
  // Of systems about to ask for a step. whole: from all rows.
  virtual bool renew(std::span<const SystemAt> at, std::span<const Index> rows, bool whole, Rng& rng) = 0;
  // v_k <- H_k^-1 v_k, about, for the systems of the last renew(), in their order. Returns the passes that took, for each.
  virtual std::vector<double> solve(std::span<std::vector<double>> v, const std::function<bool()>& stop) = 0;
};

// Systems whose Hessians are made anew for every step, from samples that double where steps are slow.
class FreshHessians : public NewtonSystems {
 public:
  FreshHessians();
  bool begin(std::span<const SystemAt> at, std::span<const Index> rows, Index wanted, Rng& rng) override;
  bool renew(std::span<const SystemAt> at, std::span<const Index> rows, bool whole, Rng& rng) override;

 private:
  // What preconditions all of them, from `rows` as they were looked at.
  virtual void precondition(std::span<const SystemAt> at, std::span<const Index> rows, Rng& rng) = 0;
  // Their Hessians, from about `sample` of those rows.
  virtual void build(std::span<const SystemAt> at, std::span<const Index> rows, Index sample, Rng& rng) = 0;

  Index sample_ = 0;  // over all rows; 0: not made yet
};

struct SearchInput {
  double tol = 1e-4;
  std::uint64_t seed = 0;
  Index max_iterations = std::numeric_limits<Index>::max();  // for each system
  bool climbs = true;                                        // over samples that grow, before the first pass
};

// One system of the search: its point, its step and how far it is.
class SystemSearch {
 public:
  enum class State : std::uint8_t {
    fresh,    // at a point it has just reached: wants a direction
    trying,   // on its way along one: wants to know F at the trial
    resting,  // expects to be done: wants a certificate
    stuck,    // a step gained nothing: wants more digits or, where it has them, a certificate
    ended
  };

  SystemSearch(const NewtonSystems& systems, std::size_t number, const SearchInput& input, std::vector<double> start,
               Progress& progress);
  // The next of several problems, from here; `bend` is added to its first step, if that gains.
  void go_on(const SearchInput& input, Progress& progress, std::vector<double> bend);

  State state() const { return state_; }
  bool searching() const { return state_ == State::fresh || state_ == State::trying; }
  bool waiting() const { return state_ == State::resting || state_ == State::stuck; }
  bool wants_digits() const {
    return state_ == State::stuck && point_.made_in == Arithmetic::data && steps_ <= systems_->rules.most_steps;
  }
  bool converged() const { return state_ == State::ended && finish_.end == FinishEnd::converged; }

  SystemAt here() { return {number_, &point_, false, gap_, gained_, slow_}; }
  // Where a pass has to look: at the point itself, or at the trial. Then it is told what was found.
  SystemAt wanted() { return {number_, seen_ ? &trial_ : &point_, seen_, gap_, gained_, slow_}; }
  void take_pass(Arithmetic made_in, bool over_sample, double passes);
  // Looks at other rows, or in another arithmetic, from now on: the point has to be seen again.
  void begin_rows();
  void begin_descent() { steps_ = gained_ = 0; }
  void forget_steps() { memory_.clear(); }

  // The direction in two halves (exact/metric.hpp), and the first trial along it. False: it does not lead down.
  StepMemory::Halfway before_metric() const { return memory_.before_metric(point_.gradient); }
  bool set_direction(StepMemory::Halfway solved, double passes);
  bool needs_digits() const { return point_.needs_digits(-slope_); }  // for the step it is about to make

  // At a point it has just reached: rests where a certificate is worth its pass, tells of the point otherwise.
  void arrive();
  void tell_of_sample() { tell(point_.w); }
  void tell_of_trial() { tell(trial_.w); }
  void take_certificate(const NewtonSystems::Certified& certified);
  bool must_stop() const { return progress_->must_stop(); }
  void stop();
  Finish take_result();

  // One that has converged goes on from there, to where its gradient vanishes; it ends at the better of two points.
  double gap() { return systems_->gap(here()); }
  void polish() { state_ = State::fresh; }
  void end_polish() { state_ = State::ended; }

  SystemPoint& point() { return point_; }
  StepMemory& memory() { return memory_; }
  int steps() const { return steps_; }                     // tried over all rows
  const std::vector<double>& aim() const { return aim_; }  // where the first of them would have gone unbent and whole

 private:
  void tell(std::span<const double> w, double value = std::numeric_limits<double>::quiet_NaN(),
            double gap = std::numeric_limits<double>::quiet_NaN());
  void judge_trial(bool over_sample);
  void place_trial();
  void keep_best();

  const NewtonSystems* systems_;
  std::size_t number_;
  SearchInput input_;
  Progress* progress_;
  StepMemory memory_;
  GapWatch watch_;
  State state_ = State::fresh;
  bool seen_ = false;  // whether F is known at the point
  SystemPoint point_, trial_;
  std::vector<double> direction_, bend_, aim_;
  double slope_ = 0, length_ = 1;
  int trials_ = 0, steps_ = 0, gained_ = 0;
  double gap_ = std::numeric_limits<double>::infinity();
  bool slow_ = false;
  bool refused_ = false;  // a certificate of the present point: it takes a step to ask for another
  // Where rounding is all that moves, steps wander about: the best point is kept.
  std::vector<double> best_;
  double best_gap_ = std::numeric_limits<double>::infinity();
  Arithmetic best_in_ = Arithmetic::data;
  VainSteps vain_;
  Finish finish_;
};

class NewtonSearch {
 public:
  // starts and progress: one for each system. One that its Progress stops ends where it is.
  NewtonSearch(NewtonSystems& systems, const SearchInput& input, std::vector<std::vector<double>> starts,
               std::span<Progress* const> progress);
  std::vector<Finish> run();

  // For a single system that is asked for the solution under one penalty after the other: another run() follows, over rows
  // seen in double. What the rows said at its point is kept where they were seen like that.
  void go_on(const SearchInput& input, Progress& progress, std::vector<double> bend);
  bool knows_point() const { return knows_point_; }
  SystemSearch& only() { return searches_[0]; }
  Rng& rng() { return rng_; }

 private:
  using Some = std::vector<SystemSearch*>;
  template <class Wanted>
  Some those(Wanted&& wanted) {
    Some chosen;
    for (SystemSearch& one : searches_)
      if (wanted(one)) chosen.push_back(&one);
    return chosen;
  }
  Some those_in(SystemSearch::State state) {
    return those([&](const SystemSearch& one) { return one.state() == state; });
  }
  Some searching() {
    return those([](const SystemSearch& one) { return one.searching(); });
  }
  void look(const Some& some);
  void begin_rows(Index wanted = 0);
  void aim(bool whole = false);
  void try_steps();
  void serve_waiting();
  void climb();
  void descend();
  void polish(SystemSearch& one);

  NewtonSystems& systems_;
  SearchInput input_;
  Index rows_;
  Rng rng_;
  std::vector<SystemSearch> searches_;
  std::vector<Index> sample_;  // rows looked at; empty = all
  Arithmetic arithmetic_ = Arithmetic::data;
  bool knows_point_ = false;
};

}  // namespace s3gd
