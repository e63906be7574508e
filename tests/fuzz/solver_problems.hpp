// Bytes become a small problem: awkward scales, rows and columns that repeat or are zero, classes a plane separates, weights of
// zero. Any bytes are a problem; whether it is one that can be solved is for the library to say.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "problem/names.hpp"
#include "s3gd/task.hpp"

namespace s3gd::fuzz {

class Bytes {
 public:
  explicit Bytes(std::span<const std::uint8_t> bytes) : rest_(bytes) {}

  int next() {  // zeros when there are no more
    if (rest_.empty()) return 0;
    const int value = rest_[0];
    rest_ = rest_.subspan(1);
    return value;
  }
  int below(int count) { return next() % count; }
  bool one_in(int count) { return next() % count == 1; }
  double number() { return static_cast<double>(static_cast<std::int8_t>(next())) / 16; }
  double power_of_ten(int least, int most) { return std::pow(10.0, least + next() % (most - least + 1)); }
  // Mostly 1.
  double scale(int furthest) {
    const int b = next();
    return b < 200 ? 1.0 : std::pow(10.0, (b - 228) * furthest / 28);
  }
  template <class E>
  E any() {
    const auto table = names<E>();
    return table[static_cast<std::size_t>(below(static_cast<int>(table.size())))].value;
  }

 private:
  std::span<const std::uint8_t> rest_;
};

struct SolverCase {
  Outputs outputs = Outputs::one;
  Dataset data;
  ProblemSpec spec;
  MatrixPenaltySpec matrix_penalty;  // softmax
  double tol = 1e-4;
  Index batch = 1;
  std::uint64_t seed = 0;
};

template <class T>
Matrix matrix_of(const std::vector<double>& values, Index rows, Index cols, bool sparse) {
  if (!sparse) return Matrix::own_dense(std::vector<T>(values.begin(), values.end()), rows, cols);
  std::vector<T> stored;
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> starts{0};
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      const auto value = static_cast<T>(values[static_cast<std::size_t>(i * cols + j)]);
      if (value == 0) continue;
      stored.push_back(value);
      columns.push_back(static_cast<std::int32_t>(j));
    }
    starts.push_back(static_cast<std::int64_t>(stored.size()));
  }
  return Matrix::own_csr(std::move(stored), std::move(columns), std::move(starts), cols);
}

inline std::vector<double> values_from(Bytes& bytes, std::size_t rows, std::size_t cols, int furthest) {
  std::vector<double> scales(cols), values(rows * cols);
  const double of_all = bytes.scale(furthest);
  for (double& scale : scales) scale = bytes.one_in(16) ? 0.0 : of_all * (of_all == 1 ? bytes.scale(furthest) : 1.0);
  for (std::size_t i = 0; i < rows; ++i) {
    const int kind = bytes.below(16);  // 0: a row of zeros, 1: the one before again, 2: its negative
    for (std::size_t j = 0; j < cols; ++j) {
      double& value = values[i * cols + j];
      if (kind > 2 || i == 0) value = bytes.number() * scales[j];
      if (kind == 1 && i > 0) value = values[(i - 1) * cols + j];
      if (kind == 2 && i > 0) value = -values[(i - 1) * cols + j];
    }
  }
  return values;
}

// Classes, reals or counts: which of them a loss takes, it says itself.
inline Labels labels_from(Bytes& bytes, const std::vector<double>& values, std::size_t rows, Outputs outputs) {
  const int kind = outputs == Outputs::one ? bytes.below(4) : 0,
            classes = outputs == Outputs::one ? 2 : 2 + bytes.below(4);
  const bool separable = bytes.one_in(4);
  const double scale = kind == 2 ? bytes.scale(150) : 1.0;
  std::vector<double> labels(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    const double first = values[i * (values.size() / rows)];
    if (kind == 2)
      labels[i] = bytes.number() * scale;
    else if (kind == 3)
      labels[i] = bytes.below(12);
    else
      labels[i] = separable ? (first > 0 ? 1.0 : 0.0) : bytes.below(classes);
  }
  return {Array<double>(std::move(labels)), kind == 2 ? LabelKind::real : LabelKind::classes, {}};
}

inline PenaltySpec penalty_from(Bytes& bytes, std::size_t cols) {
  PenaltySpec penalty;
  penalty.kind = bytes.any<PenaltyKind>();
  penalty.lambda = bytes.power_of_ten(-12, 6);
  penalty.alpha = bytes.below(5) / 4.0;
  if (!bytes.one_in(8)) return penalty;
  for (std::size_t j = 0; j < cols; ++j) penalty.factors.push_back(bytes.below(4) / 2.0);
  return penalty;
}

inline SolverCase case_from(std::span<const std::uint8_t> input) {
  Bytes bytes(input);
  SolverCase made;
  constexpr Outputs kKinds[] = {Outputs::one, Outputs::one_vs_rest, Outputs::softmax};
  made.outputs = kKinds[bytes.below(5) % 3];
  const auto rows = static_cast<std::size_t>(2 + bytes.below(29)), cols = static_cast<std::size_t>(1 + bytes.below(8));
  const bool single = bytes.one_in(2), sparse = bytes.one_in(2);
  made.spec.loss = {bytes.any<LossKind>(), bytes.power_of_ten(0, 2)};
  made.spec.penalty = penalty_from(bytes, cols);
  made.spec.intercept = bytes.any<Intercept>();
  made.spec.class_weight = bytes.one_in(4) ? bytes.any<ClassWeight>() : ClassWeight::none;
  made.spec.threads = 1;
  made.matrix_penalty = {static_cast<MatrixPenaltyKind>(bytes.below(6)), made.spec.penalty.lambda,
                         made.spec.penalty.alpha, made.spec.penalty.factors};
  if (made.outputs == Outputs::one && bytes.one_in(8)) made.spec.penalty.also = {penalty_from(bytes, cols)};
  made.tol = std::pow(10.0, -2 * (1 + bytes.below(4)));
  made.batch = 1 + bytes.below(12);
  made.seed = static_cast<std::uint64_t>(bytes.next());
  const bool weighted = bytes.one_in(4);
  const std::vector<double> values = values_from(bytes, rows, cols, single ? 30 : 150);
  made.data.x = single ? matrix_of<float>(values, static_cast<Index>(rows), static_cast<Index>(cols), sparse)
                       : matrix_of<double>(values, static_cast<Index>(rows), static_cast<Index>(cols), sparse);
  made.data.y = labels_from(bytes, values, rows, made.outputs);
  if (weighted) {
    std::vector<double> weights(rows);
    for (double& weight : weights) weight = bytes.below(4) * bytes.scale(20);
    made.data.weights = Array<double>(std::move(weights));
  }
  return made;
}

}  // namespace s3gd::fuzz
