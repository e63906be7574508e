#include "data/input.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.hpp"
#include "data/assemble.hpp"

namespace s3gd {
namespace {

constexpr std::size_t kHeadBytes = 4096;
constexpr std::size_t kCompressedBytes = 1 << 17;
constexpr Index kBlockBytes = 1 << 18;

struct Compression {
  std::string_view name;
  std::string_view magic;
  int (*enable)(archive*);
};
constexpr Compression kCompressions[] = {
    {"gzip", "\x1f\x8b", archive_read_support_filter_gzip},
    {"bzip2", "BZh", archive_read_support_filter_bzip2},
    {"xz",
     {"\375"
      "7zXZ\0",
      6},
     archive_read_support_filter_xz},
    {"zstd", "\x28\xb5\x2f\xfd", archive_read_support_filter_zstd},
};

const Compression* find_compression(std::span<const char> head) {
  const std::string_view text(head.data(), head.size());
  for (const auto& compression : kCompressions)
    if (text.starts_with(compression.magic)) return &compression;
  return nullptr;
}

class Decompressed {
 public:
  Decompressed(std::unique_ptr<Input> packed, const Compression& compression)
      : packed_(std::move(packed)), compression_(compression), buffer_(kCompressedBytes) {
    archive_.reset(archive_read_new());
    if (!archive_) throw Error(ErrorCode::out_of_memory, {}, "out of memory while opening " + packed_->name());
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

  std::size_t read(std::span<char> into) {
    if (finished_ || into.empty()) return 0;
    const auto count = archive_read_data(archive_.get(), into.data(), into.size());
    if (count < 0) check(static_cast<int>(count));
    if (count == 0) finish();
    return at(count);
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
      const std::size_t count = self->packed_->read(self->buffer_);
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
    throw Error(
        packed_->name() + ": the " + std::string(compression_.name) + " data is cut short or damaged: " + reason,
        "fetch or compress the file again");
  }

  std::unique_ptr<Input> packed_;
  const Compression& compression_;
  std::vector<char> buffer_;
  std::unique_ptr<archive, Free> archive_;
  std::exception_ptr failure_;
  la_int64_t supplied_ = 0;
  bool finished_ = false;
};

std::unique_ptr<Input> unpacked(std::unique_ptr<Input> input) {
  const Compression* compression = find_compression(input->peek());
  if (compression == nullptr) return input;
  const std::string name = input->name();
  const auto plain = std::make_shared<Decompressed>(std::move(input), *compression);
  return std::make_unique<Input>([plain](std::span<char> into) { return plain->read(into); }, std::nullopt, name);
}

}  // namespace

std::unique_ptr<Input> Input::open(const std::string& path) {
  const bool standard = path == "-";
  const std::string name = standard ? "standard input" : path;
  const int descriptor = standard ? dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const auto file = std::make_shared<OpenFile>(descriptor, name, "open");
  const auto size = file->regular_size();
  // Advice only: its failure changes nothing.
  if (size) (void)posix_fadvise(file->descriptor(), 0, 0, POSIX_FADV_SEQUENTIAL);
  return unpacked(std::make_unique<Input>([file](std::span<char> into) { return file->read(into); }, size, name));
}

std::unique_ptr<Input> Input::from_memory(std::span<const char> bytes, const std::string& name) {
  return unpacked(std::make_unique<Input>(source_of(std::as_bytes(bytes)), bytes.size(), name));
}

Input::Input(ByteSource source, std::optional<std::uint64_t> plain_size, const std::string& name)
    : source_(std::move(source)), plain_size_(plain_size), name_(name), head_(kHeadBytes) {
  head_.resize(read_fully(source_, head_));
}

std::size_t Input::read(std::span<char> into) {
  const std::size_t from_head = std::min(into.size(), head_.size() - used_);
  if (from_head > 0) std::memcpy(into.data(), head_.data() + used_, from_head);
  used_ += from_head;
  return from_head + read_fully(source_, into.subspan(from_head));
}

bool is_mappable(const Input& input) { return input.plain_size().has_value() && input.name() != "standard input"; }

Array<char> read_all(Input& input) {
  GrowBuffer<char> bytes;
  for (;;) {
    const Index before = bytes.size();
    require_memory(static_cast<double>(before), input.name());
    bytes.resize(before + kBlockBytes);
    const std::size_t got = input.read({bytes.data() + before, at(kBlockBytes)});
    bytes.resize(before + static_cast<Index>(got));
    if (got == 0) return std::move(bytes).finish();
  }
}

ByteSource source_of(Input& input) {
  return [&input](std::span<char> into) { return input.read(into); };
}

ByteSource source_of(std::span<const std::byte> bytes) {
  return [bytes](std::span<char> into) mutable {
    const std::size_t count = std::min(into.size(), bytes.size());
    if (count > 0) std::memcpy(into.data(), bytes.data(), count);
    bytes = bytes.subspan(count);
    return count;
  };
}

std::size_t read_fully(const ByteSource& source, std::span<char> into) {
  std::size_t done = 0;
  while (done < into.size()) {
    const std::size_t got = source(into.subspan(done));
    if (got == 0) break;
    done += got;
  }
  return done;
}

void expect_end(const ByteSource& source, const std::string& name) {
  char byte;
  if (source({&byte, 1}) > 0)
    throw Error({name}, "more bytes than its header says", "the end of the data", "the header or the file is wrong");
}

}  // namespace s3gd
