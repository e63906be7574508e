// Trace rows as a file: CSV with a header line, or JSON (an array of objects), by extension.
#pragma once

#include <string>
#include <vector>

#include "s3gd/solve.hpp"

namespace s3gd {

// Throws unless the name ends in .csv or .json; worth asking before a long run.
void check_trace_name(const std::string& path);

// What does not apply (NaN) is an empty field in CSV and null in JSON.
void write_trace(const std::vector<TraceRow>& trace, const std::string& path);

}  // namespace s3gd
