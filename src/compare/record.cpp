#include "compare/one_run.hpp"

#include <sys/utsname.h>

#include <filesystem>
#include <fstream>
#include <span>
#include <thread>

#include "base/file.hpp"
#include "base/memory.hpp"
#include "data/arrays.hpp"
#include "kernel/kernel.hpp"

namespace s3gd {
namespace {

constexpr int kFormat = 1;

void write_vector(const std::string& path, std::span<const double> w) {
  write_atomically(path, [&](std::ostream& out) {
    out << npy_header(npy_descr(Precision::float64), {static_cast<Index>(w.size())});
    out.write(reinterpret_cast<const char*>(w.data()), static_cast<std::streamsize>(w.size_bytes()));
  });
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
    RunRecord record = run_record(json.at("run"));
    const bool nothing_lacks = to_json(record) == json.at("run");
    const bool whole =
        record.key == key && nothing_lacks && (record.weights.empty() || file_exists(path(record.weights)));
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
