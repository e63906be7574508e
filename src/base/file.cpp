#include "base/file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/interrupt.hpp"

namespace s3gd {
namespace {

constexpr mode_t kPermissions = 0777;
constexpr int kMostLinks = 40;  // as the system's own limit

void sync_to_disk(const std::string& path) {
  const OpenFile file(open(path.c_str(), O_RDONLY | O_CLOEXEC), path, "write");
  if (fsync(file.descriptor()) != 0) throw_file_error("write", path, errno);
}

// Where a path leads, also when nothing is there yet: renaming over a symbolic link would replace the link.
std::string follow_links(const std::string& path) {
  std::filesystem::path at = path;
  std::error_code ignored;
  for (int followed = 0; std::filesystem::is_symlink(at, ignored); ++followed) {
    if (followed == kMostLinks) throw_file_error("write", path, ELOOP);
    at = at.parent_path() / std::filesystem::read_symlink(at, ignored);  // an absolute one stands for itself
  }
  return at.string();
}

// name: what the user calls it.
void write_stream(const std::string& path, const std::string& name, const std::function<void(std::ostream&)>& fill) {
  errno = 0;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (!out) throw_file_error("write", name, errno);
  fill(out);
  out.close();
  if (!out) throw_file_error("write", name, errno != 0 ? errno : EIO);
}

}  // namespace

void throw_file_error(const std::string& action, const std::string& path, int error_number) {
  std::string hint;
  if (error_number == ENOENT) hint = "check the path";
  if (error_number == EACCES) hint = "check its permissions";
  throw Error(ErrorCode::unusable_file, {}, "cannot " + action + " " + path + ": " + std::strerror(error_number), hint);
}

bool file_exists(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0;
}

void write_bytes(std::ostream& out, std::span<const std::byte> bytes) {
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

OpenFile::OpenFile(int descriptor, const std::string& name, const char* action) : descriptor_(descriptor), name_(name) {
  if (descriptor < 0) throw_file_error(action, name, errno);
}

OpenFile::~OpenFile() { close(descriptor_); }

std::optional<std::uint64_t> OpenFile::regular_size() const {
  struct stat info {};
  if (fstat(descriptor_, &info) != 0) throw_file_error("read", name_, errno);
  if (S_ISDIR(info.st_mode)) throw_file_error("read", name_, EISDIR);
  if (!S_ISREG(info.st_mode)) return std::nullopt;
  return static_cast<std::uint64_t>(info.st_size);
}

std::size_t OpenFile::read(std::span<char> into) {
  for (;;) {
    const auto count = ::read(descriptor_, into.data(), into.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) throw_file_error("read", name_, errno);
    if (interrupted()) throw Interrupted("reading " + name_ + " was interrupted");
  }
}

bool OpenFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

MappedFile::MappedFile(const std::string& path) : path_(path) {
  const OpenFile file(open(path.c_str(), O_RDONLY | O_CLOEXEC), path, "open");
  size_ = static_cast<std::size_t>(file.regular_size().value_or(0));
  if (size_ == 0) return;
  void* const data = mmap(nullptr, size_, PROT_READ, MAP_SHARED, file.descriptor(), 0);
  if (data == MAP_FAILED) throw_file_error("read", path, errno);
  data_ = data;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(data_, size_);
}

void write_atomically(const std::string& path, const std::function<void(std::ostream&)>& fill) {
  struct stat info {};
  const bool exists = stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) throw_file_error("write", path, EISDIR);
  if (exists && !S_ISREG(info.st_mode)) return write_stream(path, path, fill);

  static std::atomic<unsigned> counter{0};
  const std::string target = follow_links(path);
  const std::string temporary = target + ".tmp" + std::to_string(getpid()) + "." + std::to_string(counter.fetch_add(1));
  try {
    write_stream(temporary, path, fill);
    if (exists && chmod(temporary.c_str(), info.st_mode & kPermissions) != 0) throw_file_error("write", path, errno);
    sync_to_disk(temporary);
    if (std::rename(temporary.c_str(), target.c_str()) != 0) throw_file_error("write", path, errno);
  } catch (...) {
    std::remove(temporary.c_str());
    throw;
  }
}

}  // namespace s3gd
