// The state of the finisher with active sets: where w is, what the rows say there, and steps over a working set.
//
// A step minimises the quadratic model of F over the working set, 1-norm included (L1Model), and goes as far along the
// answer as F falls. The Hessian is as good as it pays to be: made from a sample of the rows at first, and kept over
// steps while they gain as much for their time as with a new one. From penalty to penalty it is kept as long as few steps
// suffice, corrected by what each step has shown of it (BFGS).
#pragma once

#include <limits>

#include "exact/search.hpp"
#include "exact/working_columns.hpp"
#include "problem/certificate.hpp"
#include "problem/full_pass.hpp"
#include "problem/optimality.hpp"
#include "problem/penalty.hpp"

namespace s3gd {

class ActiveSet {
 public:
  ActiveSet(const Problem& problem, std::vector<double> start);
  void stop_when(std::function<bool()> must_stop) { must_stop_ = std::move(must_stop); }

  // Goes on with the same rows under another penalty: margins, gradient, columns and Hessian are kept.
  void change_penalty(const Problem& problem);
  // Other penalties will follow.
  void carry_on();
  bool carries_on() const { return carries_on_; }
  void arrived();  // w is the solution under this penalty
  // Of w, after a look at all coordinates: the fewer rows of both classes are summed. `enough`: see RowsSeen.
  Certificate certificate(double enough) const;

  // One pass, unless w has not moved since the last: the gradient of the loss in every coordinate.
  void look_at_all();
  // Coordinates off zero and those that want to leave it most, `most` of the latter at most; the old set when that has
  // them all. False: nothing is left to move.
  bool choose(Index most);
  // An estimate of the relative gap, the slopes of coordinates outside the working set being as last looked at.
  double gap() const { return gap_; }
  // Steps over the working set until that estimate is below `goal`.
  void solve_working_set(double goal);
  // For a penalty with a 2-norm: off the point where it has no slope, if F falls there.
  bool leave_zero();

  const std::vector<double>& w() const { return w_; }
  const std::vector<double>& gradient() const { return gradient_; }
  double objective() const { return value_; }
  double passes() const { return passes_; }
  Index support_size() const;
  Index violators() const { return violators_; }  // met by choose(), chosen or not

 private:
  struct Solved {
    std::vector<double> w, gradient;
    double lambda = 0;
  };

  bool step();
  void look_at_working_set();
  double curvature_bound() const;
  void estimate_diagonal();
  void refresh_hessian();
  bool worth_keeping(double left);
  void forget_hessian();
  void correct_hessian();
  bool worth_carrying();
  void remember_hessian();
  void compare_with_hessian();
  void correct_by(std::vector<double>& gram, const std::vector<double>& s, const std::vector<double>& y) const;
  bool bent_step();
  void find_drift();
  std::vector<double> foreseen() const;
  void more_damping();
  void damp(std::vector<double>& curvatures) const;
  L1Model make_model() const;
  double penalty_at(const std::vector<double>& moved, double t) const;
  double promise(const std::vector<double>& moved) const;
  bool walk(const std::vector<double>& moved, double promised, int attempts);
  void look_with_all_rows(const std::vector<double>& moved);
  void take_slopes();
  void add_soon_leaving(std::vector<Index>& chosen, double least) const;
  std::vector<double> bent(const std::vector<double>& moved) const;
  double norm_of(const std::vector<double>& w) const;
  std::vector<Index> pulling() const;
  bool always_in(Index j) const;
  double violation(Index j) const;  // how much F would fall by coordinate j alone, at most

  Problem problem_;
  Penalty penalty_;
  std::function<bool()> must_stop_;
  bool constant_curvature_;
  std::vector<double> w_, u_, gradient_;  // u: the margins
  bool looked_ = false;                   // whether the gradient is the one at w in every coordinate
  bool carries_on_ = false;
  std::vector<double> mean_row_;               // kept for certificates of the squared loss ...
  std::optional<SmallerClass> smaller_class_;  // ... and of those that classify
  OfPositives positives_, trial_positives_;    // of them too, at w, where the last step looked at all rows
  std::optional<Solved> before_;               // the solution under the last penalty
  std::vector<double> drift_;                  // change of the solution with lambda, for a quadratic loss
  std::vector<double> diagonal_;               // of a bound of the Hessian, about
  RowTerms terms_;
  double value_ = 0, norm_ = 0, gap_ = 0, goal_ = 0, passes_ = 0;
  Index violators_ = 0;

  std::optional<Transposed> transposed_;  // while further penalties will follow
  std::unique_ptr<WorkingColumns> columns_;
  std::vector<double> slopes_;   // gradient over the working set
  std::vector<double> gram_;     // Hessian over the working set, as of some earlier step; empty: none
  std::vector<double> weights_;  // curvatures it was made with
  Index every_ = 1;              // one row in this many was used for it ...
  Index most_skipped_ = std::numeric_limits<Index>::max();  // ... and at most this many may be
  int age_ = 0;                                             // steps made with it
  int draws_ = 0;
  double last_promise_ = 0;
  std::vector<double> last_step_, last_slopes_;  // over the working set: what the Hessian is to be corrected by
  int steps_here_ = 0;                           // under this penalty
  int steps_when_new_ = 0, kept_for_ = 0;        // under the one the Hessian was made for; penalties since
  double damping_ = 0;                           // share of the way from the curvatures to their bound
  std::vector<double> along_, trial_u_, trial_w_, trial_gradient_;
  PathPredictor predictor_;
  std::vector<double> first_bend_, first_aim_;  // of the first step under this penalty, by columns
  // The same by a Hessian: as it was before that step (of which working set, and whether it was new), and by how much the
  // slopes at the last solution differ from what it had said, over h^2.
  std::vector<double> first_gram_, unexpected_;
  std::vector<Index> first_set_;
  bool first_is_new_ = false, unexpected_of_new_ = false;
  bool renewed_ = false;  // since that step
  double unexpected_h_ = 0;
  bool first_step_ = true;
  double likely_ = 1;  // share of its threshold from which on a slope may pass it under this penalty
  RowTerms trial_terms_;
};

}  // namespace s3gd
