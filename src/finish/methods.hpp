// One function for each finisher; the table lists them.
#pragma once

#include "finish/finisher.hpp"

namespace s3gd {

Finish finish_by_newton(const FinishInput& input, std::vector<double> start, Progress& progress);

}  // namespace s3gd
