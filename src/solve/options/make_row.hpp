// Lines of the table of options by the type of their member.
#pragma once

#include <fmt/core.h>

#include <charconv>
#include <cmath>

#include "base/mention.hpp"
#include "problem/names.hpp"
#include "s3gd/error.hpp"
#include "solve/options/table.hpp"

namespace s3gd {

// The parts of the table.
std::vector<OptionRow> reading_rows();
std::vector<OptionRow> problem_rows();
std::vector<OptionRow> solver_rows();
std::vector<OptionRow> run_rows();  // when it stops, what it keeps, what it tells

using V = OptionValues;
template <class T>
using Member = std::function<T&(V&)>;

template <class T>
const T& value_of(const Member<T>& member, const V& values) {
  return member(const_cast<V&>(values));  // NOLINT: read only
}

// What a number may be.
struct Range {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool open = false;  // larger than the least, not equal

  bool holds(double value) const {
    return std::isfinite(value) && (open ? value > least : value >= least) && value <= most;
  }
  std::string text(const std::string& kind) const {
    if (std::isinf(least)) return "a " + kind;
    if (open && std::isinf(most)) return fmt::format("a {} greater than {:g}", kind, least);
    return fmt::format("a {} from {:g}{}", kind, least, std::isinf(most) ? " up" : fmt::format(" to {:g}", most));
  }
};

template <class T>
void hold(OptionRow& row, Member<T> member) {
  row.copy = [member](V& to, const V& from) { member(to) = value_of(member, from); };
}

[[noreturn]] inline void refuse_value(const std::string& name, const std::string& text, const std::string& expected) {
  throw Error(ErrorCode::bad_value, name, "found '" + text.substr(0, 60) + "', expected " + expected);
}

template <class T>
T parse_number(const std::string& name, std::string_view text, const Range& range, const std::string& expected) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !range.holds(static_cast<double>(value)))
    refuse_value(name, std::string(text), expected);
  return value;
}

// Index, std::uint64_t or double.
template <class T>
OptionRow number_row(OptionRow row, Member<T> member, Range range = {}) {
  const bool whole = !std::is_same_v<T, double>;
  if (row.takes.empty()) row.takes = whole ? "N" : "X";
  row.expects = range.text(whole ? "whole number" : "number");
  hold(row, member);
  row.get = [member](const V& values) { return fmt::format("{}", value_of(member, values)); };
  row.set = [member, range, name = row.name, expected = row.expects](V& values, const std::string& text) {
    member(values) = parse_number<T>(name, text, range, expected);
  };
  return row;
}

inline OptionRow flag_row(OptionRow row, Member<bool> member) {
  hold(row, member);
  row.expects = "true or false";
  row.get = [member](const V& values) { return value_of(member, values) ? "true" : "false"; };
  row.set = [member, name = row.name](V& values, const std::string& text) {
    if (text != "true" && text != "yes" && text != "false" && text != "no" && !text.empty())
      refuse_value(name, text, "true or false");
    member(values) = text.empty() || text == "true" || text == "yes";
  };
  return row;
}

inline OptionRow text_row(OptionRow row, Member<std::string> member) {
  hold(row, member);
  row.get = [member](const V& values) { return value_of(member, values); };
  row.set = [member](V& values, const std::string& text) { member(values) = text; };
  return row;
}

// One of the names of problem/names.hpp.
template <class E>
OptionRow name_row(OptionRow row, Member<E> member) {
  row.takes = "NAME";
  row.choices = all_names<E>();
  hold(row, member);
  row.get = [member](const V& values) { return name_of(value_of(member, values)); };
  row.set = [member, name = row.name](V& values, const std::string& text) {
    member(values) = parse_name<E>(name, text);
  };
  return row;
}

}  // namespace s3gd
