// What the process used, for summaries.
#pragma once

#include <cstdint>

namespace s3gd {

std::uint64_t peak_memory_bytes();  // largest resident size so far; 0 when the system does not tell

}  // namespace s3gd
