#include "fit/warm_start.hpp"

#include <cmath>
#include <unordered_map>

#include "s3gd/error.hpp"

namespace s3gd {
namespace {

const std::string kRemedy = "leave --warm-start out, or give a model of the same kind";

std::string what(const std::vector<std::string>& classes) {
  if (classes.empty()) return "predicts numbers";
  if (classes.size() > 2) return "tells " + std::to_string(classes.size()) + " classes apart";
  return "tells " + classes[1] + " from " + classes[0];
}

void check_kind(const Model& model, const Problem& problem, const Scaling& scaling) {
  const auto name = [&](double value) { return std::isnan(value) ? kRestClass : problem.data().y.name_of(value); };
  std::vector<std::string> classes;
  if (!std::isnan(problem.positive_class())) classes = {name(problem.negative_class()), name(problem.positive_class())};
  if (model.classes != classes)
    throw Error("the model to start from " + what(model.classes) + ", this run " + what(classes), kRemedy);
  if (model.unit_rows != (scaling.kind == Scale::unit_rows))
    throw Error(std::string("the model to start from is for rows ") +
                    (model.unit_rows ? "of length 1" : "as they are") + ", this run is not",
                model.unit_rows ? "give --scale unit-rows" : "leave --scale unit-rows out");
}

// The model's weights in the order of the problem's features.
std::vector<double> matched_weights(const Model& model, const Problem& problem) {
  const std::vector<std::string>& names = problem.data().feature_names;
  if (static_cast<Index>(model.weights.size()) != problem.cols())
    throw Error("the model to start from has " + std::to_string(model.weights.size()) + " features, the rows have " +
                    std::to_string(problem.cols()),
                kRemedy);
  if (names.empty() || model.feature_names.empty()) return model.weights;
  std::unordered_map<std::string, double> by_name;
  for (std::size_t j = 0; j < names.size(); ++j) by_name[model.feature_names[j]] = model.weights[j];
  std::vector<double> weights;
  for (const std::string& name : names) {
    const auto found = by_name.find(name);
    if (found == by_name.end()) throw Error("the model to start from has no feature '" + name + "'", kRemedy);
    weights.push_back(found->second);
  }
  return weights;
}

}  // namespace

std::vector<double> start_from(const Model& model, const Problem& problem, const Scaling& scaling) {
  check_kind(model, problem, scaling);
  std::vector<double> start = matched_weights(model, problem);
  double intercept = model.intercepts.front();
  for (std::size_t j = 0; j < scaling.factor.size(); ++j) start[j] /= scaling.factor[j];
  for (std::size_t j = 0; j < scaling.shift.size(); ++j) intercept += start[j] * scaling.shift[j];
  if (problem.has_intercept()) start.push_back(intercept);
  return start;
}

}  // namespace s3gd
