#include "report/run_record.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <type_traits>

namespace s3gd {
namespace {

struct PointColumn {
  const char* name;
  Points field;
  bool optional;  // null as a whole where no row has it
};
constexpr PointColumn kPointColumns[] = {
    {"passes", &TraceRow::passes, false},
    {"cpu_seconds", &TraceRow::cpu_seconds, false},
    {"wall_seconds", &TraceRow::wall_seconds, false},
    {"objective", &TraceRow::train_objective, false},
    {"test_objective", &TraceRow::test_objective, false},
    {"correlation", &TraceRow::correlation, true},
    {"variance_ratio", &TraceRow::variance_ratio, true},
};

// The fields of a run but for its points, in the order of run.json.
template <class Record, class Use>
void for_each_field(Record& record, Use&& use) {
  use("key", record.key);
  use("dataset", record.dataset);
  use("solver", record.solver);
  use("label", record.label);
  use("step", record.step);
  use("step_rule", record.step_rule);
  use("seed", record.seed);
  use("trial", record.trial);
  use("status", record.status);
  use("error", record.error);
  use("iterations", record.iterations);
  use("passes", record.passes);
  use("objective", record.objective);
  use("test_objective", record.test_objective);
  use("tail_objective", record.tail_objective);
  use("tail_looks", record.tail_looks);
  use("stable", record.stable);
  use("graph_seconds", record.graph_seconds);
  use("graph_cpu_seconds", record.graph_cpu_seconds);
  use("solve_seconds", record.solve_seconds);
  use("cpu_seconds", record.cpu_seconds);
  use("wall_seconds", record.wall_seconds);
  use("evaluate_seconds", record.evaluate_seconds);
  use("weights", record.weights);
  use("cpu", record.cpu);
}

// Null, or not there: NaN.
double number_or_nan(const Json* value) {
  return value != nullptr && value->is_number() ? value->get<double>() : std::nan("");
}

std::vector<TraceRow> points_in(const Json& json) {
  std::vector<TraceRow> points;
  for (const Json& iteration : json.at("iteration")) points.emplace_back().iteration = iteration.get<Index>();
  for (const PointColumn& column : kPointColumns) {
    const Json* values = json.find(column.name);
    const std::size_t there = values != nullptr && values->is_array() ? values->size() : 0;
    for (std::size_t k = 0; k < points.size(); ++k)
      points[k].*column.field = number_or_nan(k < there ? &(*values)[k] : nullptr);
  }
  return points;
}

Json points_json(const std::vector<TraceRow>& points) {
  Json json;
  Json iterations = Json::array();
  for (const TraceRow& row : points) iterations.push_back(row.iteration);
  json["iteration"] = std::move(iterations);
  for (const PointColumn& column : kPointColumns) {
    Json values = Json::array();
    bool any = false;
    for (const TraceRow& row : points) {
      const double value = row.*column.field;
      any = any || !std::isnan(value);
      values.push_back(finite_or_null(value));
    }
    json[column.name] = any || !column.optional ? std::move(values) : Json(nullptr);
  }
  return json;
}

}  // namespace

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json to_json(const RunRecord& record) {
  Json json;
  for_each_field(record, [&]<class T>(const char* name, const T& value) {
    if constexpr (std::is_same_v<T, double>)
      json[name] = finite_or_null(value);
    else if constexpr (std::is_same_v<T, std::string>)
      json[name] = text_or_null(value);
    else
      json[name] = value;
  });
  json["points"] = points_json(record.points);
  return json;
}

RunRecord run_record(const Json& row) {
  if (!row.is_object()) throw JsonError("a run that is no object");
  RunRecord record;
  for_each_field(record, [&]<class T>(const char* name, T& value) {
    const Json* found = row.find(name);
    if constexpr (std::is_same_v<T, double>)
      value = number_or_nan(found);
    else if (found != nullptr && !found->is_null())
      value = found->get<T>();
  });
  if (const Json* points = row.find("points"); points != nullptr && points->is_object())
    record.points = points_in(*points);
  return record;
}

Points points_of(const std::string& name) {
  return std::find_if(std::begin(kPointColumns), std::end(kPointColumns),
                      [&](const PointColumn& column) { return column.name == name; })
      ->field;
}

}  // namespace s3gd
