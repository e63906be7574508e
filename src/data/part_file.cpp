#include "data/part_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>

#include "base/file.hpp"

namespace s3gd {

PartFile::PartFile(const std::string& path) : path_(path), part_path_(path + ".part"), tag_path_(path + ".part.tag") {
  fd_ = open(part_path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd_ < 0) throw_file_error("write", part_path_, errno);
  std::ifstream in(tag_path_);
  std::getline(in, tag_);
}

PartFile::~PartFile() {
  if (size() == 0) remove();  // nothing came: nothing to go on from
  close(fd_);
}

void PartFile::set_tag(const std::string& tag) {
  if (tag == tag_) return;
  tag_ = tag;
  std::ofstream(tag_path_, std::ios::trunc) << tag << '\n';
}

std::uint64_t PartFile::size() const {
  struct stat info {};
  return fstat(fd_, &info) == 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
}

bool PartFile::append(std::span<const char> bytes) {
  if (lseek(fd_, 0, SEEK_END) < 0) return false;
  while (!bytes.empty()) {
    const ssize_t written = write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

bool PartFile::clear() { return ftruncate(fd_, 0) == 0; }

void PartFile::remove() const {
  std::remove(part_path_.c_str());
  std::remove(tag_path_.c_str());
}

void PartFile::finish() const {
  if (fsync(fd_) != 0 || std::rename(part_path_.c_str(), path_.c_str()) != 0) throw_file_error("write", path_, errno);
  std::remove(tag_path_.c_str());
}

}  // namespace s3gd
