// The metrics of cross-validation by name, each one number of Metrics.
#pragma once

#include "model/names.hpp"
#include "s3gd/metrics.hpp"
#include "s3gd/path.hpp"

namespace s3gd {

template <>
std::span<const Name<ScoreKind>> names();

// How good the model is on these rows. NaN where the metric does not exist: an auc with one class only.
double score(ScoreKind metric, const Model& model, const Dataset& rows, int threads);

}  // namespace s3gd
