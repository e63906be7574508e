// Between Python and the library: arrays where they lie, options by name, and what the library has to say.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "problem/names.hpp"
#include "s3gd/error.hpp"
#include "s3gd/solve.hpp"

namespace s3gd::python {

namespace nb = nanobind;
using namespace nb::literals;

inline constexpr const char* kSee = "See _core.pyi.";  // what functions do, and their types

// A two-dimensional C-ordered array, or the tuple (data, indices, indptr, columns) of a CSR matrix; float32 or float64,
// int32 or int64. Nothing is copied but an int32 indptr. The Matrix borrows: `rows` must outlive it.
Matrix matrix_of(nb::handle rows);

// A one-dimensional array of float64 (or int64) without gaps, which must outlive it.
template <class T>
Array<T> vector_of(nb::handle values, const char* name);
// A copy of such an array, or of a list of numbers.
std::vector<double> numbers_of(nb::handle values, const char* name);

// An array over what `owner` keeps alive; read-only where T is const.
template <class T>
nb::object array_over(T* values, const std::vector<Index>& shape, std::shared_ptr<const void> owner) {
  auto kept = std::make_unique<std::shared_ptr<const void>>(std::move(owner));
  const nb::capsule capsule(kept.get(),
                            [](void* it) noexcept { delete static_cast<std::shared_ptr<const void>*>(it); });
  kept.release();
  const std::vector<std::size_t> sizes(shape.begin(), shape.end());
  return nb::ndarray<nb::numpy, T>(values, sizes.size(), sizes.data(), capsule).cast();
}

// A new array that owns what it is given; without a shape: one after the other.
template <class T>
nb::object array_from(std::vector<T> values, std::vector<Index> shape = {}) {
  if (shape.empty()) shape = {std::ssize(values)};
  const auto owner = std::make_shared<std::vector<T>>(std::move(values));
  return array_over(owner->data(), shape, owner);
}

std::string python_words(const Mention& mention);  // label_column='none'
nb::object text(const std::string& words);         // names come from files and need not be UTF-8
nb::object to_python(const Json& json);
nb::dict to_python(const TraceRow& row);
// One array for each column, a list for the stages.
nb::dict to_python(const std::vector<TraceRow>& trace);

inline std::string with_underscores(std::string word) {
  std::replace(word.begin(), word.end(), '-', '_');
  return word;
}
inline std::string with_hyphens(std::string word) {
  std::replace(word.begin(), word.end(), '_', '-');
  return word;
}

// A dict of options, read by name. What nobody asked for is a mistake of the user's: finish() says so.
class DictReader {
 public:
  DictReader(nb::dict dict, std::string what) : dict_(std::move(dict)), what_(std::move(what)) {}

  // Null where it is missing or None.
  nb::object get(const char* key) {
    known_.emplace_back(key);
    const nb::object found = dict_.get(key, nb::none());
    return found.is_none() ? nb::object() : found;
  }

  // Changes `value` where the key is there.
  template <class T>
  void read(const char* key, T& value) {
    const nb::object found = get(key);
    if (found.is_valid() && !nb::try_cast(found, value))
      throw Error(ErrorCode::bad_value, key,
                  what_ + "['" + key + "'] is " + nb::cast<std::string>(nb::repr(found)) + ", which does not fit");
  }

  void finish() const;

 private:
  nb::dict dict_;
  std::string what_;
  std::vector<std::string> known_;
};

}  // namespace s3gd::python
