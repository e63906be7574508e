// Readers that are slow and obvious, to compare the fast ones with.
#pragma once

#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "data/format.hpp"
#include "s3gd/dataset.hpp"
#include "s3gd/error.hpp"

namespace s3gd {

template <class T>
struct PlainRow {
  double label = 0;
  std::map<Index, T> entries;  // by column, counted from 0; no zeros
  bool operator==(const PlainRow&) const = default;
};

template <class T>
struct PlainRows {
  std::vector<PlainRow<T>> rows;
  Index cols = 0;
  bool operator==(const PlainRows&) const = default;
};

template <class T>
T to_number(const std::string& text) {
  if constexpr (std::is_same_v<T, float>) return std::strtof(text.c_str(), nullptr);
  return static_cast<T>(std::strtod(text.c_str(), nullptr));
}

template <class T>
PlainRows<T> reference_libsvm(const std::string& text) {
  PlainRows<T> result;
  bool zero = false;
  std::istringstream in(text.starts_with("\xef\xbb\xbf") ? text.substr(3) : text);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string word;
    if (!(words >> word)) continue;
    PlainRow<T> row;
    row.label = std::strtod(word.c_str(), nullptr);
    std::map<Index, double> sums;
    while (words >> word) {
      const auto colon = word.find(':');
      if (word.substr(0, colon) == "qid") continue;
      const Index index = std::stoll(word.substr(0, colon));
      zero = zero || index == 0;
      result.cols = std::max(result.cols, index + 1);
      const T value = to_number<T>(word.substr(colon + 1));
      if (value != 0) sums[index] += static_cast<double>(value);
    }
    for (const auto& [index, sum] : sums) row.entries[index] = static_cast<T>(sum);
    result.rows.push_back(row);
  }
  if (!zero) {
    --result.cols;
    for (auto& row : result.rows) {
      std::map<Index, T> moved;
      for (const auto& [index, value] : row.entries) moved[index - 1] = value;
      row.entries = moved;
    }
  }
  return result;
}

template <class T>
PlainRows<T> plain_rows(const Dataset& data) {
  PlainRows<T> result;
  result.cols = data.cols();
  data.x.visit([&](const auto& view) {
    for (Index i = 0; i < view.rows; ++i) {
      PlainRow<T> row;
      if (data.y.kind != LabelKind::none) row.label = data.y.values[i];
      if constexpr (requires { view.stride; }) {
        for (Index j = 0; j < view.cols; ++j)
          if (view.row(i)[j] != 0) row.entries[j] = static_cast<T>(view.row(i)[j]);
      } else {
        for (Index k = view.starts[i]; k < view.starts[i + 1]; ++k)
          row.entries[static_cast<Index>(view.columns[k])] = static_cast<T>(view.values[k]);
      }
      result.rows.push_back(row);
    }
  });
  return result;
}

inline Dataset read_text(Dataset (*read)(Input&, const LoadOptions&), const std::string& text,
                         const LoadOptions& options) {
  return read(*Input::from_memory(text, "file"), options);
}

// The Error's text, or empty when there is none.
inline std::string refusal(Dataset (*read)(Input&, const LoadOptions&), const std::string& text,
                           const LoadOptions& options) {
  try {
    read_text(read, text, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace s3gd
