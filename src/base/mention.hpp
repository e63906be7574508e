// Marks for sentences (s3gd/words.hpp): "leave " + opt("inner") + " out", "give a " + smaller("lambda").
#pragma once

#include "s3gd/words.hpp"

namespace s3gd {

inline std::string opt(std::string_view name, std::string_view value = {}) {
  return marked({Mention::Kind::option, name, value});
}
inline std::string smaller(std::string_view name) { return marked({Mention::Kind::smaller, name, {}}); }
inline std::string larger(std::string_view name) { return marked({Mention::Kind::larger, name, {}}); }
inline std::string fewer(std::string_view name) { return marked({Mention::Kind::fewer, name, {}}); }
inline std::string more(std::string_view name) { return marked({Mention::Kind::more, name, {}}); }
inline std::string class_mark(std::string_view name) { return marked({Mention::Kind::class_name, name, {}}); }

}  // namespace s3gd
