// What the process used, for summaries, and what the machine has.
#pragma once

#include <cstdint>

namespace s3gd {

std::uint64_t peak_memory_bytes();  // largest resident size so far; 0 when the system does not tell
double physical_memory_bytes();     // of the machine

}  // namespace s3gd
