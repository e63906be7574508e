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

struct JsonMember;

class Json {
 public:
  Json() = default;
  Json(std::nullptr_t) {}
  template <std::same_as<bool> T>  // nothing that only converts to it, as a pointer does
  Json(T value) : kind_(Kind::boolean) {
    value_.boolean = value;
  }
  template <std::signed_integral T>
  Json(T value) : kind_(Kind::integer) {
    value_.integer = value;
  }
  template <std::unsigned_integral T>
    requires(!std::same_as<T, bool>)
  Json(T value) : kind_(Kind::count) {
    value_.count = value;
  }
  Json(double value) : kind_(Kind::real) { value_.real = value; }
  Json(std::string value);
  Json(std::string_view value);
  Json(const char* value);
  Json(std::initializer_list<Json> values);
  template <typename T>
  Json(const std::vector<T>& values) : Json(array()) {
    for (const T& value : values) push_back(value);
  }
  Json(const Json& other);
  Json(Json&& other) noexcept : kind_(other.kind_), value_(other.value_) { other.kind_ = Kind::null; }
  Json& operator=(Json other) noexcept;
  ~Json() { clear(); }

  static Json array();
  static Json object();
  // Throws a JsonParseError.
  static Json parse(std::string_view text);
  static Json parse_with_comments(std::string_view text);
  static Json parse_file(const std::string& path);  // one that cannot be opened is an empty text

  bool is_null() const { return kind_ == Kind::null; }
  bool is_boolean() const { return kind_ == Kind::boolean; }
  bool is_number() const { return is_integer() || kind_ == Kind::real; }
  bool is_integer() const { return kind_ == Kind::integer || is_count(); }
  bool is_count() const { return kind_ == Kind::count; }  // a whole number of no less than 0, where it was read
  bool is_string() const { return kind_ == Kind::text; }
  bool is_array() const { return kind_ == Kind::array; }
  bool is_object() const { return kind_ == Kind::object; }

  // bool, int, Index, std::uint64_t, double, std::string, std::vector of double or std::string.
  template <typename T>
  T get() const;

  // Of a list. What is null becomes one when something is added to it.
  void push_back(Json value);
  Json& back();
  const Json& back() const;
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
  enum class Kind : std::uint8_t { null, boolean, integer, count, real, text, array, object };

  void clear();
  [[noreturn]] void is_no(const char* expected) const;
  friend struct JsonWriter;

  Kind kind_ = Kind::null;
  union {
    bool boolean;
    std::int64_t integer;
    std::uint64_t count;
    double real;
    std::string* text;
    std::vector<Json>* list;
    std::vector<JsonMember>* members;
  } value_ = {};
};

struct JsonMember {
  std::string key;
  Json value;
};

// clang-format off
template <> bool Json::get() const;
template <> int Json::get() const;
template <> std::int64_t Json::get() const;
template <> std::uint64_t Json::get() const;
template <> double Json::get() const;
template <> std::string Json::get() const;
template <> Json Json::get() const;
template <> std::vector<double> Json::get() const;
template <> std::vector<std::string> Json::get() const;
// clang-format on

}  // namespace s3gd
