// How choices are written: the one table of names, values and one-line summaries behind option parsing, listings,
// run.json and saved models. names<E>() is specialised in names.cpp for every enum below.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "s3gd/dataset.hpp"
#include "s3gd/graph.hpp"
#include "s3gd/problem.hpp"
#include "s3gd/scale.hpp"
#include "s3gd/solve.hpp"

namespace s3gd {

template <class E>
struct Name {
  E value;
  std::string_view name;
  std::string_view summary;
};

template <class E>
std::span<const Name<E>> names();
template <>
std::span<const Name<LossKind>> names();
template <>
std::span<const Name<PenaltyKind>> names();
template <>
std::span<const Name<Intercept>> names();
template <>
std::span<const Name<ClassWeight>> names();
template <>
std::span<const Name<Scale>> names();
template <>
std::span<const Name<Kernel>> names();
template <>
std::span<const Name<GraphMode>> names();
template <>
std::span<const Name<ControlMode>> names();
template <>
std::span<const Name<RowOrder>> names();
template <>
std::span<const Name<Precision>> names();
template <>
std::span<const Name<Layout>> names();
template <>
std::span<const Name<LabelKind>> names();
template <>
std::span<const Name<Missing>> names();
template <>
std::span<const Name<IndexBase>> names();
template <>
std::span<const Name<IndexOrder>> names();

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

}  // namespace s3gd
