#include "base/json.hpp"

#include <algorithm>

namespace s3gd {

Json::Json(std::initializer_list<Json> values) {
  const bool pairs = std::all_of(values.begin(), values.end(), [](const Json& value) {
    return value.is_array() && value.size() == 2 && value[0].is_string();
  });
  *this = pairs ? object() : array();
  for (const Json& value : values) pairs ? void((*this)[value[0].get<std::string>()] = value[1]) : push_back(value);
}

Json Json::array() {
  Json json;
  json.value_.emplace<List>();
  return json;
}

Json Json::object() {
  Json json;
  json.value_.emplace<Members>();
  return json;
}

void Json::is_no(const char* expected) const {
  constexpr const char* kNames[] = {"null",     "true or false", "a number", "a number",
                                    "a number", "a text",        "a list",   "an object"};
  throw JsonError(std::string(kNames[value_.index()]) + " where " + expected + " should be");
}

void Json::push_back(Json value) {
  if (is_null()) *this = array();
  if (!is_array()) is_no("a list");
  std::get<List>(value_).push_back(std::move(value));
}

const Json& Json::back() const {
  if (!is_array() || size() == 0) is_no("a list with an element");
  return std::get<List>(value_).back();
}

const Json* Json::begin() const { return is_null() ? nullptr : held<List>("a list").data(); }
const Json* Json::end() const { return is_null() ? nullptr : begin() + size(); }

const Json& Json::operator[](std::size_t place) const {
  const Json* first = begin();
  if (place >= size())
    throw JsonError("a list of " + std::to_string(size()) + " without an element " + std::to_string(place));
  return first[place];
}

std::size_t Json::size() const {
  if (is_array()) return std::get<List>(value_).size();
  if (is_object()) return std::get<Members>(value_).size();
  return is_null() ? 0 : 1;
}

const Json* Json::find(std::string_view key) const {
  if (!is_object()) return nullptr;
  for (const JsonMember& member : items())
    if (member.key == key) return &member.value;
  return nullptr;
}

const Json& Json::at(std::string_view key) const {
  if (!is_object()) is_no("an object");
  if (const Json* found = find(key)) return *found;
  throw JsonError("no '" + std::string(key) + "'");
}

Json& Json::operator[](std::string_view key) {
  if (is_null()) *this = object();
  if (!is_object()) is_no("an object");
  if (const Json* found = find(key)) return const_cast<Json&>(*found);
  return std::get<Members>(value_).emplace_back(JsonMember{std::string(key), {}}).value;
}

void Json::update(const Json& other) {
  for (const auto& [key, value] : other.items()) (*this)[key] = value;
}

std::span<const JsonMember> Json::items() const {
  if (is_null()) return {};
  return held<Members>("an object");
}

Json Json::sorted() const {
  Json copy = *this;
  if (auto* list = std::get_if<List>(&copy.value_))
    for (Json& value : *list) value = value.sorted();
  if (auto* members = std::get_if<Members>(&copy.value_)) {
    for (JsonMember& member : *members) member.value = member.value.sorted();
    std::ranges::stable_sort(*members, {}, &JsonMember::key);
  }
  return copy;
}

bool operator==(const Json& a, const Json& b) {
  if (!a.is_number() || !b.is_number()) return a.value_ == b.value_;
  if (a.is<double>() || b.is<double>()) return a.get<double>() == b.get<double>();
  return a.get<std::int64_t>() == b.get<std::int64_t>();
}

}  // namespace s3gd
