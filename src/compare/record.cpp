#include "compare/one_run.hpp"

#include <sys/utsname.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <span>
#include <thread>
#include <type_traits>

#include "base/file.hpp"
#include "base/memory.hpp"
#include "data/arrays.hpp"
#include "kernel/kernel.hpp"

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

RunRecord record_of(const Json& json) {
  RunRecord record;
  for_each_field(record, [&]<class T>(const char* name, T& value) {
    if constexpr (std::is_same_v<T, double>)
      value = number_or_nan(json.at(name));
    else if (!json.at(name).is_null())
      value = json.at(name).get<T>();
  });
  record.points = points_of(json.at("points"));
  return record;
}

void write_vector(const std::string& path, std::span<const double> w) {
  write_atomically(path, [&](std::ostream& out) {
    out << npy_header(npy_descr(Precision::float64), {static_cast<Index>(w.size())});
    out.write(reinterpret_cast<const char*>(w.data()), static_cast<std::streamsize>(w.size_bytes()));
  });
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

// The value of the first line "NAME   : VALUE" (or NAME=VALUE); empty when there is none.
std::string value_in(const char* path, const std::string& name, char separator) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(name)) continue;
    const std::size_t at = line.find(separator);
    if (at == std::string::npos) continue;
    const std::size_t begin = line.find_first_not_of(" \t\"", at + 1);
    const std::size_t end = line.find_last_not_of(" \t\"");
    if (begin != std::string::npos) return line.substr(begin, end - begin + 1);
  }
  return {};
}

std::string operating_system() {
  utsname kernel{};
  uname(&kernel);
  const std::string pretty = value_in("/etc/os-release", "PRETTY_NAME", '=');
  return (pretty.empty() ? "" : pretty + ", ") + kernel.sysname + " " + kernel.release + " " + kernel.machine;
}

std::string compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "gcc " __VERSION__;
#endif
}

}  // namespace

const Machine& machine_facts() {
  static const Machine facts = [] {
    Machine machine;
    machine.cpu = value_in("/proc/cpuinfo", "model name", ':');
    if (machine.cpu.empty()) machine.cpu = "unknown";
    machine.cores = static_cast<int>(std::thread::hardware_concurrency());
    machine.memory_bytes = static_cast<std::uint64_t>(physical_memory_bytes());
    machine.os = operating_system();
    machine.compiler = compiler();
    machine.simd = kernel::instruction_set();
    return machine;
  }();
  return facts;
}

void called_as_in(const RunRecord& plan, RunRecord& found) {
  found.dataset = plan.dataset;
  found.label = plan.label;
  found.trial = plan.trial;
}

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
