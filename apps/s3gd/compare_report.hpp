// What `s3gd compare` prints in the end.
#pragma once

#include <string>

#include "command.hpp"
#include "s3gd/compare.hpp"

namespace s3gd::app {

// Who won, as text or JSON to standard output, remarks to standard error; returns the exit code.
int print_comparison(const PlanResult& result, const std::string& folder, bool pages, const Common& common);

}  // namespace s3gd::app
