// Output through libarchive: text that is compressed when the name it goes to says so (.gz .bz2 .xz .zst), streamed, so
// that memory does not grow with the text; and archives of files.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

struct archive;

namespace s3gd {

using BytesOut = std::function<void(std::span<const std::byte>)>;

// "train.svm.gz" -> "train.svm"; names without such a suffix come back unchanged.
std::string_view without_compression_suffix(std::string_view path);

// The binary formats are written as they are: throws when the name ends in such a suffix.
void refuse_compression(const std::string& path, const std::string& format);

// Calls fill(stream); what it writes arrives in `out`, compressed as the suffix of `path` asks. Throws Error.
void write_compressed(std::ostream& out, const std::string& path, const std::function<void(std::ostream&)>& fill);

// libarchive's writer over a stream. `path` and, when the stream fails, `reason` are for errors.
class ArchiveWriter {
 public:
  ArchiveWriter(std::ostream& out, const std::string& path, const char* reason);
  void open();  // once formats and filters are set
  void write(std::span<const std::byte> bytes);
  void close();
  [[noreturn]] void fail();

 protected:
  std::unique_ptr<archive, int (*)(archive*)> archive_;

 private:
  std::ostream& out_;
  std::string path_;
  const char* reason_;
};

}  // namespace s3gd
