#include "data/csv_record.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "data/number.hpp"
#include "data/text_blocks.hpp"

namespace s3gd {
namespace {

const char* take_quoted(const char* open, const char* end, char separator, std::string& field) {
  const char* p = open + 1;
  for (;;) {
    const auto* quote = static_cast<const char*>(std::memchr(p, '"', static_cast<std::size_t>(end - p)));
    if (quote == nullptr) throw TextProblem{open, "a quote that is never closed", "a closing quote"};
    field.append(p, quote);
    p = quote + 1;
    if (*p != '"') break;
    field += '"';
    ++p;
  }
  const char* const behind = skip_pad(p, separator);
  if (*behind != separator && !ends_record(behind))
    throw TextProblem{behind, quote_token(behind, end), "a separator or the end of the line after the closing quote",
                      "a quote inside a quoted field is written twice"};
  return behind;
}

}  // namespace

const char* take_field(const char* p, const char* end, char separator, std::string& field) {
  field.clear();
  p = skip_pad(p, separator);
  if (*p == '"') return take_quoted(p, end, separator, field);
  const char* const begin = p;
  for (; *p != separator && !ends_record(p); ++p)
    if (*p == '"')
      throw TextProblem{p, "a quote inside an unquoted field", "quotes around the whole field",
                        "a quote inside a quoted field is written twice"};
  const char* stop = p;
  while (stop > begin && is_pad(stop[-1], separator)) --stop;
  field.assign(begin, stop);
  return p;
}

std::size_t take_record(std::string_view text, char separator, std::vector<std::string>& fields) {
  fields.clear();
  const char* p = text.data();
  const char* const end = p + text.size();
  for (;; ++p) {
    std::string field;
    p = take_field(p, end, separator, field);
    fields.push_back(std::move(field));
    if (*p != separator) break;
  }
  p += *p == '\r' ? 2 : 1;
  return static_cast<std::size_t>(p - text.data());
}

char detect_separator(std::string_view text) {
  constexpr std::string_view kSeparators = ",;\t";
  std::array<int, kSeparators.size()> counts{};
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '\n') break;
    if (const auto which = kSeparators.find(c); which != std::string_view::npos) ++counts[which];
  }
  return kSeparators[static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin())];
}

std::string csv_field(const std::string& text, char separator) {
  const bool plain =
      text.find_first_of("\"\r\n") == std::string::npos && text.find(separator) == std::string::npos &&
      (text.empty() || (text.front() != ' ' && text.back() != ' ' && text.front() != '\t' && text.back() != '\t'));
  if (plain) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

bool is_missing(std::string_view field) {
  if (field.empty() || field == "?") return true;
  if (field.size() > 3) return false;
  std::string lower;
  for (const char c : field) lower += static_cast<char>(c | 0x20);
  return lower == "na" || lower == "nan";
}

bool is_number(const std::string& field) {
  const std::string padded = field + std::string(kNumberPadding, '\0');
  double value = 0;
  const char* const stop = parse_number(padded.data(), value);
  return stop == nullptr ? starts_number(padded.data()) : stop == padded.data() + field.size();
}

bool is_code(std::string_view field) {
  if (field.starts_with('+') || field.starts_with('-')) field.remove_prefix(1);
  if (field.empty() || field.find_first_not_of("0123456789") != std::string_view::npos) return false;
  constexpr std::string_view kExact = "9007199254740992";  // 2^53
  if (field.size() > 1 && field.front() == '0') return true;
  return field.size() > kExact.size() || (field.size() == kExact.size() && field > kExact);
}

}  // namespace s3gd
