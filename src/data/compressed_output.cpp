#include "data/compressed_output.hpp"

#include <archive.h>
#include <archive_entry.h>

#include <array>
#include <cerrno>
#include <memory>
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

class Compressor final : public std::streambuf {
 public:
  Compressor(std::ostream& out, const Suffix& suffix, const std::string& path) : out_(out), path_(path) {
    archive_.reset(archive_write_new());
    entry_.reset(archive_entry_new());
    if (!archive_ || !entry_) throw Error("out of memory while writing " + path);
    check(suffix.add_filter(archive_.get()));
    check(archive_write_set_format_raw(archive_.get()));
    check(archive_write_set_bytes_per_block(archive_.get(), 0));  // no padding at the end
    check(archive_write_open(archive_.get(), this, nullptr, deliver, nullptr));
    archive_entry_set_filetype(entry_.get(), AE_IFREG);
    check(archive_write_header(archive_.get(), entry_.get()));
    setp(buffer_.data(), buffer_.data() + buffer_.size());
  }

  void finish() {
    flush();
    check(archive_write_close(archive_.get()));
  }

 protected:
  int_type overflow(int_type c) override {
    flush();
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    *pptr() = traits_type::to_char_type(c);
    pbump(1);
    return c;
  }
  int sync() override {
    flush();
    return 0;
  }

 private:
  struct Free {
    void operator()(archive* a) const { archive_write_free(a); }
    void operator()(archive_entry* e) const { archive_entry_free(e); }
  };

  static la_ssize_t deliver(archive* a, void* self, const void* bytes, std::size_t size) {
    auto& out = static_cast<Compressor*>(self)->out_;
    out.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
    if (out) return static_cast<la_ssize_t>(size);
    archive_set_error(a, EIO, "the file could not be written");
    return -1;
  }

  void flush() {
    const auto size = static_cast<std::size_t>(pptr() - pbase());
    if (size > 0 && archive_write_data(archive_.get(), pbase(), size) < 0) check(ARCHIVE_FATAL);
    setp(buffer_.data(), buffer_.data() + buffer_.size());
  }

  void check(int result) {
    if (result == ARCHIVE_OK) return;
    const char* reason = archive_error_string(archive_.get());
    throw Error("cannot write " + path_ + ": " + (reason != nullptr ? reason : "compression failed"));
  }

  std::ostream& out_;
  std::string path_;
  std::array<char, 1 << 16> buffer_;
  std::unique_ptr<archive, Free> archive_;
  std::unique_ptr<archive_entry, Free> entry_;
};

}  // namespace

std::string_view without_compression_suffix(std::string_view path) {
  if (const auto* suffix = suffix_of(path)) path.remove_suffix(suffix->text.size());
  return path;
}

void write_compressed(std::ostream& out, const std::string& path, const std::function<void(std::ostream&)>& fill) {
  const auto* suffix = suffix_of(path);
  if (suffix == nullptr) return fill(out);
  const auto compressor = std::make_unique<Compressor>(out, *suffix, path);
  std::ostream stream(compressor.get());
  stream.exceptions(std::ios::badbit);  // lets an Error thrown while compressing through
  fill(stream);
  compressor->finish();
}

}  // namespace s3gd
