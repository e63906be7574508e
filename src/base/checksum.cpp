#include "base/checksum.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>

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

std::uint64_t fold_block(std::uint64_t folded, std::uint64_t block) { return absorb(std::rotl(folded, 23), block); }

}  // namespace

void Checksum::take_stripe(Lanes& lanes, const std::byte* stripe) {
  std::array<std::uint64_t, 4> words;
  std::memcpy(words.data(), stripe, kStripe);
  for (std::size_t k = 0; k < 4; ++k) lanes[k] = absorb(lanes[k], words[k]);
}

std::uint64_t Checksum::block_value() const {
  Checksum padded = *this;
  const std::size_t partial = block_bytes_ % kStripe;
  if (partial > 0) {
    std::fill(padded.pending_.begin() + static_cast<std::ptrdiff_t>(partial), padded.pending_.end(), std::byte{0});
    take_stripe(padded.lanes_, padded.pending_.data());
  }
  std::uint64_t value = block_bytes_;
  for (const auto lane : padded.lanes_) value = absorb(std::rotl(value, 29), lane);
  return value;
}

void Checksum::take(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const std::size_t partial = block_bytes_ % kStripe;
    std::size_t taken = bytes.size() - bytes.size() % kStripe;
    if (partial > 0 || taken == 0) {
      taken = std::min(bytes.size(), kStripe - partial);
      std::memcpy(pending_.data() + partial, bytes.data(), taken);
      if (partial + taken == kStripe) take_stripe(lanes_, pending_.data());
    } else {
      Lanes lanes = lanes_;  // a local is known not to overlap the bytes, and stays in registers
      for (std::size_t at = 0; at < taken; at += kStripe) take_stripe(lanes, bytes.data() + at);
      lanes_ = lanes;
    }
    block_bytes_ += taken;
    bytes = bytes.subspan(taken);
  }
}

void Checksum::update(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto taken = std::min<std::size_t>(bytes.size(), kBlock - block_bytes_);
    take(bytes.first(taken));
    bytes = bytes.subspan(taken);
    if (block_bytes_ == kBlock) {
      folded_ = fold_block(folded_, block_value());
      lanes_ = kLanes;
      block_bytes_ = 0;
    }
  }
}

std::uint64_t Checksum::of_block(std::span<const std::byte> block) {
  Checksum sum;
  sum.take(block);
  return sum.block_value();
}

std::uint64_t Checksum::value() const { return block_bytes_ == 0 ? folded_ : fold_block(folded_, block_value()); }

std::uint64_t checksum(std::span<const std::byte> bytes, int threads) {
  const auto blocks = static_cast<Index>((bytes.size() + kBlock - 1) / kBlock);
  std::vector<std::uint64_t> values(at(blocks));
  parallel_for(blocks, threads, [&](Index block) {
    const auto part = bytes.subspan(at(block) * kBlock);
    values[at(block)] = Checksum::of_block(part.first(std::min<std::size_t>(part.size(), kBlock)));
  });
  std::uint64_t folded = 0;
  for (const auto value : values) folded = fold_block(folded, value);
  return folded;
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
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw_file_error("open", path, errno);
  Sha256 sum;
  std::vector<char> block(1 << 20);
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())), in.gcount() > 0)
    sum.add({block.data(), static_cast<std::size_t>(in.gcount())});
  if (in.bad()) throw_file_error("read", path, errno != 0 ? errno : EIO);
  return sum.hex();
}

}  // namespace s3gd
