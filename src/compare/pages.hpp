// The page and the figures of a comparison, from run.json alone.
#pragma once

#include "compare/record.hpp"

namespace s3gd {

// report.html; figures/*.svg, and *.png where rsvg-convert is installed.
void write_pages(const Json& run, const RunFolder& folder);

}  // namespace s3gd
