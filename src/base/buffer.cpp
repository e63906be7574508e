#include "base/buffer.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <fstream>

#include "base/memory.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

constexpr std::size_t kLargeEnough = std::size_t{8} << 20;

}  // namespace

Pages::~Pages() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

void Pages::resize(std::size_t bytes) {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t rounded = (bytes + page - 1) / page * page;
  if (rounded == bytes_ && bytes >= bytes_) return;
  if (rounded < bytes) throw Error("a buffer of " + std::to_string(bytes) + " bytes was asked for");
  if (rounded == 0) {
    if (data_ != nullptr) munmap(data_, bytes_);
    data_ = nullptr;
    bytes_ = 0;
    return;
  }
  void* moved = data_ == nullptr ? mmap(nullptr, rounded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                 : mremap(data_, bytes_, rounded, MREMAP_MAYMOVE);
  if (moved == MAP_FAILED)
    throw Error(ErrorCode::out_of_memory, {},
                "out of memory: a buffer of " + std::to_string(rounded) + " bytes could not be had",
                "use a machine with more memory, or a smaller file");
  // Rows are visited in random order: with large pages a visit costs no walk through the page table.
  if (rounded >= kLargeEnough) madvise(moved, rounded, MADV_HUGEPAGE);
  data_ = moved;
  bytes_ = rounded;
}

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
