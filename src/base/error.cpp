#include "s3gd/error.hpp"

namespace s3gd {
namespace {

std::string with_hint(std::string text, const std::string& hint) {
  if (!hint.empty()) text += " (" + hint + ")";
  return text;
}

std::string describe(const Place& place, const std::string& found, const std::string& expected) {
  std::string text = place.file;
  if (place.line > 0) text += ":" + std::to_string(place.line);
  if (place.column > 0) text += ":" + std::to_string(place.column);
  if (!text.empty()) text += ": ";
  text += "found " + found;
  if (!expected.empty()) text += ", expected " + expected;
  return text;
}

}  // namespace

const char* name_of(ErrorCode code) {
  constexpr const char* kNames[] = {"bad_input", "bad_value", "idle_option", "do_not_go", "missing_option"};
  return kNames[static_cast<int>(code)];
}

Error::Error(const std::string& problem, const std::string& hint) : Error(ErrorCode::bad_input, {}, problem, hint) {}

Error::Error(ErrorCode code, std::string option, const std::string& problem, const std::string& hint)
    : std::runtime_error(s3gd::in_words(with_hint(problem, hint))),
      code_(code),
      option_(std::move(option)),
      hint_(s3gd::in_words(hint)),
      marked_(with_hint(problem, hint)) {}

Error::Error(const Place& place, const std::string& found, const std::string& expected, const std::string& hint)
    : Error(ErrorCode::bad_input, {}, describe(place, found, expected), hint) {
  place_ = place;
}

Error Error::within(const std::string& where) const {
  Error error(code_, option_, where + ": " + marked_);
  error.place_ = place_;
  error.hint_ = hint_;
  return error;
}

}  // namespace s3gd
