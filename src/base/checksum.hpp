// A 64-bit checksum against damage (not against malice), fast enough to be bound by memory.
//
// The bytes are cut into blocks of 1 MiB. Within a block, stripe after stripe of four little-endian words w_0..w_3 (the
// last stripe filled up with zeros) goes into four lanes:   l_k = s((l_k ^ w_k) * P),   s(z) = z ^ (z >> 32).
// A block's value folds its length and lanes, the checksum folds the values of the blocks in order. Every step is a
// bijection of the word it takes in, so a change within one word never goes unnoticed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

struct evp_md_ctx_st;  // OpenSSL's state of a sum

namespace s3gd {

class Checksum {
 public:
  void update(std::span<const std::byte> bytes);
  std::uint64_t value() const;  // of everything so far

 private:
  std::vector<std::byte> pending_;  // of a block that is not whole yet
  std::uint64_t folded_ = 0;
};

// The same value, computed on `threads` threads (0 = all).
std::uint64_t checksum(std::span<const std::byte> bytes, int threads = 0);

// SHA-256, as lower-case hex.
class Sha256 {
 public:
  Sha256();
  void add(std::span<const char> bytes);
  std::string hex();  // ends the sum: nothing may be added after it

 private:
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> context_;
};

std::string sha256_of_file(const std::string& path);

}  // namespace s3gd
