#include "solve/inputs.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "base/index.hpp"
#include "base/mention.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

const std::string kWarmStartRemedy = "leave " + opt("warm-start") + " out, or give a model of the same kind";

std::string what(const std::vector<std::string>& classes) {
  if (classes.empty()) return "predicts numbers";
  if (classes.size() > 2) return "tells " + std::to_string(classes.size()) + " classes apart";
  return "tells " + classes[1] + " from " + classes[0];
}

void check_rows(const Model& model, const Scaling& scaling) {
  if (model.unit_rows != (scaling.kind == Scale::unit_rows))
    throw Error(std::string("the model to start from is for rows ") +
                    (model.unit_rows ? "of length 1" : "as they are") + ", this run is not",
                model.unit_rows ? "give " + opt("scale", "unit-rows") : "leave " + opt("scale", "unit-rows") + " out");
}

void refuse_kind(const Model& model, const std::vector<std::string>& classes) {
  const auto known = [&](const std::string& name) {
    return std::find(model.classes.begin(), model.classes.end(), name) != model.classes.end();
  };
  const auto stranger = std::find_if_not(classes.begin(), classes.end(), known);
  if (model.classes.size() > 2 && model.classes.size() == classes.size() && stranger != classes.end())
    throw Error("the model to start from does not know the class " + *stranger, kWarmStartRemedy);
  throw Error("the model to start from " + what(model.classes) + ", this run " + what(classes), kWarmStartRemedy);
}

// The model's place for each feature of the rows.
std::vector<std::size_t> places_of_features(const Model& model, const Dataset& data) {
  if (model.features() != data.cols())
    throw Error("the model to start from has " + std::to_string(model.features()) + " features, the rows have " +
                    std::to_string(data.cols()),
                kWarmStartRemedy);
  std::vector<std::size_t> places(at(data.cols()));
  std::iota(places.begin(), places.end(), std::size_t{0});
  const std::vector<std::string>& names = data.feature_names;
  if (names.empty() || model.feature_names.empty()) return places;
  std::unordered_map<std::string, std::size_t> by_name;
  for (std::size_t j = 0; j < names.size(); ++j) by_name[model.feature_names[j]] = j;
  for (std::size_t j = 0; j < names.size(); ++j) {
    const auto found = by_name.find(names[j]);
    if (found == by_name.end())
      throw Error("the model to start from has no feature '" + names[j] + "'", kWarmStartRemedy);
    places[j] = found->second;
  }
  return places;
}

// Appends one output's weights and intercept, times `share`, with the scaling taken out.
void append_output(const Model& model, Index output, double share, const std::vector<std::size_t>& places,
                   bool has_intercept, const Scaling& scaling, std::vector<double>& start) {
  const std::size_t from = start.size();
  for (const std::size_t place : places) start.push_back(share * model.weights_of(output)[place]);
  double intercept = share * model.intercepts[at(output)];
  for (std::size_t j = 0; j < scaling.factor.size(); ++j) start[from + j] /= scaling.factor[j];
  for (std::size_t j = 0; j < scaling.shift.size(); ++j) intercept += start[from + j] * scaling.shift[j];
  if (has_intercept) start.push_back(intercept);
}

}  // namespace

std::vector<double> start_from(const Model& model, const Task& task, const Scaling& scaling) {
  const std::vector<std::string> classes = task.classes();
  const bool one = task.kind() == Outputs::one;
  const bool same =
      one ? model.classes == classes
          : std::is_permutation(classes.begin(), classes.end(), model.classes.begin(), model.classes.end());
  if (!same) refuse_kind(model, classes);
  check_rows(model, scaling);
  const std::vector<std::size_t> places = places_of_features(model, task.data());
  std::vector<double> start;
  for (Index output = 0; output < task.outputs(); ++output) {
    const auto find = [&] { return std::find(model.classes.begin(), model.classes.end(), classes[at(output)]); };
    const Index k = one ? 0 : find() - model.classes.begin();
    // Two classes have one output, the difference of theirs: half of it for each.
    const double share = one || model.outputs() > 1 ? 1.0 : k == 1 ? 0.5 : -0.5;
    append_output(model, model.outputs() > 1 ? k : 0, share, places, task.has_intercept(), scaling, start);
  }
  return start;
}

}  // namespace s3gd
