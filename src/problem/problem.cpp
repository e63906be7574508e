#include <fmt/core.h>

#include <cmath>
#include <mutex>

#include "base/index.hpp"
#include "problem/full_pass.hpp"
#include "problem/loss.hpp"
#include "problem/penalty.hpp"
#include "problem/targets.hpp"
#include "s3gd/error.hpp"
#include "s3gd/problem.hpp"

namespace s3gd {
namespace {

// All that does not depend on the penalty.
struct Rows {
  Dataset data;
  Targets targets;
  std::vector<double> weights;
  double total_weight = 1;
  mutable std::once_flag mean_row_once, target_row_once;
  mutable std::vector<double> mean_row, target_row;
};

void check_parameter(const LossSpec& spec) {
  const LossTraits& traits = traits_of(spec.kind);
  if (traits.parameter == nullptr || (std::isfinite(spec.*traits.parameter) && spec.*traits.parameter > 0)) return;
  throw Error(std::string(traits.parameter_name) + " is " + std::to_string(spec.*traits.parameter),
              "give a positive number");
}

}  // namespace

struct Problem::State {
  std::shared_ptr<const Rows> rows;
  ProblemSpec spec;
  ColumnProducts products;
};

Problem::Problem(Dataset data, const ProblemSpec& spec) {
  check_parameter(spec.loss);
  auto rows = std::make_shared<Rows>();
  data.verify(spec.threads);
  rows->targets = make_targets(data, spec);
  rows->weights = make_weights(data, rows->targets, spec.class_weight);
  rows->total_weight = spec.class_weight == ClassWeight::paper ? 2.0 : 1.0;
  Penalty(spec.penalty, data.cols(), spec.intercept);  // throws when the penalty does not fit
  rows->data = std::move(data);
  state_ = std::make_shared<const State>(State{std::move(rows), spec, {}});
}

Problem Problem::with_penalty(const PenaltySpec& penalty) const {
  Penalty(penalty, cols(), spec().intercept);
  Problem problem = *this;
  auto changed = std::make_shared<State>(*state_);
  changed->spec.penalty = penalty;
  problem.state_ = std::move(changed);
  return problem;
}

Problem Problem::with_loss(const LossSpec& loss) const {
  check_parameter(loss);
  if (traits_of(loss.kind).targets != traits_of(spec().loss.kind).targets)
    throw Error("another kind of targets", "make a problem of its own");
  Problem problem = *this;
  auto changed = std::make_shared<State>(*state_);
  changed->spec.loss = loss;
  problem.state_ = std::move(changed);
  return problem;
}

Problem Problem::with_products(ColumnProducts products) const {
  Problem problem = *this;
  problem.state_ = std::make_shared<const State>(State{state_->rows, state_->spec, std::move(products)});
  return problem;
}

const Dataset& Problem::data() const { return state_->rows->data; }
const ProblemSpec& Problem::spec() const { return state_->spec; }
std::span<const double> Problem::targets() const { return state_->rows->targets.values.span(); }
std::span<const double> Problem::weights() const { return state_->rows->weights; }
double Problem::total_weight() const { return state_->rows->total_weight; }
double Problem::positive_class() const { return state_->rows->targets.positive; }
double Problem::negative_class() const { return state_->rows->targets.negative; }

const ColumnProducts& Problem::known_products() const { return state_->products; }

double Problem::weight(Index i) const {
  const std::vector<double>& q = state_->rows->weights;
  return q.empty() ? 1.0 / static_cast<double>(rows()) : q[at(i)];
}

std::span<const double> Problem::mean_row() const {
  const Rows& kept = *state_->rows;
  std::call_once(kept.mean_row_once, [&] {
    std::vector<double> share(at(rows())), sum(at(dim()));
    for (Index i = 0; i < rows(); ++i) share[at(i)] = weight(i) / total_weight();
    transpose_times(*this, share, sum);
    sum.resize(at(cols()));
    kept.mean_row = std::move(sum);
  });
  return kept.mean_row;
}

std::span<const double> Problem::target_row() const {
  const Rows& kept = *state_->rows;
  std::call_once(kept.target_row_once, [&] {
    std::vector<double> shares(targets().begin(), targets().end());
    for (Index i = 0; i < rows(); ++i) shares[at(i)] *= weight(i);
    kept.target_row.resize(at(dim()));
    transpose_times(*this, shares, kept.target_row);
  });
  return kept.target_row;
}

// The objective in words a person can check: Problem::formula().

namespace {

// The loss's own formula with margin and parameter in it.
std::string loss_text(const LossSpec& spec, const std::string& margin) {
  const LossTraits& traits = traits_of(spec.kind);
  std::string text(traits.formula);
  const auto put = [&](const std::string& place, const std::string& value) {
    for (auto at = text.find(place); at != std::string::npos; at = text.find(place, at + value.size()))
      text.replace(at, place.size(), value);
  };
  put("{u}", margin);
  if (traits.parameter != nullptr) put("{p}", fmt::format("{}", spec.*traits.parameter));
  return text;
}

std::string sum_text(const Problem& problem) {
  const bool weighted = !problem.data().weights.empty();
  const char* mean = weighted ? "weighted mean" : "mean";
  switch (problem.spec().class_weight) {
    case ClassWeight::balanced:
      return fmt::format("1/2 sum over both classes of the {} of ", mean);
    case ClassWeight::paper:
      return fmt::format("sum over both classes of the {} of ", mean);
    case ClassWeight::none:
      break;
  }
  if (problem.weights().empty()) return fmt::format("1/{} sum_i ", problem.rows());
  return "sum_i q_i ";
}

std::string term_text(const PenaltySpec& term, const char* vector) {
  const bool factors = !term.factors.empty();
  const std::string absolute = factors ? "sum_j f_j |w_j|" : fmt::format("||{}||_1", vector);
  const std::string squares = factors ? "sum_j f_j w_j^2" : fmt::format("||{}||^2", vector);
  const double first = term.lambda * (1 - term.alpha), second = term.lambda * term.alpha;
  switch (term.kind) {
    case PenaltyKind::l2:
      return fmt::format(" + {} {}", term.lambda, squares);
    case PenaltyKind::l1:
      return fmt::format(" + {} {}", term.lambda, absolute);
    case PenaltyKind::elastic_net:
      return fmt::format(" + {:.6g} {} + {:.6g} {}", first, absolute, second, squares);
    case PenaltyKind::l1_l2norm:
      return fmt::format(" + {:.6g} {} + {:.6g} ||{}||", first, absolute, second, vector);
    case PenaltyKind::none:
      return {};
  }
  return {};
}

}  // namespace

std::string Problem::formula() const {
  const bool intercept = has_intercept();
  const char* penalised = spec().intercept == Intercept::regularised ? "(w, b)" : "w";
  std::string text = intercept ? "F(w, b) = " : "F(w) = ";
  text += sum_text(*this) + loss_text(spec().loss, intercept ? "w.x_i + b" : "w.x_i");
  text += term_text(spec().penalty, penalised);
  for (const auto& term : spec().penalty.also) text += term_text(term, penalised);
  return text;
}

}  // namespace s3gd
