#include "stochastic/estimators/reference.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "stochastic/rows.hpp"

namespace s3gd {
namespace {

constexpr Index kRowsPerBlock = 32;      // they stay in the cache between their margins and their sums
constexpr Index kRowsPerPartial = 4096;  // sums of floats lose digits beyond

template <class View, class Count>
class RowsOfView final : public SomeRows<typename View::Value> {
 public:
  using T = typename View::Value;
  RowsOfView(const View& view, Index outputs) : view_(view), products_(view_, Count(outputs)) {}
  void times(std::span<const Index> rows, const T* table, double* out) override { products_.times(rows, table, out); }
  void add(std::span<const Index> rows, const double* coefficients, T* table) override {
    products_.add(rows, coefficients, table);
  }
  void prefetch(std::span<const Index> rows) const override {
    for (const Index row : rows) prefetch_row(view_, row);
  }

 private:
  View view_;
  RowProducts<View, Count> products_;
};

template <class T>
std::unique_ptr<SomeRows<T>> some_rows(const OutputProblem& problem) {
  return problem.x().visit([&](const auto& view) -> std::unique_ptr<SomeRows<T>> {
    using View = std::decay_t<decltype(view)>;
    if constexpr (std::is_same_v<typename View::Value, T>) {
      if (problem.outputs() == 1) return std::make_unique<RowsOfView<View, Single>>(view, Index{1});
      return std::make_unique<RowsOfView<View, Several>>(view, problem.outputs());
    } else {
      return nullptr;
    }
  });
}

// Distinct rows below n in ascending order: bits of a map where they are many, which costs a nanosecond each.
std::vector<Index> in_order(std::span<const Index> rows, Index n) {
  constexpr Index kBits = 64;
  if (std::ssize(rows) < n / kBits) {
    std::vector<Index> sorted(rows.begin(), rows.end());
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }
  std::vector<std::uint64_t> map(at(n / kBits + 1));
  for (const Index row : rows) map[at(row / kBits)] |= std::uint64_t{1} << (row % kBits);
  std::vector<Index> sorted;
  sorted.reserve(rows.size());
  for (std::size_t word = 0; word < map.size(); ++word)
    for (std::uint64_t bits = map[word]; bits != 0; bits &= bits - 1)
      sorted.push_back(static_cast<Index>(word) * kBits + std::countr_zero(bits));
  return sorted;
}

}  // namespace

template <class T>
Reference<T>::Reference(const StochasticProblem& problem, bool linear)
    : problem_(problem),
      linear_(linear),
      by_class_(linear && problem->classes() > 1),
      outputs_(problem->outputs()),
      width_(outputs_ == 1 ? 1 : Several(outputs_).width),
      some_rows_(some_rows<T>(*problem)) {}

template <class T>
std::size_t Reference<T>::features() const {
  return by_class_ ? 2 : 1;
}

template <class T>
void Reference<T>::make_table() {
  table_.resize(at(problem_->features() * width_), T(0));
  if (outputs_ == 1)
    to_table(Single(1), w_, table_.data());
  else
    to_table(Several(outputs_), w_, table_.data());
}

template <class T>
void Reference<T>::place(std::span<const double> w) {
  w_.assign(w.begin(), w.end());
  make_table();
  if (kept_.size() == 0) kept_.resize(problem_->rows() * outputs_);
  sums_.assign(features() * w_.size(), 0.0);
  partial_.assign(features(), std::vector<T>(table_.size(), T(0)));
  rows_in_partial_ = 0;
}

template <class T>
void Reference<T>::renew(std::span<const double> w, std::span<const Index> rows) {
  place(w);
  add(rows);
}

template <class T>
void Reference<T>::renew(std::span<const double> w) {
  place(w);
  const auto k = at(outputs_);
  const auto keep = [&](Index first, std::span<const double> u, std::span<double> coefficients) {
    std::vector<Index> rows(u.size() / k);
    for (std::size_t r = 0; r < rows.size(); ++r) rows[r] = first + static_cast<Index>(r);
    std::copy(u.begin(), u.end(), coefficients.begin());
    make_features(rows, coefficients.data());
    weigh(rows, 0, coefficients.data());
  };
  problem_->margins_then_sum(w_, keep, std::span(sums_).first(w_.size()));
  if (!by_class_) return;
  std::vector<Index> rows(at(problem_->rows()));
  for (std::size_t r = 0; r < rows.size(); ++r) rows[r] = static_cast<Index>(r);
  weighted_.resize(rows.size() * k);
  weigh(rows, 1, weighted_.data());
  problem_->transpose_times(weighted_, std::span(sums_).subspan(w_.size()));
}

// Rows come at random; read as they lie in memory, whole runs take 0.5 to 0.8 of the time (bench/RESULTS.md).
template <class T>
void Reference<T>::add(std::span<const Index> unordered) {
  const std::vector<Index> rows = in_order(unordered, problem_->rows());
  const auto block = [&](std::size_t first) {
    return std::span<const Index>(rows).subspan(first, std::min(at(kRowsPerBlock), rows.size() - first));
  };
  for (std::size_t first = 0; first < rows.size(); first += kRowsPerBlock) {
    if (first + kRowsPerBlock < rows.size()) some_rows_->prefetch(block(first + kRowsPerBlock));
    add_block(block(first));
  }
}

template <class T>
void Reference<T>::add_block(std::span<const Index> rows) {
  const auto k = at(outputs_);
  const Index last = problem_->cols() * width_;  // the constant feature
  margins_.resize(rows.size() * k);
  some_rows_->times(rows, table_.data(), margins_.data());
  if (problem_->has_intercept())
    for (std::size_t place = 0; place < margins_.size(); ++place)
      margins_[place] += static_cast<double>(table_[at(last) + place % k]);
  make_features(rows, margins_.data());
  weighted_.resize(margins_.size());
  for (std::size_t f = 0; f < features(); ++f) {
    weigh(rows, f, weighted_.data());
    some_rows_->add(rows, weighted_.data(), partial_[f].data());
    if (problem_->has_intercept())
      for (std::size_t place = 0; place < weighted_.size(); ++place)
        partial_[f][at(last) + place % k] += static_cast<T>(weighted_[place]);
  }
  rows_in_partial_ += static_cast<Index>(rows.size());
  if (rows_in_partial_ >= kRowsPerPartial) empty_partial();
}

// Margins at the reference become what is kept of the rows.
template <class T>
void Reference<T>::make_features(std::span<const Index> rows, double* margins) {
  const auto k = at(outputs_);
  std::vector<double> slopes;
  if (!linear_) {
    slopes.resize(rows.size() * k);
    problem_->slopes(rows, margins, slopes.data());
    margins = slopes.data();
  }
  for (const Index row : rows)
    for (Index o = 0; o < outputs_; ++o) kept_[row * outputs_ + o] = static_cast<T>(*margins++);
}

template <class T>
void Reference<T>::slopes(std::span<const Index> rows, double* out) const {
  std::vector<double> kept;
  for (const Index row : rows)
    for (Index o = 0; o < outputs_; ++o) kept.push_back(static_cast<double>(kept_[row * outputs_ + o]));
  if (linear_)
    problem_->slopes(rows, kept.data(), out);
  else
    std::copy(kept.begin(), kept.end(), out);
}

// q_i f_l(i)
template <class T>
void Reference<T>::weigh(std::span<const Index> rows, std::size_t feature, double* out) const {
  if (features() == 1) {
    const std::span<const double> weights = problem_->weights();
    const double each = 1.0 / static_cast<double>(problem_->rows());
    for (const Index row : rows) {
      const double weight = weights.empty() ? each : weights[at(row)];
      for (Index o = 0; o < outputs_; ++o) *out++ = weight * static_cast<double>(kept_[row * outputs_ + o]);
    }
    return;
  }
  double of_row[2] = {};
  for (const Index row : rows)
    for (Index o = 0; o < outputs_; ++o) {
      of(row, o, of_row);
      *out++ = problem_->weight(row) * of_row[feature];
    }
}

template <class T>
void Reference<T>::empty_partial() {
  for (std::size_t f = 0; f < features(); ++f) {
    double* sum = sums_.data() + f * w_.size();
    for (Index j = 0; j < problem_->features(); ++j)
      for (Index k = 0; k < outputs_; ++k) *sum++ += static_cast<double>(partial_[f][at(j * width_ + k)]);
    std::fill(partial_[f].begin(), partial_[f].end(), T(0));
  }
  rows_in_partial_ = 0;
}

template <class T>
void Reference<T>::add_to_drift(const double* coefficients, double factor, std::span<double> drift) const {
  for (std::size_t f = 0; f < features(); ++f) {
    const double c = factor * coefficients[f];
    const double* sum = sums_.data() + f * w_.size();
    for (std::size_t j = 0; j < drift.size(); ++j) drift[j] += c * sum[j];
    if (rows_in_partial_ == 0) continue;
    const T* rest = partial_[f].data();
    if (outputs_ == 1) {
      for (std::size_t j = 0; j < drift.size(); ++j) drift[j] += c * static_cast<double>(rest[j]);
      continue;
    }
    double* out = drift.data();
    for (std::size_t j = 0; j < drift.size() / at(outputs_); ++j, rest += width_)
      for (Index k = 0; k < outputs_; ++k) *out++ += c * static_cast<double>(rest[k]);
  }
}

template class Reference<float>;
template class Reference<double>;

}  // namespace s3gd
