// Fields of CSV text: commas, semicolons or tabs between them, double quotes around them where needed (doubled inside).
#pragma once

#include <string_view>

#include "s3gd/dataset.hpp"

namespace s3gd {

inline bool ends_record(const char* p) { return *p == '\n' || (*p == '\r' && p[1] == '\n'); }
inline bool is_pad(char c, char separator) { return (c == ' ' || c == '\t') && c != separator; }
inline const char* skip_pad(const char* p, char separator) {
  while (is_pad(*p, separator)) ++p;
  return p;
}

// Reads one field of text that ends in a newline before `end`; returns the separator or record end behind it. Blanks
// around the field are dropped, unless quoted. Throws TextProblem.
const char* take_field(const char* p, const char* end, char separator, std::string& field);

// All fields of the record at the start of `text`; returns the number of bytes up to the next record.
std::size_t take_record(std::string_view text, char separator, std::vector<std::string>& fields);

// Of , ; and tab, the one most frequent in the first record (outside quotes); a comma when there is none.
char detect_separator(std::string_view text);

// `text` as a field: quoted where it would not be read back as it is.
std::string csv_field(const std::string& text, char separator = ',');

// Empty, NA, NaN or ?.
bool is_missing(std::string_view field);
// Whether all of the field is a number, even one too large to be taken.
bool is_number(const std::string& field);
// Digits that are a name rather than a number: zeros in front (007), or more of them than a double tells apart.
bool is_code(std::string_view field);

// What the columns of a CSV file are: decided once, from its first record and the options.
struct CsvPlan {
  static constexpr Index kLabel = -1;
  static constexpr Index kWeight = -2;

  char separator = ',';
  std::vector<Index> columns;              // for each field its feature column, or kLabel, kWeight
  std::vector<std::string> feature_names;  // empty without a header
  std::string label_column;                // its name, without a header its number; empty without labels
  bool labels = true;
  bool weights = false;
  std::size_t header_bytes = 0;  // 0 = no header

  Index fields() const { return static_cast<Index>(columns.size()); }
  Index features() const { return fields() - labels - weights; }
  std::string name_of(Index field) const;  // for messages: "column 3" or "column 3 (height)"

  std::vector<std::string> header;
};

// text: at least the first record. separator: '\0' = detect.
// A first record is a header when it holds a word where a feature should be, or the label column's usual name.
CsvPlan plan_csv(std::string_view text, char separator, const LoadOptions& options, const std::string& file);

}  // namespace s3gd
