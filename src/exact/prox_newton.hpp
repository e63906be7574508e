// Proximal Newton steps for F = loss + R, R with kinks: one loop, whatever the number of outputs.
//
// At a point the loss is replaced by a quadratic, R stays as it is, and their sum is minimised over the coordinates that
// may move. The step goes as far along the answer as F falls by a fair share of what was promised; where no length will do,
// the quadratic is made better. The loop asks for the minimiser, tries its lengths, certifies where the estimated gap makes
// that worth a pass, tells of every round, and ends at the tolerance, at its budget or where rounds gain nothing any more.
//
// What a kind of problem brings is the point, the choice of coordinates, the quadratic and its minimiser: one output with
// active sets (exact/active_set.hpp), softmax (exact/softmax_prox_newton.cpp).
#pragma once

#include <span>
#include <vector>

#include "exact/finisher.hpp"
#include "problem/optimality.hpp"

namespace s3gd {

// How problems of a kind are searched.
struct ProxRules {
  double shorter = 0.5;      // what a length that gains too little is multiplied by
  int most_trials = 14;      // of one direction
  int most_steps = 8;        // tried in a round
  Index most_rounds = 300;   // by then another method is due
  double smaller_gap = 0.9;  // of the least so far: that round has gained, as one has ...
  double least_gain = 0;     // ... in which F falls by this share of the gap
  int most_in_vain = 8;      // rounds that have not, in a row
  int most_unresolved = 8;   // the same where the gap is below what F resolves
  bool needs_steps = false;  // a round without a step is the last one
  bool tells_gap = false;    // to Progress
};

class ProxNewton {
 public:
  explicit ProxNewton(const ProxRules& rules) : rules_(rules) {}
  virtual ~ProxNewton() = default;

  // A start is as good as its rows can tell, and needs no certificate.
  enum class Purpose : bool { finish, start };
  Finish run(double tol, Index max_iterations, Progress& progress, Purpose purpose = Purpose::finish);

 protected:
  struct Certified {
    Certificate certificate;
    double passes;
  };
  // What is known of the rounds so far.
  struct Outlook {
    double gap;
    int in_vain;
    bool unresolved;  // F cannot tell any more
  };

  // Where the search is.
  virtual const std::vector<double>& w() const = 0;
  virtual double objective() const = 0;
  virtual double rounding() const = 0;        // of F: differences below it are none
  virtual bool has_dual() const = 0;          // whether gaps are duality gaps
  virtual double noise() const { return 0; }  // share of F that the rows cannot tell
  virtual double look() = 0;                  // at all coordinates; returns the relative gap as estimated
  virtual Certified certify(double enough) const = 0;

  // Before a round. True: rounds have gained too little, and the quadratic was made better for it.
  virtual bool refine(const Outlook&) { return false; }
  // A round: which coordinates may move; false: none wants to.
  virtual bool choose() = 0;
  // Whether all that want to move do; else no more than a share of the gap can be gained.
  virtual bool complete() const { return true; }
  virtual double look_at_chosen() { return std::numeric_limits<double>::infinity(); }  // as look(), at those alone

  // A step: from the point to the minimiser over what was chosen, and the change of F that promises.
  virtual bool guess() { return false; }  // tried before it: a step made by walk()
  virtual std::vector<double> direction() = 0;
  virtual double promise(const std::vector<double>& direction) const = 0;
  virtual double value_at(const std::vector<double>& direction, double length, double promised) = 0;
  virtual void accept(const std::vector<double>& direction, double length, double promised) = 0;  // the last trial
  virtual bool again() { return false; }  // after a step: whether another over the same coordinates pays
  virtual bool refused() = 0;             // no length will do: a better quadratic; false: there is none
  virtual bool more_digits() { return false; }

  bool walk(const std::vector<double>& direction, double promised, int trials);
  bool must_stop() const { return progress_->must_stop(); }
  double goal() const { return goal_; }  // the gap that a round is to reach

  double passes_ = 0;  // since the last run ended
  Progress* progress_ = nullptr;

 private:
  void take_certificate();
  bool arrived(double gap);
  bool round(double gap);
  bool step();

  const ProxRules rules_;
  double tol_ = 0, goal_ = 0;
  Purpose purpose_ = Purpose::finish;
  GapWatch watch_{0};
  Finish finish_;
};

}  // namespace s3gd
