// The state of the finisher with active sets: where w is, what the rows say there, and steps over a working set.
//
// A step minimises the quadratic model of F over the working set, 1-norm included (L1Model), and goes as far along the
// answer as F falls. The Hessian is as good as it pays to be: made from a sample of the rows at first, and kept over
// steps while they gain as much for their time as with a new one. From penalty to penalty it is kept as long as few steps
// suffice, corrected by what each step has shown of it (BFGS).
#pragma once

#include <limits>

#include "exact/prox_newton.hpp"
#include "exact/search.hpp"
#include "exact/working_columns.hpp"
#include "problem/certificate.hpp"
#include "problem/full_pass.hpp"
#include "problem/optimality.hpp"
#include "problem/penalty.hpp"

namespace s3gd {

class ActiveSet final : public ProxNewton {
 public:
  ActiveSet(const Problem& problem, std::vector<double> start);

  // Goes on with the same rows under another penalty: margins, gradient, columns and Hessian are kept.
  void change_penalty(const Problem& problem);
  // Other penalties will follow.
  void carry_on();
  void arrived();  // w is the solution under this penalty
  // Coordinates let off zero at first; twice as many each time they do not suffice.
  void begin();

 private:
  struct Solved {
    std::vector<double> w, gradient;
    double lambda = 0;
  };

  const std::vector<double>& w() const override { return w_; }
  double objective() const override { return value_; }
  double rounding() const override { return rounding_of(value_); }
  bool has_dual() const override { return penalty_.has_dual(); }
  double noise() const override { return static_cast<double>(support_size()) / static_cast<double>(problem_.rows()); }
  double look() override;
  Certified certify(double enough) const override;
  bool choose() override;
  bool complete() const override { return violators_ <= (carries_on_ ? most_ : 0); }
  double look_at_chosen() override;
  bool guess() override;
  std::vector<double> direction() override;
  double promise(const std::vector<double>& moved) const override;
  double value_at(const std::vector<double>& moved, double t, double promised) override;
  void accept(const std::vector<double>& moved, double t, double promised) override;
  bool again() override;
  bool refused() override;

  Certificate certificate(double enough) const;
  bool choose_columns();
  bool leave_zero();
  Index support_size() const;
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
  std::vector<double> bent_direction();
  void find_drift();
  std::vector<double> foreseen() const;
  void more_damping();
  void damp(std::vector<double>& curvatures) const;
  L1Model make_model() const;
  double penalty_at(const std::vector<double>& moved, double t) const;
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
  double value_ = 0, norm_ = 0, gap_ = 0;
  Index most_ = 0, violators_ = 0;  // coordinates let off zero in a round; met in the last one, chosen or not
  bool chosen_here_ = false;        // whether there was one since begin()

  std::optional<Transposed> transposed_;  // while further penalties will follow
  std::unique_ptr<WorkingColumns> columns_;
  std::vector<double> slopes_;   // gradient over the working set
  std::vector<double> gram_;     // Hessian over the working set, as of some earlier step; empty: none
  std::vector<double> weights_;  // curvatures it was made with
  Index every_ = 1;              // one row in this many was used for it ...
  Index most_skipped_ = std::numeric_limits<Index>::max();  // ... and at most this many may be
  int age_ = 0;                                             // steps made with it
  int draws_ = 0;
  double last_promise_ = 0, left_ = 0;         // of the last step, and over that of the one before
  std::vector<double> planned_;                // a direction that guess() has found on its way
  bool has_along_ = false, all_rows_ = false;  // of the direction that is tried
  double trial_value_ = 0;
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
