// How well margins predict targets: the metrics of cross-validation, rows weighted.
#pragma once

#include <span>

#include "model/names.hpp"
#include "s3gd/path.hpp"

namespace s3gd {

template <>
std::span<const Name<ScoreKind>> names();

// `targets`: +1 and -1, or real for rmse. `weights` empty = all ones. NaN where the metric does not exist: an auc with
// one class only.
double score(ScoreKind metric, std::span<const double> margins, std::span<const double> targets,
             std::span<const double> weights);

}  // namespace s3gd
