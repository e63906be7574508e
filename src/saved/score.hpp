// The metrics of cross-validation by name, each one number of Metrics.
#pragma once

#include <span>
#include <vector>

#include "problem/names.hpp"
#include "s3gd/model_use.hpp"
#include "s3gd/path.hpp"

namespace s3gd {

template <>
std::span<const Name<ScoreKind>> names();

// A model of the kind the task's points have, all weights zero.
Model some_model(const Task& task);

// Says how good margins of the same rows are, one set of them after the other: the labels are looked up once.
class Judge {
 public:
  // like: a model with the classes and the link of those that made the margins.
  Judge(ScoreKind metric, Model like, const Dataset& rows);

  // NaN where the metric does not exist: an auc with one class only.
  double operator()(std::span<const double> margins) const;

 private:
  ScoreKind metric_;
  Model like_;
  Labels labels_;
  Array<double> weights_;
  std::vector<Index> classes_;  // of the rows, as places in the model's; none for regression
};

}  // namespace s3gd
