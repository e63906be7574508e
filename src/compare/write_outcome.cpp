// run.json with one entry a line, and its rows as CSV: the same numbers to the last digit.
#include "base/file.hpp"
#include "compare/outcome.hpp"
#include "data/csv_record.hpp"
#include "report/document.hpp"
#include "report/run_rows.hpp"

namespace s3gd {
namespace {

std::string dumped(const Json& value) { return value.dump_repaired(); }

// Fields on lines of their own, lists of objects one object a line: readable, and a fraction of the size of full indents.
void write_json(const Json& run, std::ostream& out) {
  out << "{";
  bool first = true;
  for (const auto& [key, value] : run.items()) {
    out << (first ? "\n" : ",\n") << Json(key).dump() << ": ";
    first = false;
    if (!value.is_array() || value.empty() || !value[0].is_object()) {
      out << dumped(value);
      continue;
    }
    out << "[";
    for (std::size_t k = 0; k < value.size(); ++k) out << (k == 0 ? "\n " : ",\n ") << dumped(value[k]);
    out << "]";
  }
  out << "\n}\n";
}

std::string cell(const Json& value) {
  if (value.is_null()) return {};
  if (!value.is_string()) return value.dump();
  return csv_field(value.get<std::string>());
}

void write_runs(const Json& runs, std::ostream& out) {
  bool head = true;
  for (const Json& run : runs) {
    std::string names, cells;
    for (const auto& [key, value] : run.items()) {
      if (key == "points") continue;
      names += (names.empty() ? "" : ",") + key;
      cells += (key == "key" ? "" : ",") + cell(value);
    }
    if (head) out << names << '\n';
    head = false;
    out << cells << '\n';
  }
}

void write_points(const Json& runs, std::ostream& out) {
  const std::vector<std::string> about{"key", "dataset", "label", "step", "step_rule", "trial"};
  const std::vector<std::string> columns{"iteration", "passes",         "cpu_seconds", "wall_seconds",
                                         "objective", "test_objective", "correlation", "variance_ratio"};
  for (const std::string& name : about) out << name << ',';
  for (const std::string& name : columns) out << name << (name == columns.back() ? "\n" : ",");
  for (const Json& run : runs) {
    std::string before;
    for (const std::string& name : about) before += cell(run.at(name)) + ",";
    const Json& points = run.at("points");
    for (std::size_t k = 0; k < points.at("iteration").size(); ++k) {
      out << before;
      for (const std::string& name : columns) {
        const Json& values = points.at(name);
        out << (values.is_null() ? "" : cell(values[k])) << (name == columns.back() ? "\n" : ",");
      }
    }
  }
}

}  // namespace

void write_outcome(const Json& run, const RunFolder& folder) {
  write_atomically(folder.path("runs.csv"), [&](std::ostream& out) { write_runs(run.at("runs"), out); });
  write_atomically(folder.path("points.csv"), [&](std::ostream& out) { write_points(run.at("runs"), out); });
  write_atomically(folder.path("run.json"), [&](std::ostream& out) { write_json(run, out); });
}

void write_pages(const Json& run, const RunFolder& folder) {
  const report::Document document = report::document_of_run(run);
  write_atomically(folder.path("report.html"), [&](std::ostream& out) { out << report::html(document); });
  report::write_figures(document, folder.path("figures"));
}

}  // namespace s3gd
