#include "saved/trace_file.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>

#include "base/file.hpp"
#include "base/json.hpp"
#include "data/csv_record.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

struct Column {
  const char* name;
  double (*value)(const TraceRow&);
};

// The order of the contract; `stage`, a word, comes last.
constexpr std::array<Column, 10> kColumns{{
    {"iteration", [](const TraceRow& row) { return static_cast<double>(row.iteration); }},
    {"passes", [](const TraceRow& row) { return row.passes; }},
    {"cpu_seconds", [](const TraceRow& row) { return row.cpu_seconds; }},
    {"wall_seconds", [](const TraceRow& row) { return row.wall_seconds; }},
    {"train_objective", [](const TraceRow& row) { return row.train_objective; }},
    {"test_objective", [](const TraceRow& row) { return row.test_objective; }},
    {"gap", [](const TraceRow& row) { return row.gap; }},
    {"step", [](const TraceRow& row) { return row.step; }},
    {"correlation", [](const TraceRow& row) { return row.correlation; }},
    {"variance_ratio", [](const TraceRow& row) { return row.variance_ratio; }},
}};

void write_csv(const std::vector<TraceRow>& trace, std::ostream& out) {
  for (const Column& column : kColumns) out << column.name << ',';
  out << "stage\n";
  for (const TraceRow& row : trace) {
    for (const Column& column : kColumns) {
      const double value = column.value(row);
      if (!std::isnan(value)) out << fmt::format("{}", value);
      out << ',';
    }
    out << csv_field(row.stage) << '\n';
  }
}

void write_json(const std::vector<TraceRow>& trace, std::ostream& out) {
  auto rows = Json::array();
  for (const TraceRow& row : trace) {
    Json object;
    for (const Column& column : kColumns) {
      const double value = column.value(row);
      object[column.name] = std::isfinite(value) ? Json(value) : Json(nullptr);
    }
    object["iteration"] = row.iteration;
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
