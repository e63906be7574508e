#include "saved/trace_file.hpp"

#include <fmt/core.h>

#include <cmath>

#include "base/file.hpp"
#include "base/json.hpp"
#include "data/csv_record.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

void write_csv(const std::vector<TraceRow>& trace, std::ostream& out) {
  out << "iteration,";
  for (const TraceColumn& column : kTraceColumns) out << column.name << ',';
  out << "stage\n";
  for (const TraceRow& row : trace) {
    out << row.iteration << ',';
    for (const TraceColumn& column : kTraceColumns) {
      const double value = row.*column.value;
      if (!std::isnan(value)) out << fmt::format("{}", value);
      out << ',';
    }
    out << csv_field(row.stage) << '\n';
  }
}

void write_json(const std::vector<TraceRow>& trace, std::ostream& out) {
  auto rows = Json::array();
  for (const TraceRow& row : trace) {
    Json object{{"iteration", row.iteration}};
    for (const TraceColumn& column : kTraceColumns) {
      const double value = row.*column.value;
      object[column.name] = std::isfinite(value) ? Json(value) : Json(nullptr);
    }
    object["stage"] = row.stage;
    rows.push_back(std::move(object));
  }
  out << rows.dump(1) << '\n';
}

}  // namespace

void check_trace_name(const std::string& path) {
  if (!path.ends_with(".json") && !path.ends_with(".csv"))
    throw Error("cannot tell the format of the trace from " + path, "end its name in .csv or .json");
}

void write_trace(const std::vector<TraceRow>& trace, const std::string& path) {
  check_trace_name(path);
  const bool json = path.ends_with(".json");
  write_atomically(path, [&](std::ostream& out) { json ? write_json(trace, out) : write_csv(trace, out); });
}

}  // namespace s3gd
