// A download under way: PATH.part holds what came so far, PATH.part.tag the server's name (ETag, or date) of the
// version it is a part of, so that pieces of two versions are never joined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace s3gd {

class PartFile {
 public:
  explicit PartFile(const std::string& path);
  ~PartFile();
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  const std::string& path() const { return part_path_; }
  const std::string& tag() const { return tag_; }
  void set_tag(const std::string& tag);

  std::uint64_t size() const;
  bool append(std::span<const char> bytes);  // false: errno says why
  bool clear();                              // ditto
  void remove() const;
  void finish() const;  // the part becomes PATH; throws Error

 private:
  std::string path_, part_path_, tag_path_, tag_;
  int fd_ = -1;
};

}  // namespace s3gd
