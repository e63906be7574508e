#include "data/compressed_output.hpp"

#include <archive.h>
#include <archive_entry.h>

#include <array>
#include <streambuf>

#include "s3gd/error.hpp"

namespace s3gd {
namespace {

struct Suffix {
  std::string_view text;
  int (*add_filter)(archive*);
};
constexpr std::array<Suffix, 4> kSuffixes{{
    {".gz", archive_write_add_filter_gzip},
    {".bz2", archive_write_add_filter_bzip2},
    {".xz", archive_write_add_filter_xz},
    {".zst", archive_write_add_filter_zstd},
}};

const Suffix* suffix_of(std::string_view path) {
  for (const auto& suffix : kSuffixes)
    if (path.size() > suffix.text.size() && path.ends_with(suffix.text)) return &suffix;
  return nullptr;
}

class Compressor final : public std::streambuf, ArchiveWriter {
 public:
  Compressor(std::ostream& out, const Suffix& suffix, const std::string& path)
      : ArchiveWriter(out, path, "the file could not be written") {
    const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(archive_entry_new(), archive_entry_free);
    if (!entry) throw Error(ErrorCode::out_of_memory, {}, "out of memory while writing " + path);
    if (suffix.add_filter(archive_.get()) != ARCHIVE_OK || archive_write_set_format_raw(archive_.get()) != ARCHIVE_OK)
      fail();
    open();
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    if (archive_write_header(archive_.get(), entry.get()) != ARCHIVE_OK) fail();
  }
  using ArchiveWriter::close;

 protected:
  // Without a buffer: whoever writes text has one.
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    write(std::as_bytes(std::span(text, static_cast<std::size_t>(size))));
    return size;
  }
  int_type overflow(int_type c) override {
    const char one = traits_type::to_char_type(c);
    if (!traits_type::eq_int_type(c, traits_type::eof())) xsputn(&one, 1);
    return traits_type::not_eof(c);
  }
};

}  // namespace

ArchiveWriter::ArchiveWriter(std::ostream& out, const std::string& path, const char* reason)
    : archive_(archive_write_new(), archive_write_free), out_(out), path_(path), reason_(reason) {
  if (!archive_) throw Error(ErrorCode::out_of_memory, {}, "out of memory while writing " + path);
}

void ArchiveWriter::open() {
  const auto deliver = [](archive* a, void* self, const void* bytes, std::size_t size) -> la_ssize_t {
    auto& writer = *static_cast<ArchiveWriter*>(self);
    writer.out_.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
    if (writer.out_) return static_cast<la_ssize_t>(size);
    archive_set_error(a, EIO, "%s", writer.reason_);
    return -1;
  };
  if (archive_write_set_bytes_per_block(archive_.get(), 0) != ARCHIVE_OK ||  // no padding at the end
      archive_write_open(archive_.get(), this, nullptr, deliver, nullptr) != ARCHIVE_OK)
    fail();
}

void ArchiveWriter::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto done = archive_write_data(archive_.get(), bytes.data(), bytes.size());
    if (done <= 0) fail();
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
}

void ArchiveWriter::close() {
  if (archive_write_close(archive_.get()) != ARCHIVE_OK) fail();
}

void ArchiveWriter::fail() {
  const char* reason = archive_error_string(archive_.get());
  throw Error(ErrorCode::unusable_file, {}, "cannot write " + path_ + ": " + (reason != nullptr ? reason : reason_));
}

std::string_view without_compression_suffix(std::string_view path) {
  if (const auto* suffix = suffix_of(path)) path.remove_suffix(suffix->text.size());
  return path;
}

void refuse_compression(const std::string& path, const std::string& format) {
  const auto plain = std::string(without_compression_suffix(path));
  if (plain != path) throw Error(path + ": the format " + format + " is not written compressed", "write " + plain);
}

void write_compressed(std::ostream& out, const std::string& path, const std::function<void(std::ostream&)>& fill) {
  const auto* suffix = suffix_of(path);
  if (suffix == nullptr) return fill(out);
  Compressor compressor(out, *suffix, path);
  std::ostream stream(&compressor);
  stream.exceptions(std::ios::badbit);  // lets an Error thrown while compressing through
  fill(stream);
  compressor.close();
}

}  // namespace s3gd
