#include "base/memory.hpp"

#include <unistd.h>

#include <fstream>
#include <string>

namespace s3gd {

std::uint64_t peak_memory_bytes() {
  // Not getrusage: its figure is inherited from the parent across exec.
  std::ifstream status("/proc/self/status");
  for (std::string key; status >> key; std::getline(status, key)) {
    std::uint64_t kilobytes = 0;
    if (key == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

double physical_memory_bytes() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace s3gd
