// A dict of options, read by name. What nobody asked for is a mistake of the user's: finish() says so.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <string>
#include <vector>

#include "problem/names.hpp"
#include "s3gd/error.hpp"

namespace s3gd::python {

namespace nb = nanobind;

class DictReader {
 public:
  DictReader(nb::dict dict, std::string what) : dict_(std::move(dict)), what_(std::move(what)) {}

  // Null where it is missing or None.
  nb::object get(const char* key) {
    known_.emplace_back(key);
    const nb::object found = nb::steal<nb::object>(PyObject_CallMethod(dict_.ptr(), "get", "s", key));
    if (!found.is_valid()) throw nb::python_error();
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

  // The name of a choice, with - or _ between its words.
  template <class E>
  void read_name(const char* key, E& value) {
    std::string word;
    read(key, word);
    if (!word.empty()) value = parse_name<E>(key, with_hyphens(std::move(word)));
  }

  void finish() const {
    for (const auto& [key, value] : dict_) {
      const std::string name = nb::cast<std::string>(key);
      if (std::find(known_.begin(), known_.end(), name) == known_.end())
        throw_unknown_name("key of " + what_, name, known_);
    }
  }

  static std::string with_underscores(std::string word) {
    std::replace(word.begin(), word.end(), '-', '_');
    return word;
  }
  static std::string with_hyphens(std::string word) {
    std::replace(word.begin(), word.end(), '_', '-');
    return word;
  }

 private:
  nb::dict dict_;
  std::string what_;
  std::vector<std::string> known_;
};

}  // namespace s3gd::python
