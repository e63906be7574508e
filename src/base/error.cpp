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

Error::Error(const std::string& problem, const std::string& hint)
    : std::runtime_error(with_hint(problem, hint)), hint_(hint) {}

Error::Error(const Place& place, const std::string& found, const std::string& expected, const std::string& hint)
    : std::runtime_error(with_hint(describe(place, found, expected), hint)), place_(place), hint_(hint) {}

}  // namespace s3gd
