// Input: a stream of bytes from a file, a pipe or standard input, decompressed on the way (.gz .bz2 .xz .zst, found
// by content, not by name). Plain files are read with ordinary reads, never mapped, so that reading costs no memory
// beyond the caller's buffer.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "s3gd/matrix.hpp"

namespace s3gd {

// Fills as much as there is; 0 only at the end.
using ByteSource = std::function<std::size_t(std::span<char>)>;

class Input {
 public:
  static std::unique_ptr<Input> open(const std::string& path);  // "-" is standard input; throws Error
  // Bytes already in memory, for tests and fuzzing; decompressed like a file.
  static std::unique_ptr<Input> from_memory(std::span<const char> bytes, const std::string& name);
  // As the bytes are.
  Input(ByteSource source, std::optional<std::uint64_t> plain_size, const std::string& name);

  // Fills as much of `into` as there is; 0 only at the end. Throws when the stream is cut short or corrupt.
  std::size_t read(std::span<char> into);
  // The first bytes (up to 4096, decompressed) without consuming them: for recognising the format.
  std::span<const char> peek() const { return std::span<const char>(head_).subspan(used_); }
  // What it is called in messages: the path, or "standard input".
  const std::string& name() const { return name_; }
  // Size of a plain regular file; empty for pipes and compressed data.
  std::optional<std::uint64_t> plain_size() const { return plain_size_; }

 private:
  ByteSource source_;
  std::optional<std::uint64_t> plain_size_;
  std::string name_;
  std::vector<char> head_;
  std::size_t used_ = 0;
};

// Whether it is a plain file that can be mapped by its name.
bool is_mappable(const Input& input);
// Everything up to the end, in memory aligned for any type.
Array<char> read_all(Input& input);

ByteSource source_of(Input& input);
ByteSource source_of(std::span<const std::byte> bytes);  // must outlive the source

// Reads until `into` is full or the source ends; the number of bytes read.
std::size_t read_fully(const ByteSource& source, std::span<char> into);
// Throws, naming `name`, when anything is left.
void expect_end(const ByteSource& source, const std::string& name);

}  // namespace s3gd
