#include "compare/machine.hpp"

#include <sys/utsname.h>

#include <fstream>
#include <thread>

#include "base/memory.hpp"
#include "kernel/kernel.hpp"

namespace s3gd {
namespace {

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

}  // namespace s3gd
