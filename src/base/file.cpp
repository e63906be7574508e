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

#include "s3gd/error.hpp"

namespace s3gd {
namespace {

constexpr mode_t kPermissions = 0777;
constexpr int kMostLinks = 40;  // as the system's own limit

void sync_to_disk(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw_file_error("write", path, errno);
  const bool ok = fsync(fd) == 0;
  const int error_number = errno;
  close(fd);
  if (!ok) throw_file_error("write", path, error_number);
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

MappedFile::MappedFile(const std::string& path) : path_(path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) throw_file_error("open", path, errno);
  struct stat info {};
  int failure = fstat(fd, &info) == 0 ? 0 : errno;
  if (failure == 0 && S_ISDIR(info.st_mode)) failure = EISDIR;
  if (failure == 0 && info.st_size > 0) {
    size_ = static_cast<std::size_t>(info.st_size);
    data_ = mmap(nullptr, size_, PROT_READ, MAP_SHARED, fd, 0);
    if (data_ == MAP_FAILED) failure = errno;
  }
  close(fd);
  if (failure != 0) {
    data_ = nullptr;
    throw_file_error("read", path, failure);
  }
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
