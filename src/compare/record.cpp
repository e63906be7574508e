#include "compare/record.hpp"

#include <cmath>
#include <filesystem>
#include <span>

#include "base/file.hpp"
#include "data/npy.hpp"

namespace s3gd {
namespace {

constexpr int kFormat = 1;

// NaN and infinities are null in JSON.
double number_or_nan(const Json& value) { return value.is_number() ? value.get<double>() : std::nan(""); }

struct PointColumn {
  const char* name;
  double TraceRow::*field;
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

std::vector<TraceRow> points_of(const Json& json) {
  std::vector<TraceRow> points;
  for (const Json& iteration : json.at("iteration")) {
    points.emplace_back();
    points.back().iteration = iteration.get<Index>();
    points.back().correlation = points.back().variance_ratio = std::nan("");
  }
  for (const PointColumn& column : kPointColumns) {
    const Json& values = json.at(column.name);
    if (values.is_null()) continue;
    if (values.size() != points.size()) throw std::out_of_range("points");
    for (std::size_t k = 0; k < points.size(); ++k) points[k].*column.field = number_or_nan(values[k]);
  }
  return points;
}

Json finite_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

RunRecord record_of(const Json& json) {
  RunRecord record;
  const auto text = [&](const char* name) { return json.at(name).is_null() ? "" : json.at(name).get<std::string>(); };
  const auto number = [&](const char* name) { return number_or_nan(json.at(name)); };
  record.key = text("key");
  record.solver = text("solver");
  record.step = number("step");
  record.step_rule = text("step_rule");
  record.seed = json.at("seed").get<std::uint64_t>();
  record.status = text("status");
  record.error = text("error");
  record.iterations = json.at("iterations").get<Index>();
  record.passes = number("passes");
  record.objective = number("objective");
  record.test_objective = number("test_objective");
  record.tail_objective = number("tail_objective");
  record.tail_looks = json.at("tail_looks").get<Index>();
  record.graph_seconds = number("graph_seconds");
  record.graph_cpu_seconds = number("graph_cpu_seconds");
  record.solve_seconds = number("solve_seconds");
  record.cpu_seconds = number("cpu_seconds");
  record.wall_seconds = number("wall_seconds");
  record.evaluate_seconds = number("evaluate_seconds");
  record.weights = text("weights");
  record.cpu = text("cpu");
  record.points = points_of(json.at("points"));
  return record;
}

void write_vector(const std::string& path, std::span<const double> w) {
  write_atomically(path, [&](std::ostream& out) {
    out << npy_header(npy_descr(Precision::float64), {static_cast<Index>(w.size())});
    out.write(reinterpret_cast<const char*>(w.data()), static_cast<std::streamsize>(w.size_bytes()));
  });
}

}  // namespace

void called_as_in(const RunRecord& plan, RunRecord& found) {
  found.dataset = plan.dataset;
  found.label = plan.label;
  found.trial = plan.trial;
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

Json to_json(const RunRecord& record) {
  return {{"key", record.key},
          {"dataset", record.dataset},
          {"solver", record.solver},
          {"label", record.label},
          {"step", finite_or_null(record.step)},
          {"step_rule", record.step_rule},
          {"seed", record.seed},
          {"trial", record.trial},
          {"status", record.status},
          {"error", text_or_null(record.error)},
          {"iterations", record.iterations},
          {"passes", finite_or_null(record.passes)},
          {"objective", finite_or_null(record.objective)},
          {"test_objective", finite_or_null(record.test_objective)},
          {"tail_objective", finite_or_null(record.tail_objective)},
          {"tail_looks", record.tail_looks},
          {"stable", record.stable},
          {"graph_seconds", finite_or_null(record.graph_seconds)},
          {"graph_cpu_seconds", finite_or_null(record.graph_cpu_seconds)},
          {"solve_seconds", finite_or_null(record.solve_seconds)},
          {"cpu_seconds", finite_or_null(record.cpu_seconds)},
          {"wall_seconds", finite_or_null(record.wall_seconds)},
          {"evaluate_seconds", finite_or_null(record.evaluate_seconds)},
          {"weights", text_or_null(record.weights)},
          {"cpu", record.cpu},
          {"points", points_json(record.points)}};
}

RunFolder::RunFolder(std::string folder) : folder_(std::move(folder)) {
  for (const char* part : {"runs", "weights"}) {
    std::error_code failure;
    std::filesystem::create_directories(path(part), failure);
    if (failure) throw_file_error("create the folder", path(part), failure.value());
  }
}

std::optional<RunRecord> RunFolder::load(const std::string& key) const {
  try {
    const Json json = Json::parse_file(path("runs/" + key + ".json"));
    if (json.at("s3gd_compare_run") != kFormat) return std::nullopt;
    RunRecord record = record_of(json.at("run"));
    const bool whole = record.key == key && (record.weights.empty() || file_exists(path(record.weights)));
    return whole ? std::optional(std::move(record)) : std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;  // not there or damaged: it is run again
  }
}

void RunFolder::store(RunRecord& record, const std::vector<double>& w) const {
  record.weights.clear();
  if (!w.empty()) {
    record.weights = "weights/" + record.key + ".npy";
    write_vector(path(record.weights), w);
  }
  const Json json{{"s3gd_compare_run", kFormat}, {"run", to_json(record)}};
  write_atomically(path("runs/" + record.key + ".json"), [&](std::ostream& out) { out << json.dump() << '\n'; });
}

}  // namespace s3gd
