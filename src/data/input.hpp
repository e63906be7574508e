// Input: a stream of bytes from a file, a pipe or standard input, decompressed on the way (.gz .bz2 .xz .zst, found
// by content, not by name). Plain files are read with ordinary reads, never mapped, so that reading costs no memory
// beyond the caller's buffer.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "s3gd/matrix.hpp"

namespace s3gd {

class Input {
 public:
  static std::unique_ptr<Input> open(const std::string& path);  // "-" is standard input; throws Error
  // Bytes already in memory, for tests and fuzzing; decompressed like a file.
  static std::unique_ptr<Input> from_memory(std::span<const char> bytes, const std::string& name);
  virtual ~Input() = default;

  // Fills as much of `into` as there is; 0 only at the end. Throws when the stream is cut short or corrupt.
  virtual std::size_t read(std::span<char> into) = 0;
  // The first bytes (up to 4096, decompressed) without consuming them: for recognising the format.
  virtual std::span<const char> peek() = 0;
  // What it is called in messages: the path, or "standard input".
  virtual const std::string& name() const = 0;
  // Size of a plain regular file; empty for pipes and compressed data.
  virtual std::optional<std::uint64_t> plain_size() const = 0;
};

// Whether it is a plain file that can be mapped by its name.
bool is_mappable(const Input& input);
// Everything up to the end, in memory aligned for any type.
Array<char> read_all(Input& input);

// Fills as much as there is; 0 only at the end.
using ByteSource = std::function<std::size_t(std::span<char>)>;
ByteSource source_of(Input& input);
ByteSource source_of(std::span<const std::byte> bytes);  // must outlive the source

// Reads until `into` is full or the source ends; the number of bytes read.
std::size_t read_fully(const ByteSource& source, std::span<char> into);
// Throws, naming `name`, when anything is left.
void expect_end(const ByteSource& source, const std::string& name);

}  // namespace s3gd
