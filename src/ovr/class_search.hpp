// One class of a search over all of them (ovr/newton.hpp): its point, its step and how far it is.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "finish/finisher.hpp"
#include "finish/metric.hpp"
#include "finish/optimality.hpp"
#include "model/penalty.hpp"
#include "ovr/curvature.hpp"
#include "ovr/pass.hpp"
#include "softmax/optimality.hpp"

namespace s3gd {

class ClassSearch {
 public:
  enum class State : std::uint8_t {
    fresh,    // at a point it has just reached: wants a direction
    trying,   // on its way along one: wants to know F at the trial
    resting,  // expects to be done: wants a certificate
    stuck,    // a step gained nothing: wants a certificate, and more digits if that says no
    ended
  };

  ClassSearch(const Problem& problem, double tol, std::vector<double> start, Progress& progress);

  State state() const { return state_; }
  bool searching() const { return state_ == State::fresh || state_ == State::trying; }
  bool waiting() const { return state_ == State::resting || state_ == State::stuck; }
  double gap() const { return gap_; }
  // The last step left more of the gap than the sample of the Hessian should.
  bool slow() const { return slow_; }

  // What a pass has to find: at the point itself, or at the trial. Rows whose sum is scaled up to the whole.
  ClassPass pass(Index rows);
  void take_pass(const ClassPass& found, Arithmetic made_in);
  // Looks at other rows, or in another arithmetic, from now on: the point has to be seen again.
  void begin_rows();

  // The direction in two halves (finish/metric.hpp), and the first trial along it. False: it does not lead down.
  StepMemory::Halfway before_metric() const { return memory_.before_metric(point_.gradient); }
  bool set_direction(StepMemory::Halfway solved);
  double expected_decrease() const { return -slope_ / std::abs(point_.value); }  // relative
  ClassCurvature curvature() const { return {curvatures_, scale_}; }

  // Tells where it is; decides whether to rest or, told so, to end.
  void report(Index max_iterations, bool certifies);
  std::span<const double> w() const { return point_.w; }
  const Problem& problem() const { return problem_; }
  // After a certificate of the present point. True: more digits are wanted, and a new look at the point.
  bool take_certificate(const Certificate& certificate, double passes);
  void count_passes(double passes) { finish_.passes += passes; }
  bool must_stop() const { return progress_->must_stop(); }
  void stop();
  Finish take_result();

 private:
  struct Point {
    std::vector<double> w, gradient;  // of F: penalty included
    double value = std::numeric_limits<double>::infinity();
    Arithmetic made_in = Arithmetic::data;

    // Differences of F below this are rounding.
    double rounding() const { return (made_in == Arithmetic::data ? 1e-7 : 1e-13) * std::abs(value); }
  };

  double estimate() const;
  void judge_trial();
  void place_trial();

  Problem problem_;
  double tol_;
  Progress* progress_;
  Penalty penalty_;
  Optimality optimality_;
  std::vector<double> ridge_;  // second derivative of the penalty in each coordinate
  StepMemory memory_;
  GapWatch watch_;
  State state_ = State::fresh;
  bool seen_ = false;  // whether F is known at the point
  Point point_, trial_;
  std::vector<double> direction_, curvatures_, trial_curvatures_;
  double slope_ = 0, length_ = 1, scale_ = 1, trial_scale_ = 1;
  int trials_ = 0, steps_ = 0;
  double gap_ = std::numeric_limits<double>::infinity();
  bool slow_ = false;
  bool refused_ = false;  // a certificate of the present point: it takes a step to ask for another
  Finish finish_;
};

}  // namespace s3gd
