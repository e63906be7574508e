#include "s3gd/dataset.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <mutex>
#include <unordered_set>

#include "base/mention.hpp"
#include "base/threads.hpp"
#include "data/checks.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

constexpr Index kRowsPerChunk = 4096;

// A number that is not finite has an exponent of ones only: adding one to it overflows into the sign, of the integer that
// the bits make. Bit by bit, because the compiler makes vectors of that, and this looks at all of the data.
template <class T>
bool all_finite(const T* values, Index count) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits infinity = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
  constexpr Bits one = infinity & (~infinity + 1);
  Bits seen = 0;
  for (Index k = 0; k < count; ++k) seen |= (std::bit_cast<Bits>(values[k]) & infinity) + one;
  return (seen & ~(~Bits{0} >> 1)) == 0;
}

template <class T>
void check_values(const T* values, Index count, Index row) {
  if (!all_finite(values, count)) throw Error("row " + std::to_string(row) + " holds a value that is not finite");
}

template <class T>
void check_view(const DenseView<T>& view, int threads) {
  if (view.stride < view.cols) throw Error("dense rows overlap: stride is smaller than the number of columns");
  parallel_ranges(view.rows, kRowsPerChunk, threads, [&](Index begin, Index end, Index) {
    for (Index i = begin; i < end; ++i) check_values(view.row(i), view.cols, i);
  });
}

template <class T, class I>
void check_row(const CsrView<T, I>& view, Index i) {
  Index previous = -1;
  for (auto k = view.starts[i]; k < view.starts[i + 1]; ++k) {
    const auto column = static_cast<Index>(view.columns[k]);
    if (column <= previous || column >= view.cols)
      throw Error("row " + std::to_string(i) + " holds column " + std::to_string(column) +
                  ": columns must ascend and stay below " + std::to_string(view.cols));
    previous = column;
  }
  check_values(view.values + view.starts[i], view.row_nonzeros(i), i);
}

template <class T, class I>
void check_view(const CsrView<T, I>& view, int threads) {
  if (view.rows == 0) return;
  for (Index i = 0; i < view.rows; ++i)
    if (view.starts[i] < 0 || view.starts[i] > view.starts[i + 1])
      throw Error("row " + std::to_string(i) + " starts after it ends");
  parallel_ranges(view.rows, kRowsPerChunk, threads, [&](Index begin, Index end, Index) {
    for (Index i = begin; i < end; ++i) check_row(view, i);
  });
}

class OnceVerifier final : public Verifier {
 public:
  OnceVerifier(std::function<void(int)> check, bool has_checksums)
      : check_(std::move(check)), has_checksums_(has_checksums) {}
  void verify(int threads) const override {
    // Not std::call_once: a check that throws must leave the next caller free to find out for itself, which not every
    // implementation of it allows.
    std::lock_guard lock(mutex_);
    if (done_) return;
    check_(threads);
    done_ = true;
  }
  bool has_checksums() const override { return has_checksums_; }

 private:
  std::function<void(int)> check_;
  bool has_checksums_;
  mutable std::mutex mutex_;
  mutable bool done_ = false;
};

bool is_whole(double value) { return value == std::floor(value) && std::abs(value) <= 0x1.0p53; }

void check_labels(const Labels& labels, Index rows) {
  if (labels.kind == LabelKind::none) return;
  if (labels.values.size() != rows)
    throw Error("there are " + std::to_string(labels.values.size()) + " labels for " + std::to_string(rows) + " rows");
  for (Index i = 0; i < rows; ++i) {
    const double value = labels.values[i];
    const std::string where = "the label of row " + std::to_string(i) + " is ";
    if (!std::isfinite(value)) throw Error(where + "not a finite number");
    if (labels.kind == LabelKind::classes && !is_whole(value)) throw Error(where + "not a whole number");
    if (!labels.class_names.empty() && (value < 0 || value >= static_cast<double>(labels.class_names.size())))
      throw Error(where + "a class without a name");
  }
}

void check_weights(const Array<double>& weights, Index rows) {
  if (weights.empty()) return;
  if (weights.size() != rows)
    throw Error("there are " + std::to_string(weights.size()) + " weights for " + std::to_string(rows) + " rows");
  for (Index i = 0; i < rows; ++i)
    if (!std::isfinite(weights[i]) || weights[i] < 0)
      throw Error("the weight of row " + std::to_string(i) + " is not a finite number from 0 on");
}

// Errors of the checks know nothing of files: puts the name in front.
template <class F>
void named(const std::string& name, F&& check) {
  try {
    check();
  } catch (const Error& error) {
    throw error.within(name);
  }
}

}  // namespace

Index Matrix::rows() const {
  return visit([](const auto& view) { return view.rows; });
}

Index Matrix::cols() const {
  return visit([](const auto& view) { return view.cols; });
}

Index Matrix::stored() const {
  return visit([](const auto& view) {
    if constexpr (requires { view.stride; })
      return view.rows * view.cols;
    else
      return view.nonzeros();
  });
}

bool Matrix::is_dense() const {
  return visit([](const auto& view) { return requires { view.stride; }; });
}

Precision Matrix::precision() const {
  return visit([](const auto& view) {
    using T = typename std::decay_t<decltype(view)>::Value;
    return std::is_same_v<T, float> ? Precision::float32 : Precision::float64;
  });
}

void Matrix::check(int threads) const {
  visit([&](const auto& view) { check_view(view, threads); });
}

std::vector<double> Labels::distinct(Index limit) const {
  std::unordered_set<double> seen;
  for (const double value : values) {
    seen.insert(value);
    if (static_cast<Index>(seen.size()) > limit)
      throw Error("more than " + std::to_string(limit) + " different labels",
                  "these look like real numbers: use " + opt("loss", "squared"));
  }
  std::vector<double> sorted(seen.begin(), seen.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

std::string Labels::name_of(double value) const {
  if (!class_names.empty()) return class_names.at(static_cast<std::size_t>(value));
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return std::string(text, end);
}

void Dataset::verify(int threads) const {
  if (verifier) verifier->verify(threads);
}

LabelKind kind_of_labels(std::span<const double> labels) {
  std::unordered_set<double> seen;
  for (const double label : labels) {
    if (label != std::floor(label)) return LabelKind::real;
    seen.insert(label);
    if (static_cast<Index>(seen.size()) > kMostClasses) return LabelKind::real;
  }
  return LabelKind::classes;
}

std::shared_ptr<const Verifier> verify_once(std::function<void(int threads)> check, bool has_checksums) {
  return std::make_shared<const OnceVerifier>(std::move(check), has_checksums);
}

void check_targets(const Dataset& data, const std::string& name) {
  named(name, [&] {
    check_labels(data.y, data.rows());
    check_weights(data.weights, data.rows());
  });
}

void check_contents(const Dataset& data, const std::string& name, int threads) {
  named(name, [&] { data.x.check(threads); });
  check_targets(data, name);
}

}  // namespace s3gd
