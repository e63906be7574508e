// Trace rows as a file: CSV with a header line, or JSON (an array of objects), by extension.
#pragma once

#include <string>
#include <vector>

#include "s3gd/solve.hpp"

namespace s3gd {

// Columns that are numbers, in the order of the contract; `iteration` comes before them, and `stage`, a word, last.
struct TraceColumn {
  const char* name;
  double TraceRow::*value;
};
inline constexpr TraceColumn kTraceColumns[] = {{"passes", &TraceRow::passes},
                                                {"cpu_seconds", &TraceRow::cpu_seconds},
                                                {"wall_seconds", &TraceRow::wall_seconds},
                                                {"train_objective", &TraceRow::train_objective},
                                                {"test_objective", &TraceRow::test_objective},
                                                {"gap", &TraceRow::gap},
                                                {"step", &TraceRow::step},
                                                {"correlation", &TraceRow::correlation},
                                                {"variance_ratio", &TraceRow::variance_ratio}};

// Throws unless the name ends in .csv or .json; worth asking before a long run.
void check_trace_name(const std::string& path);

// What does not apply (NaN) is an empty field in CSV and null in JSON.
void write_trace(const std::vector<TraceRow>& trace, const std::string& path);

}  // namespace s3gd
