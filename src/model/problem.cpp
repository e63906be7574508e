#include "s3gd/problem.hpp"

#include <cmath>
#include <mutex>

#include "model/full_pass.hpp"
#include "model/loss.hpp"
#include "model/penalty.hpp"
#include "model/targets.hpp"
#include "s3gd/error.hpp"

namespace s3gd {

struct Problem::State {
  Dataset data;
  ProblemSpec spec;
  Targets targets;
  std::vector<double> weights;
  double total_weight = 1;
  mutable std::once_flag mean_row_once;
  mutable std::vector<double> mean_row;
};

Problem::Problem(Dataset data, const ProblemSpec& spec) {
  if (spec.loss.kind == LossKind::smooth_hinge && !(std::isfinite(spec.loss.beta) && spec.loss.beta > 0))
    throw Error("beta is " + std::to_string(spec.loss.beta), "give a positive number");
  auto state = std::make_shared<State>();
  data.verify(spec.threads);
  state->targets = make_targets(data, spec);
  state->weights = make_weights(data, state->targets, spec.class_weight);
  state->total_weight = spec.class_weight == ClassWeight::paper ? 2.0 : 1.0;
  Penalty(spec.penalty, data.cols(), spec.intercept);  // throws when the penalty does not fit
  state->data = std::move(data);
  state->spec = spec;
  state_ = std::move(state);
}

const Dataset& Problem::data() const { return state_->data; }
const ProblemSpec& Problem::spec() const { return state_->spec; }
std::span<const double> Problem::targets() const { return state_->targets.values.span(); }
std::span<const double> Problem::weights() const { return state_->weights; }
double Problem::total_weight() const { return state_->total_weight; }
double Problem::positive_class() const { return state_->targets.positive; }
double Problem::negative_class() const { return state_->targets.negative; }

double Problem::weight(Index i) const {
  return state_->weights.empty() ? 1.0 / static_cast<double>(rows()) : state_->weights[static_cast<std::size_t>(i)];
}

std::span<const double> Problem::mean_row() const {
  std::call_once(state_->mean_row_once, [&] {
    std::vector<double> share(static_cast<std::size_t>(rows())), sum(static_cast<std::size_t>(dim()));
    for (Index i = 0; i < rows(); ++i) share[static_cast<std::size_t>(i)] = weight(i) / total_weight();
    transpose_times(*this, share, sum);
    sum.resize(static_cast<std::size_t>(cols()));
    state_->mean_row = std::move(sum);
  });
  return state_->mean_row;
}

}  // namespace s3gd
