#include "base/json.hpp"

#include <algorithm>
#include <utility>

namespace s3gd {

Json::Json(std::string value) : kind_(Kind::text) { value_.text = new std::string(std::move(value)); }
Json::Json(std::string_view value) : Json(std::string(value)) {}
Json::Json(const char* value) : Json(std::string(value)) {}

Json::Json(std::initializer_list<Json> values) {
  const bool pairs = std::all_of(values.begin(), values.end(), [](const Json& value) {
    return value.is_array() && value.size() == 2 && value[0].is_string();
  });
  *this = pairs ? object() : array();
  for (const Json& value : values) pairs ? void((*this)[*value[0].value_.text] = value[1]) : push_back(value);
}

Json::Json(const Json& other) : kind_(other.kind_), value_(other.value_) {
  if (kind_ == Kind::text) value_.text = new std::string(*other.value_.text);
  if (kind_ == Kind::array) value_.list = new std::vector<Json>(*other.value_.list);
  if (kind_ == Kind::object) value_.members = new std::vector<JsonMember>(*other.value_.members);
}

Json& Json::operator=(Json other) noexcept {
  std::swap(kind_, other.kind_);
  std::swap(value_, other.value_);
  return *this;
}

void Json::clear() {
  if (kind_ == Kind::text) delete value_.text;
  if (kind_ == Kind::array) delete value_.list;
  if (kind_ == Kind::object) delete value_.members;
  kind_ = Kind::null;
}

Json Json::array() {
  Json json;
  json.value_.list = new std::vector<Json>;
  json.kind_ = Kind::array;
  return json;
}

Json Json::object() {
  Json json;
  json.value_.members = new std::vector<JsonMember>;
  json.kind_ = Kind::object;
  return json;
}

void Json::is_no(const char* expected) const {
  constexpr const char* kNames[] = {"null",     "true or false", "a number", "a number",
                                    "a number", "a text",        "a list",   "an object"};
  throw JsonError(std::string(kNames[static_cast<int>(kind_)]) + " where " + expected + " should be");
}

template <>
bool Json::get() const {
  if (kind_ != Kind::boolean) is_no("true or false");
  return value_.boolean;
}

namespace {

template <typename T>
std::vector<T> list_of(const Json& json) {
  std::vector<T> values;
  for (const Json& value : json) values.push_back(value.get<T>());
  return values;
}

}  // namespace

template <>
double Json::get() const {
  if (kind_ == Kind::integer) return static_cast<double>(value_.integer);
  if (kind_ == Kind::count) return static_cast<double>(value_.count);
  if (kind_ != Kind::real) is_no("a number");
  return value_.real;
}

template <>
std::int64_t Json::get() const {
  if (kind_ == Kind::integer) return value_.integer;
  return kind_ == Kind::count ? static_cast<std::int64_t>(value_.count) : static_cast<std::int64_t>(get<double>());
}

template <>
std::uint64_t Json::get() const {
  return kind_ == Kind::count ? value_.count : static_cast<std::uint64_t>(get<std::int64_t>());
}

template <>
int Json::get() const {
  return static_cast<int>(get<std::int64_t>());
}

template <>
std::string Json::get() const {
  if (kind_ != Kind::text) is_no("a text");
  return *value_.text;
}

template <>
Json Json::get() const {
  return *this;
}

template <>
std::vector<double> Json::get() const {
  return list_of<double>(*this);
}

template <>
std::vector<std::string> Json::get() const {
  return list_of<std::string>(*this);
}

void Json::push_back(Json value) {
  if (kind_ == Kind::null) *this = array();
  if (kind_ != Kind::array) is_no("a list");
  value_.list->push_back(std::move(value));
}

const Json& Json::back() const {
  if (kind_ != Kind::array || value_.list->empty()) is_no("a list with an element");
  return value_.list->back();
}

Json& Json::back() { return const_cast<Json&>(std::as_const(*this).back()); }

const Json* Json::begin() const {
  if (kind_ == Kind::null) return nullptr;
  if (kind_ != Kind::array) is_no("a list");
  return value_.list->data();
}

const Json& Json::operator[](std::size_t place) const {
  const Json* first = begin();
  if (place >= size())
    throw JsonError("a list of " + std::to_string(size()) + " without an element " + std::to_string(place));
  return first[place];
}

const Json* Json::end() const { return kind_ == Kind::null ? nullptr : begin() + value_.list->size(); }

std::size_t Json::size() const {
  if (kind_ == Kind::array) return value_.list->size();
  if (kind_ == Kind::object) return value_.members->size();
  return kind_ == Kind::null ? 0 : 1;
}

const Json* Json::find(std::string_view key) const {
  if (kind_ != Kind::object) return nullptr;
  for (const JsonMember& member : *value_.members)
    if (member.key == key) return &member.value;
  return nullptr;
}

const Json& Json::at(std::string_view key) const {
  if (kind_ != Kind::object) is_no("an object");
  if (const Json* found = find(key)) return *found;
  throw JsonError("no '" + std::string(key) + "'");
}

Json& Json::operator[](std::string_view key) {
  if (kind_ == Kind::null) *this = object();
  if (kind_ != Kind::object) is_no("an object");
  if (const Json* found = find(key)) return const_cast<Json&>(*found);
  value_.members->push_back({std::string(key), {}});
  return value_.members->back().value;
}

void Json::update(const Json& other) {
  for (const auto& [key, value] : other.items()) (*this)[key] = value;
}

std::span<const JsonMember> Json::items() const {
  if (kind_ == Kind::null) return {};
  if (kind_ != Kind::object) is_no("an object");
  return *value_.members;
}

Json Json::sorted() const {
  Json copy = *this;
  if (kind_ == Kind::array)
    for (Json& value : *copy.value_.list) value = value.sorted();
  if (kind_ == Kind::object) {
    for (JsonMember& member : *copy.value_.members) member.value = member.value.sorted();
    std::stable_sort(copy.value_.members->begin(), copy.value_.members->end(),
                     [](const JsonMember& a, const JsonMember& b) { return a.key < b.key; });
  }
  return copy;
}

bool operator==(const Json& a, const Json& b) {
  using Kind = Json::Kind;
  if (a.is_number() && b.is_number()) {
    if (a.kind_ == Kind::real || b.kind_ == Kind::real) return a.get<double>() == b.get<double>();
    return a.get<std::int64_t>() == b.get<std::int64_t>();
  }
  if (a.kind_ != b.kind_) return false;
  if (a.kind_ == Kind::boolean) return a.value_.boolean == b.value_.boolean;
  if (a.kind_ == Kind::text) return *a.value_.text == *b.value_.text;
  if (a.kind_ == Kind::array) return *a.value_.list == *b.value_.list;
  const auto same = [](const JsonMember& x, const JsonMember& y) { return x.key == y.key && x.value == y.value; };
  return a.kind_ != Kind::object ||
         std::equal(a.items().begin(), a.items().end(), b.items().begin(), b.items().end(), same);
}

}  // namespace s3gd
