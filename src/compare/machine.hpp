// Facts about the machine and the program that ran on it, for run.json.
#pragma once

#include <cstdint>
#include <string>

namespace s3gd {

struct Machine {
  std::string cpu;
  int cores = 0;
  std::uint64_t memory_bytes = 0;
  std::string os;
  std::string compiler;
  std::string simd;
};

const Machine& machine_facts();  // looked up once

}  // namespace s3gd
