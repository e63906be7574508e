#include "data/input.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "base/interrupt.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

constexpr std::size_t kHeadBytes = 4096;
constexpr std::size_t kCompressedBytes = 1 << 17;

// Bytes as they lie in the file, before any decompression.
class Source {
 public:
  virtual ~Source() = default;
  virtual std::size_t read_some(std::span<char> into) = 0;  // 0 only at the end
  virtual std::optional<std::uint64_t> size() const { return std::nullopt; }

  std::size_t read_all(std::span<char> into) {
    std::size_t filled = 0;
    while (filled < into.size()) {
      const std::size_t count = read_some(into.subspan(filled));
      if (count == 0) break;
      filled += count;
    }
    return filled;
  }
};

class FileSource final : public Source {
 public:
  FileSource(const std::string& path, const std::string& name) : name_(name) {
    owned_ = path != "-";
    fd_ = owned_ ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    if (fd_ < 0) throw_file_error("open", name, errno);
    struct stat info {};
    int failure = fstat(fd_, &info) == 0 ? 0 : errno;
    if (failure == 0 && S_ISDIR(info.st_mode)) failure = EISDIR;
    if (failure != 0) {
      release();
      throw_file_error("read", name, failure);
    }
    if (S_ISREG(info.st_mode)) {
      size_ = static_cast<std::uint64_t>(info.st_size);
      (void)posix_fadvise(fd_, 0, 0, POSIX_FADV_SEQUENTIAL);  // advice only: its failure changes nothing
    }
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  ~FileSource() override { release(); }

  std::size_t read_some(std::span<char> into) override {
    for (;;) {
      const auto count = ::read(fd_, into.data(), into.size());
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) throw_file_error("read", name_, errno);
      if (interrupted()) throw Interrupted("reading " + name_ + " was interrupted");
    }
  }
  std::optional<std::uint64_t> size() const override { return size_; }

 private:
  void release() {
    if (owned_) ::close(fd_);
  }

  std::string name_;
  int fd_ = -1;
  bool owned_ = false;
  std::optional<std::uint64_t> size_;
};

class MemorySource final : public Source {
 public:
  explicit MemorySource(std::span<const char> bytes) : left_(bytes), size_(bytes.size()) {}
  std::size_t read_some(std::span<char> into) override {
    const std::size_t count = std::min(into.size(), left_.size());
    if (count > 0) std::memcpy(into.data(), left_.data(), count);
    left_ = left_.subspan(count);
    return count;
  }
  std::optional<std::uint64_t> size() const override { return size_; }

 private:
  std::span<const char> left_;
  std::uint64_t size_;
};

// Puts bytes that were looked at back in front of the rest.
class Rewound final : public Source {
 public:
  Rewound(std::vector<char> head, std::unique_ptr<Source> rest) : head_(std::move(head)), rest_(std::move(rest)) {}
  std::size_t read_some(std::span<char> into) override {
    if (used_ == head_.size()) return rest_->read_some(into);
    const std::size_t count = std::min(into.size(), head_.size() - used_);
    std::memcpy(into.data(), head_.data() + used_, count);
    used_ += count;
    return count;
  }
  std::optional<std::uint64_t> size() const override { return rest_->size(); }

 private:
  std::vector<char> head_;
  std::size_t used_ = 0;
  std::unique_ptr<Source> rest_;
};

struct Compression {
  std::string_view name;
  std::string_view magic;
  int (*enable)(archive*);
};
constexpr Compression kCompressions[] = {
    {"gzip", "\x1f\x8b", archive_read_support_filter_gzip},
    {"bzip2", "BZh", archive_read_support_filter_bzip2},
    {"xz",
     std::string_view("\xfd"
                      "7zXZ\0",
                      6),
     archive_read_support_filter_xz},
    {"zstd", "\x28\xb5\x2f\xfd", archive_read_support_filter_zstd},
};

const Compression* find_compression(std::span<const char> head) {
  const std::string_view text(head.data(), head.size());
  for (const auto& compression : kCompressions)
    if (text.starts_with(compression.magic)) return &compression;
  return nullptr;
}

