// One-vs-rest problems over the same rows, and a Progress that lets everything go on.
#pragma once

#include <vector>

#include "exact/finisher.hpp"
#include "support/softmax_sample.hpp"

namespace s3gd::testing {

inline std::vector<Problem> class_problems(const Dataset& data, ProblemSpec spec) {
  std::vector<Problem> problems;
  for (const double value : data.y.distinct()) {
    spec.positive = data.y.name_of(value);
    problems.emplace_back(data, spec);
  }
  return problems;
}

inline std::vector<ProblemSpec> smooth_specs() {
  std::vector<ProblemSpec> specs;
  for (const LossKind loss : {LossKind::logistic, LossKind::squared, LossKind::squared_hinge, LossKind::smooth_hinge})
    for (const Intercept intercept : {Intercept::free, Intercept::regularised, Intercept::none}) {
      ProblemSpec spec;
      spec.loss = {loss, 3.0};
      spec.penalty.lambda = 0.01;
      spec.intercept = intercept;
      spec.threads = 1;
      specs.push_back(spec);
    }
  return specs;
}

class Patient final : public Progress {
 public:
  bool moved(std::span<const double>, double, double, double) override { return ++moves < most; }
  bool must_stop() const override { return moves >= most; }
  Index moves = 0, most = 1'000'000;
};

}  // namespace s3gd::testing
