// A model as the start of another fit: parameters of the (scaled) problem that predict what the model predicts.
#pragma once

#include <vector>

#include "s3gd/model.hpp"
#include "s3gd/softmax.hpp"

namespace s3gd {

// Takes the problem's scaling out of the model's weights, which apply to raw rows. Where both have feature names, they
// are matched by name, in any order; so are classes. A model of other features, of other classes or of another kind is
// one Error. An intercept the problem has no place for is left out.
std::vector<double> start_from(const Model& model, const Problem& problem, const Scaling& scaling);
std::vector<double> start_from(const Model& model, const SoftmaxProblem& problem, const Scaling& scaling);
// One-vs-rest: one for each class.
std::vector<std::vector<double>> starts_from(const Model& model, const std::vector<std::string>& classes,
                                             const Dataset& data, Intercept intercept, const Scaling& scaling);

}  // namespace s3gd
