#include "data/csv_record.hpp"

#include <algorithm>
#include <array>

#include "base/index.hpp"
#include "base/mention.hpp"
#include "base/nearest.hpp"
#include "base/text.hpp"
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

constexpr std::array<std::string_view, 4> kLabelNames{"label", "y", "target", "class"};
constexpr std::string_view kNoColumn = "none";

bool is_label_name(const std::string& field) {
  return std::find(kLabelNames.begin(), kLabelNames.end(), lower_case(field)) != kLabelNames.end();
}

// A column given by its name or by number, counted from 0 or, when negative, from the end.
Index find_column(const std::string& wanted, const std::string& what, const std::vector<std::string>& fields,
                  bool header, const std::string& file) {
  if (header)
    if (const auto named = std::find(fields.begin(), fields.end(), wanted); named != fields.end())
      return named - fields.begin();
  const auto count = static_cast<Index>(fields.size());
  const auto number = as_number<Index>(wanted);
  if (!number && !header)
    throw Error(file + ": the " + what + " column '" + wanted + "' is given by name, but the file has no header",
                opt("label-column", "NUMBER") + " counts from 0; " + opt("label-column", "none") + ": no labels; " +
                    opt("header", "yes") + ": the first line is one");
  if (!number) throw Error(file + ": there is no column '" + wanted + "' for the " + what, suggestion(wanted, fields));
  const Index index = *number < 0 ? *number + count : *number;
  if (index < 0 || index >= count)
    throw Error(file + ": the " + what + " column is number " + wanted + ", but there are " + std::to_string(count) +
                    " columns",
                "columns are counted from 0, or from -1 at the end");
  return index;
}

// Words stand where features should be: at two places, or at one that is not the label's.
bool looks_like_header(const std::vector<std::string>& fields, const LoadOptions& options) {
  const auto count = static_cast<Index>(fields.size());
  const std::string& wanted = options.label_column.empty() ? options.usual_label_column : options.label_column;
  Index label = as_number<Index>(wanted).value_or(wanted == kNoColumn ? count : 0);
  if (label < 0) label += count;
  for (Index i = 0; i < count; ++i) {
    const auto& field = fields[at(i)];
    if (is_missing(field) || is_number(field)) continue;
    if (i != label || is_label_name(field) || field == wanted) return true;
  }
  return false;
}

Index label_column(const CsvPlan& plan, const std::vector<std::string>& fields, const LoadOptions& options,
                   const std::string& file) {
  const bool header = !plan.header.empty();
  if (options.label_column == kNoColumn) return -1;
  if (!options.label_column.empty()) return find_column(options.label_column, "label", fields, header, file);
  if (const std::string& usual = options.usual_label_column; !usual.empty()) {
    const bool named = std::find(plan.header.begin(), plan.header.end(), usual) != plan.header.end();
    if (header && !named && !as_number<Index>(usual)) return -1;
    return find_column(usual, "label", fields, header, file);
  }
  const auto named = std::find_if(plan.header.begin(), plan.header.end(), is_label_name);
  return named != plan.header.end() ? named - plan.header.begin() : 0;
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
  const std::string word = lower_case(field);
  return word == "na" || word == "nan";
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

std::string CsvPlan::name_of(Index field) const {
  std::string name = "column " + std::to_string(field);
  if (!header.empty()) name += " (" + header[at(field)] + ")";
  return name;
}

CsvPlan plan_csv(std::string_view text, char separator, const LoadOptions& options, const std::string& file) {
  CsvPlan plan;
  plan.separator = separator != '\0' ? separator : detect_separator(text);
  std::vector<std::string> fields;
  const std::size_t bytes = take_record(text, plan.separator, fields);
  if (options.header.value_or(looks_like_header(fields, options))) {
    plan.header = fields;
    plan.header_bytes = bytes;
  }
  const Index label = label_column(plan, fields, options, file);
  const Index weight = options.weight_column.empty()
                           ? -1
                           : find_column(options.weight_column, "weight", fields, !plan.header.empty(), file);
  if (label >= 0 && label == weight) throw Error(file + ": the label and the weight are the same column");
  plan.labels = label >= 0;
  if (plan.labels) plan.label_column = plan.header.empty() ? std::to_string(label) : plan.header[at(label)];
  plan.weights = weight >= 0;
  Index next = 0;
  for (Index i = 0; i < static_cast<Index>(fields.size()); ++i) {
    const bool feature = i != label && i != weight;
    plan.columns.push_back(feature ? next++ : i == label ? CsvPlan::kLabel : CsvPlan::kWeight);
    if (feature && !plan.header.empty()) plan.feature_names.push_back(plan.header[at(i)]);
  }
  return plan;
}

}  // namespace s3gd
