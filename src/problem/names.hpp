// How choices are written: the one table of names, values and one-line summaries behind option parsing, listings,
// run.json and saved models. names<E>() is there for the enums of names.cpp.
#pragma once

#include <span>
#include <string_view>

#include "s3gd/dataset.hpp"
#include "s3gd/graph.hpp"
#include "s3gd/problem.hpp"
#include "s3gd/scale.hpp"
#include "s3gd/solve.hpp"

namespace s3gd {

template <class E>
struct Name {
  E value;
  std::string_view name, summary;
};

template <class E>
std::span<const Name<E>> names();

template <class E>
std::string name_of(E value) {
  for (const auto& entry : names<E>())
    if (entry.value == value) return std::string(entry.name);
  return {};
}

template <class E>
std::vector<std::string> all_names() {
  std::vector<std::string> list;
  for (const auto& entry : names<E>()) list.emplace_back(entry.name);
  return list;
}

// Throws Error("unknown WHAT 'word'") with the nearest name as its hint.
[[noreturn]] void throw_unknown_name(std::string_view what, std::string_view word,
                                     std::span<const std::string> candidates);

template <class E>
E parse_name(std::string_view what, std::string_view word) {
  for (const auto& entry : names<E>())
    if (entry.name == word) return entry.value;
  throw_unknown_name(what, word, all_names<E>());
}

// Penalties as people write them: a name, or several joined by +, as in "l1+l2".

// `common`: lambda, alpha and factors of every term. Throws an Error with the nearest name where one is not known.
PenaltySpec penalty_in_words(std::string_view words, const PenaltySpec& common);

}  // namespace s3gd
