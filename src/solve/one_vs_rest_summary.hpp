// One summary of K: what Summary::classes promises, but for the clocks of the whole.
#pragma once

#include <span>
#include <string>

#include "s3gd/solve.hpp"

namespace s3gd {

Summary merge_summaries(std::span<const std::string> classes, std::span<const Summary> summaries);

}  // namespace s3gd
