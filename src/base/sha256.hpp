// SHA-256 of bytes and files, as lower-case hex.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace s3gd {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::span<const char> bytes);
  std::string hex();  // ends the sum: nothing may be added after it

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256_of_file(const std::string& path);

}  // namespace s3gd
