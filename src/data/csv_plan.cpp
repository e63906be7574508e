#include "data/csv_plan.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "base/mention.hpp"
#include "base/nearest.hpp"
#include "data/csv_record.hpp"
#include "data/text_blocks.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

constexpr std::array<std::string_view, 4> kLabelNames{"label", "y", "target", "class"};
constexpr std::string_view kNoColumn = "none";

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  return text;
}

bool is_label_name(const std::string& field) {
  return std::find(kLabelNames.begin(), kLabelNames.end(), lower(field)) != kLabelNames.end();
}

// A column given by number, counted from 0 or, when negative, from the end.
std::optional<Index> column_number(const std::string& wanted) {
  Index number = 0;
  const auto [stop, problem] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
  if (problem != std::errc{} || stop != wanted.data() + wanted.size() || wanted.empty()) return std::nullopt;
  return number;
}

Index find_column(const std::string& wanted, const std::string& what, const std::vector<std::string>& fields,
                  bool header, const std::string& file) {
  if (header)
    if (const auto named = std::find(fields.begin(), fields.end(), wanted); named != fields.end())
      return named - fields.begin();
  const auto count = static_cast<Index>(fields.size());
  const auto number = column_number(wanted);
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
  Index label = column_number(wanted).value_or(wanted == kNoColumn ? count : 0);
  if (label < 0) label += count;
  for (Index i = 0; i < count; ++i) {
    const auto& field = fields[static_cast<std::size_t>(i)];
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
    if (header && !named && !column_number(usual)) return -1;
    return find_column(usual, "label", fields, header, file);
  }
  const auto named = std::find_if(plan.header.begin(), plan.header.end(), is_label_name);
  return named != plan.header.end() ? named - plan.header.begin() : 0;
}

}  // namespace

std::string CsvPlan::name_of(Index field) const {
  std::string name = "column " + std::to_string(field);
  if (!header.empty()) name += " (" + header[static_cast<std::size_t>(field)] + ")";
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
  if (plan.labels)
    plan.label_column = plan.header.empty() ? std::to_string(label) : plan.header[static_cast<std::size_t>(label)];
  plan.weights = weight >= 0;
  Index next = 0;
  for (Index i = 0; i < static_cast<Index>(fields.size()); ++i) {
    const bool feature = i != label && i != weight;
    plan.columns.push_back(feature ? next++ : i == label ? CsvPlan::kLabel : CsvPlan::kWeight);
    if (feature && !plan.header.empty()) plan.feature_names.push_back(plan.header[static_cast<std::size_t>(i)]);
  }
  return plan;
}

}  // namespace s3gd