class Decompressed final : public Source {
 public:
  Decompressed(std::unique_ptr<Source> packed, const Compression& compression, const std::string& name)
      : packed_(std::move(packed)), compression_(compression), name_(name), buffer_(kCompressedBytes) {
    archive_.reset(archive_read_new());
    if (!archive_) throw Error("out of memory while opening " + name);
    compression.enable(archive_.get());
    archive_read_support_format_raw(archive_.get());
    archive_read_support_format_empty(archive_.get());
    check(archive_read_open(archive_.get(), this, nullptr, supply, nullptr));
    archive_entry* entry = nullptr;
    const int result = archive_read_next_header(archive_.get(), &entry);
    if (result == ARCHIVE_EOF)
      finish();
    else
      check(result);
    // A header too short to be recognised is passed on as if it were plain bytes.
    if (archive_filter_code(archive_.get(), 0) == ARCHIVE_FILTER_NONE) refuse("its header is incomplete");
  }

  std::size_t read_some(std::span<char> into) override {
    if (finished_ || into.empty()) return 0;
    const auto count = archive_read_data(archive_.get(), into.data(), into.size());
    if (count < 0) check(static_cast<int>(count));
    if (count == 0) finish();
    return static_cast<std::size_t>(count);
  }

 private:
  struct Free {
    void operator()(archive* a) const { archive_read_free(a); }
  };

  // Exceptions must not cross libarchive's C frames, so a failing read waits in failure_ until we are out of them.
  static la_ssize_t supply(archive* a, void* self_pointer, const void** bytes) {
    auto* self = static_cast<Decompressed*>(self_pointer);
    try {
      *bytes = self->buffer_.data();
      const std::size_t count = self->packed_->read_some(self->buffer_);
      self->supplied_ += static_cast<la_int64_t>(count);
      return static_cast<la_ssize_t>(count);
    } catch (...) {
      self->failure_ = std::current_exception();
      archive_set_error(a, EIO, "read failed");
      return ARCHIVE_FATAL;
    }
  }

  void check(int result) {
    if (result == ARCHIVE_OK) return;
    if (failure_) std::rethrow_exception(failure_);
    const char* reason = archive_error_string(archive_.get());
    refuse(reason != nullptr ? reason : "unreadable");
  }

  // libarchive takes a later member whose header is cut short for the end of the data.
  void finish() {
    finished_ = true;
    if (archive_filter_bytes(archive_.get(), -1) != supplied_) refuse("bytes follow that are not compressed data");
  }

  [[noreturn]] void refuse(const std::string& reason) const {
    throw Error(name_ + ": the " + std::string(compression_.name) + " data is cut short or damaged: " + reason,
                "fetch or compress the file again");
  }

  std::unique_ptr<Source> packed_;
  const Compression& compression_;
  std::string name_;
  std::vector<char> buffer_;
  std::unique_ptr<archive, Free> archive_;
  std::exception_ptr failure_;
  la_int64_t supplied_ = 0;
  bool finished_ = false;
};

class StreamInput final : public Input {
 public:
  StreamInput(std::unique_ptr<Source> source, const std::string& name) : source_(std::move(source)), name_(name) {
    look();
    if (const auto* compression = find_compression(head_)) {
      auto packed = std::make_unique<Rewound>(std::move(head_), std::move(source_));
      source_ = std::make_unique<Decompressed>(std::move(packed), *compression, name);
      look();
    }
  }

  std::size_t read(std::span<char> into) override {
    const std::size_t from_head = std::min(into.size(), head_.size() - used_);
    if (from_head > 0) std::memcpy(into.data(), head_.data() + used_, from_head);
    used_ += from_head;
    return from_head + source_->read_all(into.subspan(from_head));
  }
  std::span<const char> peek() override { return std::span<const char>(head_).subspan(used_); }
  const std::string& name() const override { return name_; }
  std::optional<std::uint64_t> plain_size() const override { return source_->size(); }

 private:
  void look() {
    head_.resize(kHeadBytes);
    head_.resize(source_->read_all(head_));
  }

  std::unique_ptr<Source> source_;
  std::string name_;
  std::vector<char> head_;
  std::size_t used_ = 0;
};

}  // namespace

std::unique_ptr<Input> Input::open(const std::string& path) {
  const std::string name = path == "-" ? "standard input" : path;
  return std::make_unique<StreamInput>(std::make_unique<FileSource>(path, name), name);
}

std::unique_ptr<Input> Input::from_memory(std::span<const char> bytes, const std::string& name) {
  return std::make_unique<StreamInput>(std::make_unique<MemorySource>(bytes), name);
}

}  // namespace s3gd
