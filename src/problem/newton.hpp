// Newton's method on the coordinates where F is smooth, for every loss and penalty.
//
// Around a point w, F is smooth in the coordinates that carry no 1-norm or are not zero (the "support"), and within one
// orthant. newton_step() moves those, projected back to the orthant; coordinate_step() and prox_step() let coordinates
// leave zero and change sign.
// Directions come from a Cholesky factor up to kDirectSize coordinates, above from conjugate gradients until those have cost more
// for one direction than a factor would.
#pragma once

#include "problem/loss.hpp"
#include "problem/penalty.hpp"
#include "s3gd/problem.hpp"

namespace s3gd {

class Newton {
 public:
  static constexpr Index kDirectSize = 1500;  // a factor takes 0.06 s

  Newton(const Problem& problem, std::vector<double> start);

  bool newton_step(double accuracy);  // `accuracy`: relative residual of conjugate gradients; false: no step was found
  bool coordinate_step();  // proximal Newton, for penalties without a 2-norm; false: does not apply, or no step
  bool prox_step();        // false: w is a fixed point
  bool smooth() const { return smooth_; }  // no 1-norm and no 2-norm: newton_step() is all there is
  bool direct() const { return direct_; }  // whether the last newton_step() factorised

  const std::vector<double>& w() const { return w_; }
  double objective() const { return value_; }

 private:
  void move_to(std::vector<double> w);
  enum class Orthant : bool { keep, leave };
  bool try_line(const std::vector<double>& direction, double slope, Orthant orthant);
  std::vector<Index> support() const;
  std::vector<Index> working_set() const;
  std::vector<double> penalty_slopes() const;
  std::vector<double> direct_direction(const std::vector<Index>& chosen, const std::vector<double>& slopes) const;
  std::vector<double> iterative_direction(const std::vector<Index>& chosen, const std::vector<double>& slopes,
                                          double accuracy);

  const Problem& problem_;
  Penalty penalty_;
  bool smooth_ = false;
  bool direct_ = false;
  Index products_ = 0;                    // of the last direction by conjugate gradients
  std::vector<double> w_, u_, gradient_;  // point, its margins, gradient of the loss part
  double norm_ = 0;                       // length of w over the penalty's 2-norm
  double value_ = 0;                      // F(w)
};

}  // namespace s3gd
