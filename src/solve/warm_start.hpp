// A model as the start of another fit: parameters of the (scaled) task that predict what the model predicts.
#pragma once

#include <vector>

#include "s3gd/task.hpp"

namespace s3gd {

// Takes the scaling out of the model's weights, which apply to raw rows. Where both have feature names, they are matched by
// name, in any order; so are classes. A model of other features, of other classes or of another kind is one Error. An
// intercept the task has no place for is left out.
std::vector<double> start_from(const Model& model, const Task& task, const Scaling& scaling);

}  // namespace s3gd
