// One-vs-rest: Newton steps for the smooth problems of several classes over the same rows (exact/joint_newton.hpp).
#pragma once

#include <span>
#include <vector>

#include "exact/joint_newton.hpp"

namespace s3gd {

// problems: the same rows, loss, penalty and intercept. starts and progress: one for each.
std::vector<Finish> finish_together(std::span<const Problem> problems, const JointInput& input,
                                    std::vector<std::vector<double>> starts, std::span<Progress* const> progress);

}  // namespace s3gd
