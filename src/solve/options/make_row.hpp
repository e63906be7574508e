// Rows of the table of options by the type of the member they set.
#pragma once

#include <fmt/core.h>

#include <tuple>

#include "base/checksum.hpp"
#include "base/mention.hpp"
#include "problem/names.hpp"
#include "s3gd/error.hpp"
#include "solve/options/table.hpp"

namespace s3gd {

// The parts of the table.
std::vector<OptionRow> problem_rows();
std::vector<OptionRow> run_rows();      // solvers, when it stops, what it keeps, what it tells
std::vector<OptionRow> reading_rows();  // where rows come from, what becomes of them

using V = OptionValues;

inline constexpr Range kPositive{.least = 0, .open = true};

inline bool parse_flag(const std::string& name, const std::string& text) {
  if (text != "true" && text != "yes" && text != "false" && text != "no" && !text.empty())
    refuse_value(name, text, "true or false");
  return text.empty() || text == "true" || text == "yes";
}

// Where the structure of a member is among the values.
template <class S>
S& part(V& v) {
  return std::get<S&>(std::tie(v, v.load, v.problem, v.problem.loss, v.problem.penalty, v.solve, v.solve.graph));
}

template <class S, class T>
const T& value_of(const V& values, T S::*member) {
  return part<S>(const_cast<V&>(values)).*member;  // NOLINT: read only
}

// A flag, a text, one of the names of problem/names.hpp, a number; of a list of numbers, which files alone can say, its checksum.
template <class S, class T>
OptionRow row(const std::string& name, T S::*member, const std::string& help, const std::string& about,
              const OptionFacts& facts = {}, const Range& range = {}) {
  OptionRow made{facts, name, {}, help, about};
  made.copy = [member](V& to, const V& from) { part<S>(to).*member = value_of(from, member); };
  const auto with = [&](auto text_of, auto parse) {
    made.get = [member, text_of](const V& v) -> std::string { return text_of(value_of(v, member)); };
    made.set = [member, parse](V& v, const std::string& text) { part<S>(v).*member = parse(text); };
  };
  if constexpr (std::is_same_v<T, bool>) {
    made.expects = "true or false";
    with([](bool value) { return value ? "true" : "false"; },
         [name](const std::string& text) { return parse_flag(name, text); });
  } else if constexpr (std::is_same_v<T, std::string>) {
    with([](const T& value) { return value; }, [](const std::string& text) { return text; });
  } else if constexpr (std::is_enum_v<T>) {
    made.takes = "NAME";
    made.choices = all_names<T>();
    with([](T value) { return name_of(value); }, [name](const std::string& text) { return parse_name<T>(name, text); });
  } else if constexpr (std::is_arithmetic_v<T>) {
    made.range = range;
    made.range.whole = std::is_integral_v<T>;
    if (made.takes.empty()) made.takes = made.range.whole ? "N" : "X";
    made.expects = made.range.text();
    with([](T value) { return fmt::format("{}", value); },
         [name, range = made.range](const std::string& text) { return parse_number<T>(name, text, range); });
  } else {
    made.get = [member](const V& v) {
      const T& list = value_of(v, member);
      return list.empty() ? "" : fmt::format("{:016x}", checksum(std::as_bytes(std::span(list))));
    };
  }
  return made;
}

inline std::vector<OptionRow> in_group(const char* group, std::vector<OptionRow> rows) {
  for (OptionRow& row : rows) row.group = group;
  return rows;
}

}  // namespace s3gd
