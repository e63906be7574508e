#include "problem/hessian.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "base/threads.hpp"
#include "data/row_access.hpp"
#include "kernel/blas.hpp"
#include "problem/full_pass.hpp"
#include "problem/loss.hpp"

namespace s3gd {
namespace {

constexpr Index kRowsPerBlock = 256;            // that BLAS multiplies with themselves at once
constexpr double kWorthFilling = 0.15;          // density of sparse rows above which BLAS is faster with the zeros
constexpr Index kLookedAt = 1024;               // rows that tell the density
constexpr Index kAccumulatorBytes = 128 << 20;  // memory for accumulators at most ...
constexpr Index kMostChunks = 16;               // ... and as many of them
constexpr double kLeastJitter = 1e-14;

// Rows over the chosen columns, and where they go.
struct Sample {
  const WeightedRows& rows;
  std::span<const Index> chosen;  // ascending
  std::vector<Index> place;       // of each column among them, or -1
  const std::function<bool()>& must_stop;

  Index size() const { return static_cast<Index>(chosen.size()); }
  Index count() const { return static_cast<Index>(rows.weights.size()); }
  Index row(Index r) const { return rows.rows.empty() ? r : rows.rows[at(r)]; }
  bool constant() const { return !chosen.empty() && chosen.back() == rows.x.cols(); }
  bool stops() const { return must_stop && must_stop(); }
};

Index entries_of_a_row(const Matrix& x) { return x.stored() / std::max<Index>(1, x.rows()) + 1; }

// One chunk of rows for each accumulator of `size` numbers; those are added in order. add(begin, end, sums).
template <class S, class Add>
std::vector<double> sum_chunks(const WeightedRows& sample, Index size, Index work_per_row, const Add& add) {
  const auto rows = static_cast<Index>(sample.weights.size());
  const Index affordable =
      std::max<Index>(1, kAccumulatorBytes / (static_cast<Index>(sizeof(S)) * std::max<Index>(1, size)));
  const Index worthwhile = std::max<Index>(1, rows * work_per_row / (32 * size + 65536));
  const Index chunks = std::min({affordable, worthwhile, kMostChunks});
  std::vector<std::vector<S>> parts(at(chunks));
  parallel_for(chunks, sample.threads, [&](Index chunk) {
    parts[at(chunk)].assign(at(size), S(0));
    add(rows * chunk / chunks, rows * (chunk + 1) / chunks, parts[at(chunk)].data());
  });
  std::vector<double> sum;
  if constexpr (std::is_same_v<S, double>)
    sum = std::move(parts.front());
  else
    sum.assign(parts.front().begin(), parts.front().end());
  for (std::size_t c = 1; c < parts.size(); ++c)
    for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += static_cast<double>(parts[c][k]);
  return sum;
}

// root times the chosen entries of a row.
template <class View, class S>
void expand(const View& x, const Sample& sample, Index i, S root, S* out) {
  const Index size = sample.size(), columns = size - (sample.constant() ? 1 : 0);
  if constexpr (is_dense_view<View>) {
    const auto* row = x.row(i);
    if (columns == x.cols)
      for (Index j = 0; j < columns; ++j) out[j] = root * static_cast<S>(row[j]);
    else
      for (Index k = 0; k < columns; ++k) out[k] = root * static_cast<S>(row[sample.chosen[at(k)]]);
  } else {
    std::fill_n(out, size, S(0));
    for_each_entry(x, i, [&](Index j, auto value) {
      if (const Index to = sample.place[at(j)]; to >= 0) out[to] = root * static_cast<S>(value);
    });
  }
  if (sample.constant()) out[size - 1] = root;
}

// Blocks of rows times the roots of their weights, which BLAS multiplies with themselves. Rows of no weight are left out.
template <class View, class S>
void add_blocks(const View& x, const Sample& sample, Index begin, Index end, S* sums) {
  const Index size = sample.size();
  std::vector<S> block(at(kRowsPerBlock * size));
  Index filled = 0;
  const auto flush = [&] {
    blas::syrk_transposed(size, std::exchange(filled, 0), S(1), block.data(), size, S(1), sums, size);
  };
  for (Index r = begin; r < end; ++r) {
    const double weight = sample.rows.weights[at(r)];
    if (weight == 0) continue;
    expand(x, sample, sample.row(r), static_cast<S>(std::sqrt(weight)), block.data() + filled * size);
    if (++filled < kRowsPerBlock) continue;
    flush();
    if (sample.stops()) return;
  }
  flush();
}

template <class View>
void add_entries(const View& x, const Sample& sample, Index begin, Index end, double* sums) {
  std::vector<std::pair<Index, double>> row;
  for (Index r = begin; r < end; ++r) {
    const double weight = sample.rows.weights[at(r)];
    if (weight == 0) continue;
    if (r % kRowsPerBlock == 0 && sample.stops()) return;
    row.clear();
    for_each_entry(x, sample.row(r), [&](Index j, auto value) {
      if (const Index to = sample.place[at(j)]; to >= 0) row.emplace_back(to, static_cast<double>(value));
    });
    if (sample.constant()) row.emplace_back(sample.size() - 1, 1.0);
    for (std::size_t a = 0; a < row.size(); ++a) {
      const double factor = weight * row[a].second;
      double* out = sums + row[a].first * sample.size();
      for (std::size_t b = 0; b <= a; ++b) out[row[b].first] += factor * row[b].second;
    }
  }
}

// Whether so much of the chosen columns is stored that zeros are best filled in: by a look at some of the rows.
template <class View>
bool worth_filling(const View& x, const Sample& sample) {
  if (is_dense_view<View>) return true;
  Index stored = 0, rows = 0;
  for (Index r = 0; r < sample.count(); r += std::max<Index>(1, sample.count() / kLookedAt)) {
    if (sample.rows.weights[at(r)] == 0) continue;
    ++rows;
    for_each_entry(x, sample.row(r), [&](Index j, auto) { stored += sample.place[at(j)] >= 0 ? 1 : 0; });
  }
  return static_cast<double>(stored) > kWorthFilling * static_cast<double>(std::max<Index>(1, rows * sample.size()));
}

}  // namespace

template <class S>
std::vector<double> sum_of_products(const WeightedRows& rows, std::span<const Index> chosen,
                                    const std::function<bool()>& must_stop) {
  Sample sample{rows, chosen, std::vector<Index>(at(rows.x.cols() + 1), -1), must_stop};
  const Index size = sample.size();
  for (Index k = 0; k < size; ++k) sample.place[at(chosen[at(k)])] = k;
  return rows.x.visit([&](const auto& x) {
    // A row is multiplied entry by entry: cut into chunks for more than that, it would be the sums that cost.
    const bool fills = worth_filling(x, sample);
    const Index entries = entries_of_a_row(rows.x), work = std::min(size * size / 8 + 1, entries * entries);
    const auto add = [&](Index begin, Index end, auto* sums) {
      if constexpr (std::is_same_v<decltype(sums), double*>)
        if (!fills) return add_entries(x, sample, begin, end, sums);
      add_blocks(x, sample, begin, end, sums);
    };
    return fills ? sum_chunks<S>(rows, size * size, work, add) : sum_chunks<double>(rows, size * size, work, add);
  });
}
template std::vector<double> sum_of_products<float>(const WeightedRows&, std::span<const Index>,
                                                    const std::function<bool()>&);
template std::vector<double> sum_of_products<double>(const WeightedRows&, std::span<const Index>,
                                                     const std::function<bool()>&);

std::vector<double> sum_of_squares(const WeightedRows& rows, bool constant) {
  const Index cols = rows.x.cols();
  return sum_chunks<double>(rows, cols + (constant ? 1 : 0), entries_of_a_row(rows.x),
                            [&](Index begin, Index end, double* sums) {
                              rows.x.visit([&](const auto& x) {
                                for (Index r = begin; r < end; ++r) {
                                  const double weight = rows.weights[at(r)];
                                  if (weight == 0) continue;
                                  for_each_entry(x, rows.rows.empty() ? r : rows.rows[at(r)], [&](Index j, auto value) {
                                    sums[j] += weight * static_cast<double>(value) * static_cast<double>(value);
                                  });
                                  if (constant) sums[cols] += weight;
                                }
                              });
                            });
}

std::vector<double> curvatures(const Problem& problem, std::span<const double> margins) {
  const Loss loss(problem.spec().loss);
  std::vector<double> h(margins.size());
  for (std::size_t i = 0; i < h.size(); ++i)
    h[i] = problem.weight(static_cast<Index>(i)) * loss.curvature(margins[i], problem.targets()[i]);
  return h;
}

std::vector<double> hessian(const Problem& problem, std::span<const double> h, std::span<const Index> chosen,
                            const std::function<bool()>& must_stop) {
  return sum_of_products<double>({problem.x(), {}, h, problem.spec().threads}, chosen, must_stop);
}

std::vector<double> hessian_diagonal(const Problem& problem, std::span<const double> h) {
  return sum_of_squares({problem.x(), {}, h, problem.spec().threads}, problem.has_intercept());
}

void hessian_times(const Problem& problem, std::span<const double> h, std::span<const double> p,
                   std::span<double> out) {
  const Fill fill = [&](Index first, std::span<const double> u, std::span<double> c) {
    for (std::size_t r = 0; r < u.size(); ++r) c[r] = h[at(first) + r] * u[r];
  };
  margins_then_sum(problem, p, fill, out);
}

void mirror(std::vector<double>& matrix, Index size) {
  for (Index a = 0; a < size; ++a)
    for (Index b = 0; b < a; ++b) matrix[at(b * size + a)] = matrix[at(a * size + b)];
}

ScaledFactor::ScaledFactor(std::vector<double> matrix, std::span<const double> added, double jitter) {
  const auto size = static_cast<Index>(added.size());
  for (Index a = 0; a < size; ++a) {
    const double diagonal = matrix[at(a * size + a)] += added[at(a)];
    scale_.push_back(diagonal > 0 ? 1.0 / std::sqrt(diagonal) : 1.0);
    for (Index b = 0; b <= a; ++b) matrix[at(a * size + b)] *= scale_[at(a)] * scale_[at(b)];
  }
  for (;; jitter = std::max(kLeastJitter, 10 * jitter)) {
    factor_ = matrix;
    for (Index a = 0; a < size; ++a) factor_[at(a * size + a)] += jitter;
    if (blas::cholesky(size, factor_.data(), size) || jitter > 1) break;
  }
}

void ScaledFactor::solve(std::span<double> v) const {
  const std::size_t size = scale_.size();
  const auto rescale = [&] {
    for (std::size_t first = 0; first < v.size(); first += size)
      for (std::size_t j = 0; j < size; ++j) v[first + j] *= scale_[j];
  };
  if (size == 0) return;
  rescale();
  blas::cholesky_solve(static_cast<Index>(size), factor_.data(), static_cast<Index>(size), v.data(),
                       static_cast<Index>(v.size() / size));
  rescale();
}

}  // namespace s3gd
