// What the columns of a CSV file are: decided once, from its first record and the options.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "s3gd/dataset.hpp"

namespace s3gd {

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
