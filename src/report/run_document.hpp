// The page of a comparison, from its run.json alone.
#pragma once

#include "base/json.hpp"
#include "report/document.hpp"

namespace s3gd::report {

// Who won, the curves of each dataset at the step chosen (mean, lowest and highest of the trials), every step tried,
// every run that failed, settings and machine. Throws an Error where `run` is not one.
Document document_of_run(const Json& run);

}  // namespace s3gd::report
