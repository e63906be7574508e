// Sentences for the Summary: what is off, and what to do about it.
#pragma once

#include "s3gd/solve.hpp"

namespace s3gd {

void add_advice(const Problem& problem, const SolveOptions& options, Summary& summary);

}  // namespace s3gd
