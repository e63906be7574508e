// One system of a search over several (exact/joint_newton.hpp): its point, its step and how far it is.
#pragma once

#include "exact/joint_newton.hpp"
#include "exact/metric.hpp"
#include "problem/optimality.hpp"

namespace s3gd {

class SystemSearch {
 public:
  enum class State : std::uint8_t {
    fresh,    // at a point it has just reached: wants a direction
    trying,   // on its way along one: wants to know F at the trial
    resting,  // expects to be done: wants a certificate
    stuck,    // a step gained nothing: wants a certificate, and more digits if that says no
    ended
  };

  SystemSearch(const NewtonSystems& systems, std::size_t number, const JointInput& input, std::vector<double> start,
               Progress& progress);

  State state() const { return state_; }
  bool searching() const { return state_ == State::fresh || state_ == State::trying; }
  bool waiting() const { return state_ == State::resting || state_ == State::stuck; }
  // The last step left more of the gap than the sample of the Hessian should.
  bool slow() const { return slow_; }

  SystemAt here() { return {number_, &point_}; }
  // Where a pass has to look: at the point itself, or at the trial. Then it is told what was found.
  SystemAt wanted() { return {number_, seen_ ? &trial_ : &point_}; }
  void take_pass(Arithmetic made_in);
  // Looks at other rows, or in another arithmetic, from now on: the point has to be seen again.
  void begin_rows();

  // The direction in two halves (exact/metric.hpp), and the first trial along it. False: it does not lead down.
  StepMemory::Halfway before_metric() const { return memory_.before_metric(point_.gradient); }
  bool set_direction(StepMemory::Halfway solved);
  bool needs_digits() const { return point_.needs_digits(-slope_); }  // for the step it is about to make

  // Decides whether to rest; tells where it is otherwise and, told so, ends.
  void report(bool certifies);
  // After a certificate of the present point. True: more digits are wanted, and a new look at the point.
  bool take_certificate(const NewtonSystems::Certified& certified);
  void count_passes(double passes) { finish_.passes += passes; }
  bool must_stop() const { return progress_->must_stop(); }
  void stop();
  Finish take_result();

  // One that has converged goes on from there, to where its gradient vanishes; it ends at the better of two points.
  bool converged() const { return state_ == State::ended && finish_.end == FinishEnd::converged; }
  double gap() { return systems_->gap(here()); }
  void polish() { state_ = State::fresh; }
  void end_polish() { state_ = State::ended; }
  const SystemPoint& point() const { return point_; }
  void set_point(SystemPoint point) { point_ = std::move(point); }

 private:
  void judge_trial();
  void place_trial();
  void keep_best();

  const NewtonSystems* systems_;
  std::size_t number_;
  JointInput input_;
  Progress* progress_;
  StepMemory memory_;
  GapWatch watch_;
  State state_ = State::fresh;
  bool seen_ = false;  // whether F is known at the point
  SystemPoint point_, trial_;
  std::vector<double> direction_;
  double slope_ = 0, length_ = 1;
  int trials_ = 0, steps_ = 0;
  double gap_ = std::numeric_limits<double>::infinity();
  bool slow_ = false;
  bool refused_ = false;  // a certificate of the present point: it takes a step to ask for another
  // Where rounding is all that moves, steps wander about: the best point is kept.
  std::vector<double> best_;
  double best_gap_ = std::numeric_limits<double>::infinity(), lowest_ = best_gap_;
  Arithmetic best_in_ = Arithmetic::data;
  int in_vain_ = 0;  // steps since one gained
  Finish finish_;
};

}  // namespace s3gd
