// The strengths of other programs that give the same minimiser as lambda here (n rows of equal weight, free intercept).
//
// Their objectives are ours times a constant; docs/theory.md has the table. LIBLINEAR penalises its intercept: compare
// with Intercept::regularised there.
#pragma once

#include "s3gd/problem.hpp"

namespace s3gd::translate {

// 1/2 ||w||^2 + C sum_i loss, with loss = max(0, 1 - y u)^2 (no one half) for the squared hinge. Also scikit-learn's
// LogisticRegression and LinearSVC.
inline double liblinear_c(LossKind loss, double lambda, Index rows) {
  const double half = loss == LossKind::squared_hinge ? 0.5 : 1.0;
  return half / (2.0 * static_cast<double>(rows) * lambda);
}
// ||w||_1 + C sum_i loss
inline double liblinear_c_for_l1(LossKind loss, double lambda, Index rows) {
  const double half = loss == LossKind::squared_hinge ? 0.5 : 1.0;
  return half / (static_cast<double>(rows) * lambda);
}
// mean loss + alpha/2 ||w||^2 (SGDClassifier with log_loss)
inline double sgd_alpha(double lambda) { return 2.0 * lambda; }
// ||y - Xw||^2 + alpha ||w||^2
inline double ridge_alpha(double lambda, Index rows) { return static_cast<double>(rows) * lambda; }
// 1/(2n) ||y - Xw||^2 + alpha ||w||_1
inline double lasso_alpha(double lambda) { return 0.5 * lambda; }

// mean loss + lambda ((1 - alpha)/2 ||w||^2 + alpha ||w||_1), with loss = 1/2 (u - y)^2 for squared.
struct Glmnet {
  double lambda = 0;
  double alpha = 0;
};
inline Glmnet glmnet(LossKind loss, double l1_strength, double l2_strength) {
  const double half = loss == LossKind::squared ? 0.5 : 1.0;
  const double lambda = half * (l1_strength + 2.0 * l2_strength);
  return {lambda, lambda > 0 ? half * l1_strength / lambda : 0.0};
}

}  // namespace s3gd::translate
