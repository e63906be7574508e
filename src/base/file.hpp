// Files: whole reads with a bound, maps, and writes that never leave half a file behind.
#pragma once

#include <cstddef>
#include <functional>
#include <ostream>
#include <span>
#include <string>

namespace s3gd {

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

// Calls fill(stream) on a temporary file beside `path` and renames it into place only when all was written.
// On any failure or exception the temporary file is removed and what stood at `path` before is untouched.
// Symbolic links are followed, an existing file keeps its permissions, and what is no regular file (a pipe, a device)
// is written to as it stands.
void write_atomically(const std::string& path, const std::function<void(std::ostream&)>& fill);

}  // namespace s3gd
