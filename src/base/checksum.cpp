#include "base/checksum.hpp"

#include <fcntl.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>

#include "base/file.hpp"
#include "base/index.hpp"
#include "base/threads.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

static_assert(std::endian::native == std::endian::little, "the checksum reads little-endian words where they lie");

constexpr std::uint64_t kBlock = 1 << 20;
constexpr std::uint64_t kMultiplier = 0x9e3779b97f4a7c15U;

std::uint64_t absorb(std::uint64_t state, std::uint64_t word) {
  const std::uint64_t product = (state ^ word) * kMultiplier;
  return product ^ (product >> 32);
}

std::uint64_t block_value(std::span<const std::byte> block) {
  constexpr std::size_t kStripe = 32;
  using Words = std::array<std::uint64_t, kStripe / 8>;
  Words lanes{0x8f1bbcdcbfa53e0bU, 0x243f6a8885a308d3U, 0x13198a2e03707345U, 0xa4093822299f31d1U};
  const auto take = [&](const std::byte* stripe, std::size_t size) {
    Words words{};
    std::memcpy(words.data(), stripe, size);
    for (std::size_t k = 0; k < words.size(); ++k) lanes[k] = absorb(lanes[k], words[k]);
  };
  const std::size_t rest = block.size() % kStripe, whole = block.size() - rest;
  for (std::size_t at = 0; at < whole; at += kStripe) take(block.data() + at, kStripe);
  if (rest > 0) take(block.data() + whole, rest);
  std::uint64_t value = block.size();
  for (const auto lane : lanes) value = absorb(std::rotl(value, 29), lane);
  return value;
}

std::uint64_t fold_block(std::uint64_t folded, std::uint64_t block) { return absorb(std::rotl(folded, 23), block); }

}  // namespace

void Checksum::update(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto taken = bytes.first(std::min<std::size_t>(bytes.size(), kBlock - pending_.size()));
    bytes = bytes.subspan(taken.size());
    if (taken.size() == kBlock) {  // needs no copy
      folded_ = fold_block(folded_, block_value(taken));
      continue;
    }
    pending_.insert(pending_.end(), taken.begin(), taken.end());
    if (pending_.size() < kBlock) continue;
    folded_ = fold_block(folded_, block_value(pending_));
    pending_.clear();
  }
}

std::uint64_t Checksum::value() const {
  return pending_.empty() ? folded_ : fold_block(folded_, block_value(pending_));
}

std::uint64_t checksum(std::span<const std::byte> bytes, int threads) {
  const auto blocks = static_cast<Index>((bytes.size() + kBlock - 1) / kBlock);
  std::vector<std::uint64_t> values(at(blocks));
  parallel_for(blocks, threads, [&](Index block) {
    const auto part = bytes.subspan(at(block) * kBlock);
    values[at(block)] = block_value(part.first(std::min<std::size_t>(part.size(), kBlock)));
  });
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0}, fold_block);
}

Sha256::Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
  if (!context_ || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1)
    throw Error("the system's OpenSSL has no SHA-256");
}

void Sha256::add(std::span<const char> bytes) { EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()); }

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  EVP_DigestFinal_ex(context_.get(), digest.data(), &length);
  std::string text;
  for (unsigned i = 0; i < length; ++i) {
    text += "0123456789abcdef"[digest[i] >> 4U];
    text += "0123456789abcdef"[digest[i] & 15U];
  }
  return text;
}

std::string sha256_of_file(const std::string& path) {
  OpenFile file(open(path.c_str(), O_RDONLY | O_CLOEXEC), path, "open");
  Sha256 sum;
  std::vector<char> block(1 << 20);
  while (const std::size_t count = file.read(block)) sum.add(std::span(block).first(count));
  return sum.hex();
}

}  // namespace s3gd
