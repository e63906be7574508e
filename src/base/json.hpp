// A JSON value: null, truth, number, text, list, or object with its keys in the order they were given.
//
// The reading and writing of text is nlohmann's, kept in json_text.cpp: its header takes longer to compile than most of our files.
// Numbers, escapes and errors of the text are therefore its own.
//
//   const Json json{{"status", name}, {"gap", 0.5}, {"stages", Json::array()}};    json.at("gap").get<double>()
//
// A list in braces is an object where each of its elements is a pair that starts with a text.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace s3gd {

// A text that is no JSON, a value of another kind than asked for, or a key that is not there.
struct JsonError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct JsonParseError : JsonError {
  JsonParseError(const std::string& what, std::size_t place) : JsonError(what), byte(place) {}
  std::size_t byte;  // from 1
};

// A template, so that a Json can hold a list of members, each of which holds a Json.
template <class Value>
struct KeyAnd {
  std::string key;
  Value value;
  friend bool operator==(const KeyAnd&, const KeyAnd&) = default;
};
class Json;
using JsonMember = KeyAnd<Json>;

class Json {
 public:
  Json() = default;
  Json(std::nullptr_t) {}
  template <std::same_as<bool> T>  // nothing that only converts to it, as a pointer does
  Json(T value) : value_(value) {}
  template <std::signed_integral T>
  Json(T value) : value_(std::int64_t{value}) {}
  template <std::unsigned_integral T>
    requires(!std::same_as<T, bool>)
  Json(T value) : value_(std::uint64_t{value}) {}
  Json(double value) : value_(value) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(std::string_view value) : Json(std::string(value)) {}
  Json(const char* value) : Json(std::string(value)) {}
  Json(std::initializer_list<Json> values);
  template <typename T>
  Json(const std::vector<T>& values) : value_(List(values.begin(), values.end())) {}

  static Json array();
  static Json object();
  // Throws a JsonParseError.
  static Json parse(std::string_view text);
  static Json parse_with_comments(std::string_view text);
  static Json parse_file(const std::string& path);  // one that cannot be opened is an empty text

  bool is_null() const { return is<std::monostate>(); }
  bool is_boolean() const { return is<bool>(); }
  bool is_number() const { return is_integer() || is<double>(); }
  bool is_integer() const { return is<std::int64_t>() || is_count(); }
  bool is_count() const { return is<std::uint64_t>(); }  // a whole number of no less than 0, where it was read
  bool is_string() const { return is<std::string>(); }
  bool is_array() const { return is<List>(); }
  bool is_object() const { return is<Members>(); }

  // bool, a number, std::string, or a std::vector of what get() gives.
  template <typename T>
  T get() const {
    if constexpr (std::same_as<T, Json>) {
      return *this;
    } else if constexpr (std::same_as<T, bool>) {
      return held<bool>("true or false");
    } else if constexpr (std::same_as<T, std::string>) {
      return held<std::string>("a text");
    } else if constexpr (std::integral<T> || std::same_as<T, double>) {
      if (const auto* count = std::get_if<std::uint64_t>(&value_)) return static_cast<T>(*count);
      if (const auto* integer = std::get_if<std::int64_t>(&value_)) return static_cast<T>(*integer);
      using Cut = std::conditional_t<std::integral<T>, std::int64_t, double>;
      return static_cast<T>(static_cast<Cut>(held<double>("a number")));
    } else {
      T values;
      for (const Json& value : *this) values.push_back(value.get<typename T::value_type>());
      return values;
    }
  }

  // Of a list. What is null becomes one when something is added to it.
  void push_back(Json value);
  const Json& back() const;
  Json& back() { return const_cast<Json&>(std::as_const(*this).back()); }
  const Json* begin() const;  // none but those of a list
  const Json* end() const;
  const Json& operator[](std::size_t place) const;
  std::size_t size() const;  // also of an object
  bool empty() const { return size() == 0; }

  // Of an object, which what is null becomes when it is changed.
  Json& operator[](std::string_view key);  // null where there was none
  const Json& operator[](std::string_view key) const { return at(key); }
  const Json& at(std::string_view key) const;
  const Json* find(std::string_view key) const;  // null where it is not there
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  template <typename T>
  T value(std::string_view key, T otherwise) const {
    if (!is_object()) is_no("an object");
    const Json* found = find(key);
    return found ? found->get<T>() : otherwise;
  }
  std::string value(std::string_view key, const char* otherwise) const { return value<std::string>(key, otherwise); }
  void update(const Json& other);  // its members replace those of the same key
  std::span<const JsonMember> items() const;

  // All keys, also of what it holds, in the order of the alphabet.
  Json sorted() const;

  // On one line, or with `indent` blanks for each level. Throws a JsonError where a text is not UTF-8, which `repaired`
  // replaces by U+FFFD.
  std::string dump(int indent = -1) const;
  std::string dump_repaired(int indent = -1, bool ascii_only = false) const;

  // Numbers by value, whatever their kind.
  friend bool operator==(const Json& a, const Json& b);

 private:
  using List = std::vector<Json>;
  using Members = std::vector<JsonMember>;

  template <typename T>
  bool is() const {
    return std::holds_alternative<T>(value_);
  }
  template <typename T>
  const T& held(const char* expected) const {
    if (const T* value = std::get_if<T>(&value_)) return *value;
    is_no(expected);
  }
  [[noreturn]] void is_no(const char* expected) const;
  friend struct JsonWriter;

  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, List, Members> value_;
};

}  // namespace s3gd
