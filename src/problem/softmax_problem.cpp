#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/index.hpp"
#include "problem/matrix_penalty.hpp"
#include "problem/targets.hpp"
#include "s3gd/softmax.hpp"

namespace s3gd {
namespace {

struct Classes {
  std::vector<double> values;  // ascending
  std::vector<std::int32_t> targets;
};

// Rows without weight have no say in what the classes are; where theirs is none of them, they count as the first.
Classes find_classes(const Dataset& data, const std::vector<double>& given) {
  Classes classes;
  std::map<double, std::int32_t> numbers;
  for (const double value : given) numbers.emplace(value, 0);
  const auto weighs = [&](Index i) { return data.weights.empty() || data.weights[i] > 0; };
  for (Index i = 0; i < data.rows(); ++i) {
    if (weighs(i)) numbers.emplace(data.y.values[i], 0);
    if (!given.empty() && numbers.size() > given.size())
      refuse(data, "class " + data.y.name_of(data.y.values[i]) + " is none of those that are fitted",
             "leave its rows out");
    if (numbers.size() > kMostTargetClasses)
      refuse(data, "more than 65536 different labels, but softmax wants classes",
             "these look like real numbers: use the loss squared");
  }
  if (numbers.size() < 2)
    refuse(data, "all rows have the label " + data.y.name_of(numbers.begin()->first), "softmax needs two classes");
  for (auto& [value, number] : numbers) {
    number = static_cast<std::int32_t>(classes.values.size());
    classes.values.push_back(value);
  }
  classes.targets.resize(at(data.rows()));
  for (Index i = 0; i < data.rows(); ++i) {
    const auto found = numbers.find(data.y.values[i]);
    classes.targets[at(i)] = found == numbers.end() ? 0 : found->second;
  }
  return classes;
}

// q_i, or nothing at all when every q_i is 1/n.
std::vector<double> make_weights(const Dataset& data, const Classes& classes, ClassWeight class_weight) {
  if (class_weight == ClassWeight::paper)
    refuse(data, "the paper's class weights are for two classes", "give balanced, or none");
  if (class_weight == ClassWeight::none && data.weights.empty()) return {};
  const bool by_class = class_weight == ClassWeight::balanced;
  return group_weights(data, by_class ? static_cast<Index>(classes.values.size()) : 1, 0,
                       [&](Index i) { return by_class ? classes.targets[at(i)] : 0; });
}

}  // namespace

struct SoftmaxProblem::State {
  Dataset data;
  SoftmaxSpec spec;
  Classes classes;
  std::vector<double> weights;
};

SoftmaxProblem::SoftmaxProblem(Dataset data, const SoftmaxSpec& spec) {
  data.verify(spec.threads);
  check_labels(data);
  check_weights(data);
  if (data.y.kind == LabelKind::real)
    refuse(data, "the labels are real numbers, but softmax wants classes", "use the loss squared");
  auto state = std::make_shared<State>();
  state->classes = find_classes(data, spec.classes);
  state->weights = make_weights(data, state->classes, spec.class_weight);
  MatrixPenalty(spec.penalty, data.cols(), static_cast<Index>(state->classes.values.size()), spec.intercept);  // throws
  state->data = std::move(data);
  state->spec = spec;
  state_ = std::move(state);
}

const Dataset& SoftmaxProblem::data() const { return state_->data; }
const SoftmaxSpec& SoftmaxProblem::spec() const { return state_->spec; }
std::span<const double> SoftmaxProblem::class_values() const { return state_->classes.values; }
std::span<const std::int32_t> SoftmaxProblem::targets() const { return state_->classes.targets; }
std::span<const double> SoftmaxProblem::weights() const { return state_->weights; }

double SoftmaxProblem::weight(Index i) const {
  return state_->weights.empty() ? 1.0 / static_cast<double>(rows()) : state_->weights[at(i)];
}

std::vector<std::string> SoftmaxProblem::class_names() const {
  std::vector<std::string> names;
  for (const double value : class_values()) names.push_back(data().y.name_of(value));
  return names;
}

std::string SoftmaxProblem::formula() const {
  const char* mean = weights().empty() ? "mean_i" : "sum_i q_i";
  const MatrixPenaltySpec& penalty = spec().penalty;
  const std::string f = penalty.factors.empty() ? "" : "f_j ";
  std::string text = fmt::format("F(W) = {} [ log sum_k exp(u_ik) - u_i,y_i ]", mean);
  switch (penalty.kind) {
    case MatrixPenaltyKind::l2:
      text += fmt::format(" + {:g} sum_jk {}W_jk^2", penalty.lambda, f);
      break;
    case MatrixPenaltyKind::l1:
      text += fmt::format(" + {:g} sum_jk {}|W_jk|", penalty.lambda, f);
      break;
    case MatrixPenaltyKind::elastic_net:
      text += fmt::format(" + {:g} sum_jk {}|W_jk| + {:g} sum_jk {}W_jk^2", penalty.lambda * (1 - penalty.alpha), f,
                          penalty.lambda * penalty.alpha, f);
      break;
    case MatrixPenaltyKind::group_lasso:
      text += fmt::format(" + {:g} sum_j {}||W_j||_2", penalty.lambda, f);
      break;
    case MatrixPenaltyKind::nuclear:
      text += fmt::format(" + {:g} ||W||_*", penalty.lambda);
      break;
    case MatrixPenaltyKind::none:
      break;
  }
  text += fmt::format(", {} classes", classes());
  if (spec().intercept == Intercept::free) text += ", free intercepts";
  if (spec().intercept == Intercept::regularised) text += ", regularised intercepts";
  return text;
}

namespace {

std::vector<double> transposed(std::span<const double> matrix, Index rows, Index cols) {
  std::vector<double> turned;
  turned.reserve(matrix.size());
  for (Index c = 0; c < cols; ++c)
    for (Index r = 0; r < rows; ++r) turned.push_back(matrix[at(r * cols + c)]);
  return turned;
}

}  // namespace

std::vector<double> class_by_class(const SoftmaxProblem& problem, std::span<const double> w) {
  return transposed(w, problem.features(), problem.classes());
}

std::vector<double> feature_by_feature(const SoftmaxProblem& problem, std::span<const double> w) {
  return transposed(w, problem.classes(), problem.features());
}

}  // namespace s3gd
