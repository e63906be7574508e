// The page and the figures of a comparison, from run.json alone.
#pragma once

#include "compare/record.hpp"

namespace s3gd {

// report.html, and figures/ with each figure for a paper.
void write_pages(const Json& run, const RunFolder& folder);

}  // namespace s3gd
