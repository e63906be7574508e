// The quantities that figures of runs show, called alike on every page.
#pragma once

#include <string>
#include <vector>

#include "report/document.hpp"

namespace s3gd::report {

// By key: cpu_seconds, wall_seconds, passes, iteration; suboptimality, objective, test_objective, gap, correlation,
// variance_ratio. Linear or logarithmic as suits a comparison.
Axis quantity(const std::string& key);

// Suboptimality is shown down to what F* is certified to, and not below 1e-10: there, nothing is compared any more.
Axis suboptimality(double optimum_gap);

// Lines at (1 + target) F*.
std::vector<Mark> target_marks(double target, double optimum);

}  // namespace s3gd::report
