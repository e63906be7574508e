// Files: whole reads with a bound, maps, and writes that never leave half a file behind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <span>
#include <string>

namespace s3gd {

// An open file, closed in the end. `name` is what the user calls it, in errors: "cannot ACTION NAME: reason".
class OpenFile {
 public:
  OpenFile(int descriptor, const std::string& name, const char* action);  // throws when there is none; errno says why
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int descriptor() const { return descriptor_; }
  std::optional<std::uint64_t> regular_size() const;  // none for pipes and devices; throws for a directory
  std::size_t read(std::span<char> into);             // some bytes, 0 at the end; throws
  bool write(std::span<const std::byte> bytes);       // all of them; false: errno says why

 private:
  int descriptor_;
  std::string name_;
};

// A file mapped read-only. Errors (missing, a directory, no permission) are one sentence naming the path.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), size_}; }
  std::string text() const { return {static_cast<const char*>(data_), size_}; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

// "cannot open PATH: reason" with a hint where one helps; throws it as an Error.
[[noreturn]] void throw_file_error(const std::string& action, const std::string& path, int error_number);

bool file_exists(const std::string& path);

void write_bytes(std::ostream& out, std::span<const std::byte> bytes);

// Calls fill(stream) on a temporary file beside `path` and renames it into place only when all was written.
// On any failure or exception the temporary file is removed and what stood at `path` before is untouched.
// Symbolic links are followed, an existing file keeps its permissions, and what is no regular file (a pipe, a device)
// is written to as it stands.
void write_atomically(const std::string& path, const std::function<void(std::ostream&)>& fill);

}  // namespace s3gd
