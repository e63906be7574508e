// Models for tests: one of two classes, one of three.
#pragma once

#include "s3gd/model.hpp"

namespace s3gd::testing {

inline Model example_model() {
  Model model;
  model.weights = {0.5, -1.25, 1e-300, 3.0};
  model.intercepts = {0.1};
  model.classes = {"rest", "spam"};
  model.link = Link::logistic;
  model.feature_names = {"a", "b \"quoted\"", "c", "\xc3\xa9"};
  model.index_base = 0;
  model.label_column = "kind";
  model.objective = 0.25;
  model.relative_gap = 1e-7;
  return model;
}

// Three outputs, most weights zero, one of them minus zero.
inline Model three_class_model() {
  Model model;
  model.classes = {"red", "green", "blue"};
  model.weights.assign(3 * 40, 0.0);
  model.weights[1] = 0.5;
  model.weights[39] = -0.0;
  model.weights[40] = -2.25;
  model.weights[119] = 1e-300;
  model.intercepts = {0.1, -0.2, 0.3};
  model.link = Link::platt;
  model.platt = {-1, 0.5, -2, 0.25, -3, 0.125};
  model.loss.kind = LossKind::squared_hinge;
  model.penalty.kind = PenaltyKind::l1;
  model.penalty.also.push_back({PenaltyKind::l2, 0.125, 0.5, {}, {}});
  model.matrix_penalty = "nuclear";
  model.index_base = 1;
  return model;
}

}  // namespace s3gd::testing
