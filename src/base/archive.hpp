// Archive: the state of something as bytes, and back. One list of fields serves both ways:
//
//     void state(Archive& a) { a(iteration_, w_, rng_); }
//
// writes the fields to an archive made without bytes, and sets them from one made of bytes. Fields are plain values
// (bit for bit), strings, vectors, GrowBuffers, and whatever has a state() of its own, as a member or beside it.
// Reading past the end, or leaving bytes over, is an Error: the bytes are those of something else.
#pragma once

#include "base/buffer.hpp"
#include "s3gd/error.hpp"

namespace s3gd {

class Archive {
 public:
  Archive() = default;
  explicit Archive(std::string bytes) : bytes_(std::move(bytes)), reading_(true) {}

  bool reading() const { return reading_; }
  const std::string& bytes() const { return bytes_; }

  template <class... Fields>
  void operator()(Fields&... fields) {
    (field(fields), ...);
  }

  void expect_end() const {
    if (at_ != bytes_.size()) refuse();
  }

 private:
  [[noreturn]] static void refuse() {
    throw Error(ErrorCode::other_run, {}, "the state that was kept is of another shape",
                "remove the checkpoint to begin anew");
  }

  void raw(void* data, std::size_t size) {
    if (!reading_) {
      bytes_.append(static_cast<const char*>(data), size);
    } else {
      if (size > bytes_.size() - at_) refuse();
      if (size > 0) std::memcpy(data, bytes_.data() + at_, size);
      at_ += size;
    }
  }

  // How many elements follow, none of them shorter than `least` bytes.
  std::size_t count(std::size_t now, std::size_t least) {
    auto number = static_cast<std::uint64_t>(now);
    raw(&number, sizeof number);
    if (reading_ && number > (bytes_.size() - at_) / least) refuse();
    return static_cast<std::size_t>(number);
  }

  template <class T>
  void field(T& value) {
    if constexpr (requires { value.state(*this); }) {
      value.state(*this);
    } else if constexpr (requires { state(*this, value); }) {
      state(*this, value);
    } else {
      static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>);
      raw(&value, sizeof value);
    }
  }

  void field(std::string& text) {
    text.resize(count(text.size(), 1));
    raw(text.data(), text.size());
  }

  template <class T>
  void field(std::vector<T>& values) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      values.resize(count(values.size(), sizeof(T)));
      raw(values.data(), values.size() * sizeof(T));
    } else {
      values.resize(count(values.size(), 1));
      for (T& value : values) field(value);
    }
  }

  template <class T>
  void field(GrowBuffer<T>& values) {
    values.resize(static_cast<Index>(count(static_cast<std::size_t>(values.size()), sizeof(T))));
    raw(values.data(), static_cast<std::size_t>(values.size()) * sizeof(T));
  }

  std::string bytes_;
  std::size_t at_ = 0;
  bool reading_ = false;
};

}  // namespace s3gd
