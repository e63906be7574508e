// GrowBuffer: an array that grows without ever holding two copies of itself.
//
// Large files are parsed into arrays whose final size is not known. A std::vector would copy on growth and peak at
// three times the data; here the pages are moved (mremap), so memory peaks at the data itself.
#pragma once

#include <cstring>
#include <type_traits>

#include "s3gd/matrix.hpp"

namespace s3gd {

// Untyped part: a private anonymous mapping.
class Pages {
 public:
  Pages() = default;
  explicit Pages(std::size_t bytes) { resize(bytes); }
  Pages(Pages&& other) noexcept : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Pages& operator=(Pages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages();

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  void resize(std::size_t bytes);  // rounded up to whole pages; keeps the contents, new pages are zero; throws Error

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

template <class T>
class GrowBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  T* data() { return static_cast<T*>(pages_.data()); }
  const T* data() const { return static_cast<const T*>(pages_.data()); }
  Index size() const { return size_; }
  std::span<T> span() { return {data(), static_cast<std::size_t>(size_)}; }
  T& operator[](Index i) { return data()[i]; }
  const T& operator[](Index i) const { return data()[i]; }
  T& back() { return data()[size_ - 1]; }

  void reserve(Index capacity) {
    const auto bytes = static_cast<std::size_t>(capacity) * sizeof(T);
    if (bytes > pages_.bytes()) pages_.resize(std::max(bytes, pages_.bytes() + pages_.bytes() / 2));
  }
  void resize(Index size) {  // new elements are zero unless the buffer was shrunk before
    reserve(size);
    size_ = size;
  }
  void push_back(T value) {
    reserve(size_ + 1);
    data()[size_++] = value;
  }
  void append(std::span<const T> values) {
    if (values.empty()) return;
    const Index at = size_;
    resize(size_ + static_cast<Index>(values.size()));
    std::memcpy(data() + at, values.data(), values.size_bytes());
  }
  // Gives the contents away, trimmed to size.
  Array<T> finish() && {
    pages_.resize(static_cast<std::size_t>(size_) * sizeof(T));
    auto kept = std::make_shared<const Pages>(std::move(pages_));
    const auto size = static_cast<std::size_t>(std::exchange(size_, 0));
    return Array<T>(std::span<const T>(static_cast<const T*>(kept->data()), size), kept);
  }

 private:
  Pages pages_;
  Index size_ = 0;
};

}  // namespace s3gd
