// Shared by the tests of the binary formats: folders that vanish, small data of every type, comparison bit by bit.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "s3gd/dataset.hpp"
#include "s3gd/error.hpp"

namespace s3gd::testing_support {

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "s3gd_data_XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string slurp(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void spill(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

template <class T>
bool same_bits(const T* a, const T* b, Index count) {
  return count == 0 || std::memcmp(a, b, static_cast<std::size_t>(count) * sizeof(T)) == 0;
}

template <class T>
bool same_view(const DenseView<T>& a, const DenseView<T>& b) {
  for (Index i = 0; i < a.rows; ++i)
    if (!same_bits(a.row(i), b.row(i), a.cols)) return false;
  return true;
}

template <class T, class I>
bool same_view(const CsrView<T, I>& a, const CsrView<T, I>& b) {
  for (Index i = 0; i < a.rows; ++i)
    if (a.row_nonzeros(i) != b.row_nonzeros(i) ||
        !same_bits(a.values + a.starts[i], b.values + b.starts[i], a.row_nonzeros(i)) ||
        !same_bits(a.columns + a.starts[i], b.columns + b.starts[i], a.row_nonzeros(i)))
      return false;
  return true;
}

inline bool same_matrix(const Matrix& a, const Matrix& b) {
  if (a.view().index() != b.view().index() || a.rows() != b.rows() || a.cols() != b.cols()) return false;
  return a.visit([&](const auto& view) { return same_view(view, std::get<std::decay_t<decltype(view)>>(b.view())); });
}

inline bool same_array(const Array<double>& a, const Array<double>& b) {
  return a.size() == b.size() && same_bits(a.data(), b.data(), a.size());
}

inline bool same_data(const Dataset& a, const Dataset& b) {
  return same_matrix(a.x, b.x) && a.y.kind == b.y.kind && same_array(a.y.values, b.y.values) &&
         a.y.class_names == b.y.class_names && same_array(a.weights, b.weights) && a.feature_names == b.feature_names;
}

template <class T>
Matrix small_dense(Index rows, Index cols, std::uint64_t seed = 1) {
  Rng rng(seed);
  std::vector<T> values;
  for (Index k = 0; k < rows * cols; ++k) values.push_back(rng.uniform() < 0.3 ? T{0} : static_cast<T>(rng.normal()));
  return Matrix::own_dense(std::move(values), rows, cols);
}

template <class T, class I>
Matrix small_csr(Index rows, Index cols, std::uint64_t seed = 1) {
  Rng rng(seed);
  std::vector<T> values;
  std::vector<I> columns;
  std::vector<std::int64_t> starts{0};
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      if (rng.uniform() < 0.7) continue;
      values.push_back(static_cast<T>(rng.normal()));
      columns.push_back(static_cast<I>(j));
    }
    starts.push_back(static_cast<std::int64_t>(values.size()));
  }
  return Matrix::own_csr(std::move(values), std::move(columns), std::move(starts), cols);
}

// One matrix of each of the six types.
inline std::vector<Matrix> all_types(Index rows, Index cols) {
  return {small_dense<float>(rows, cols),
          small_dense<double>(rows, cols),
          small_csr<float, std::int32_t>(rows, cols),
          small_csr<float, std::int64_t>(rows, cols),
          small_csr<double, std::int32_t>(rows, cols),
          small_csr<double, std::int64_t>(rows, cols)};
}

// With labels, weights and every kind of name.
inline Dataset decorated(Matrix x) {
  Dataset data;
  std::vector<double> labels, weights;
  for (Index i = 0; i < x.rows(); ++i) {
    labels.push_back(static_cast<double>(i % 3));
    weights.push_back(0.5 + static_cast<double>(i));
  }
  for (Index j = 0; j < x.cols(); ++j) data.feature_names.push_back("feature " + std::to_string(j));
  data.x = std::move(x);
  data.y.values = Array<double>(labels);
  data.y.kind = LabelKind::classes;
  data.y.class_names = {"apple", "pear, ripe", "quince \"\xc3\xbc\""};
  data.weights = Array<double>(weights);
  return data;
}

inline LoadOptions as_stored(const Dataset& data) {
  LoadOptions options;
  options.precision = data.x.precision();
  options.layout = data.x.is_dense() ? Layout::dense : Layout::sparse;
  return options;
}

// The message of the Error that `action` throws; empty when it throws none.
template <class F>
std::string error_of(F&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace s3gd::testing_support
