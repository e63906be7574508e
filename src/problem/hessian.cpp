#include "problem/hessian.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/index.hpp"
#include "base/threads.hpp"
#include "kernel/blas.hpp"
#include "problem/full_pass.hpp"
#include "problem/loss.hpp"

namespace s3gd {
namespace {

constexpr Index kRowsPerBlock = 256;
constexpr double kWorthFilling = 0.15;  // density of sparse rows above which BLAS is faster with the zeros
constexpr Index kAccumulatorBytes = 128 << 20;
constexpr Index kMostChunks = 16;

// One chunk of rows for each accumulator of `size` numbers; sums[chunk] are added in order. add(begin, end, sums).
template <class Add>
std::vector<double> sum_chunks(const Problem& problem, Index size, Index work_per_row, const Add& add) {
  const Index rows = problem.rows();
  const Index affordable = std::max<Index>(1, kAccumulatorBytes / (8 * std::max<Index>(1, size)));
  const Index worthwhile = std::max<Index>(1, rows * work_per_row / (4 * size + 65536));
  const Index chunks = std::min({affordable, worthwhile, kMostChunks, rows});
  const Index per_chunk = (rows + chunks - 1) / chunks;
  std::vector<std::vector<double>> parts(at(chunks));
  parallel_ranges(rows, per_chunk, problem.spec().threads, [&](Index begin, Index end, Index chunk) {
    parts[at(chunk)].assign(at(size), 0.0);
    add(begin, end, parts[at(chunk)].data());
  });
  std::vector<double> sum = std::move(parts.front());
  for (std::size_t c = 1; c < parts.size(); ++c)
    for (std::size_t k = 0; k < parts[c].size(); ++k) sum[k] += parts[c][k];
  return sum;
}

// Rows [begin, end) over the chosen coordinates, and where they go.
struct Outer {
  std::span<const double> h;
  std::span<const Index> chosen;    // ascending
  const std::vector<Index>& place;  // of each coordinate among them, or -1
  const std::function<bool()>& must_stop;

  Index size() const { return static_cast<Index>(chosen.size()); }
  bool stops() const { return must_stop && must_stop(); }
};

// Rows times sqrt(h), which expand(i, root, out) writes to a block that BLAS multiplies with itself. Rows of no curvature are
// left out.
template <class Expand>
void add_blocks(const Outer& outer, Index begin, Index end, double* sums, const Expand& expand) {
  const Index size = outer.size();
  std::vector<double> block(at(kRowsPerBlock * size));
  Index filled = 0;
  const auto flush = [&] {
    blas::syrk_transposed(size, filled, 1.0, block.data(), size, 1.0, sums, size);
    filled = 0;
  };
  for (Index i = begin; i < end; ++i) {
    if (outer.h[at(i)] == 0) continue;
    expand(i, std::sqrt(outer.h[at(i)]), block.data() + filled * size);
    if (++filled < kRowsPerBlock) continue;
    flush();
    if (outer.stops()) return;
  }
  flush();
}

template <class T>
void add_outer(const DenseView<T>& x, const Outer& outer, Index begin, Index end, double* sums) {
  const Index size = outer.size();
  // Ascending: where the last column is in its place, all are.
  const bool every_column = x.cols > 0 && size >= x.cols && outer.chosen[at(x.cols - 1)] == x.cols - 1;
  add_blocks(outer, begin, end, sums, [&](Index i, double root, double* out) {
    const T* row = x.row(i);
    if (every_column) {
      for (Index j = 0; j < x.cols; ++j) out[j] = root * static_cast<double>(row[j]);
      if (size > x.cols) out[x.cols] = root;
      return;
    }
    for (Index k = 0; k < size; ++k) {
      const Index j = outer.chosen[at(k)];
      out[k] = root * (j == x.cols ? 1.0 : static_cast<double>(row[j]));
    }
  });
}

// The share of the entries in the chosen columns, rows of curvature only, that are stored.
template <class T, class I>
double density(const CsrView<T, I>& x, const Outer& outer, Index begin, Index end) {
  Index stored = 0, rows = 0;
  for (Index i = begin; i < end; ++i) {
    if (outer.h[at(i)] == 0) continue;
    ++rows;
    for (auto k = x.starts[i]; k < x.starts[i + 1]; ++k)
      stored += outer.place[at(static_cast<Index>(x.columns[k]))] >= 0;
  }
  return static_cast<double>(stored) / static_cast<double>(std::max<Index>(1, rows * outer.size()));
}

template <class T, class I>
void add_outer(const CsrView<T, I>& x, const Outer& outer, Index begin, Index end, double* sums) {
  const Index size = outer.size();
  const bool intercept = size > 0 && outer.chosen.back() == x.cols;
  const auto for_each_chosen = [&](Index i, auto&& visit) {
    for (auto k = x.starts[i]; k < x.starts[i + 1]; ++k)
      if (const Index to = outer.place[at(static_cast<Index>(x.columns[k]))]; to >= 0)
        visit(to, static_cast<double>(x.values[k]));
    if (intercept) visit(size - 1, 1.0);
  };
  if (density(x, outer, begin, end) > kWorthFilling)
    return add_blocks(outer, begin, end, sums, [&](Index i, double root, double* out) {
      std::fill_n(out, size, 0.0);
      for_each_chosen(i, [&](Index to, double value) { out[to] = root * value; });
    });
  std::vector<std::pair<Index, double>> row;
  for (Index i = begin; i < end; ++i) {
    if (outer.h[at(i)] == 0) continue;
    if (i % kRowsPerBlock == 0 && outer.stops()) return;
    row.clear();
    for_each_chosen(i, [&](Index to, double value) { row.emplace_back(to, value); });
    for (std::size_t a = 0; a < row.size(); ++a) {
      const double factor = outer.h[at(i)] * row[a].second;
      double* out = sums + row[a].first * size;
      for (std::size_t b = 0; b <= a; ++b) out[row[b].first] += factor * row[b].second;
    }
  }
}

template <class T>
void add_squares(const DenseView<T>& x, Index i, double h, double* out) {
  const T* row = x.row(i);
  for (Index j = 0; j < x.cols; ++j) out[j] += h * static_cast<double>(row[j]) * static_cast<double>(row[j]);
}

template <class T, class I>
void add_squares(const CsrView<T, I>& x, Index i, double h, double* out) {
  for (auto k = x.starts[i]; k < x.starts[i + 1]; ++k)
    out[x.columns[k]] += h * static_cast<double>(x.values[k]) * static_cast<double>(x.values[k]);
}

}  // namespace

std::vector<double> curvatures(const Problem& problem, std::span<const double> margins) {
  const Loss loss(problem.spec().loss);
  std::vector<double> h(margins.size());
  for (std::size_t i = 0; i < h.size(); ++i)
    h[i] = problem.weight(static_cast<Index>(i)) * loss.curvature(margins[i], problem.targets()[i]);
  return h;
}

std::vector<double> hessian(const Problem& problem, std::span<const double> h, std::span<const Index> chosen,
                            const std::function<bool()>& must_stop) {
  const auto size = static_cast<Index>(chosen.size());
  std::vector<Index> place(at(problem.cols() + 1), -1);
  for (Index k = 0; k < size; ++k) place[at(chosen[at(k)])] = k;
  // A sparse row is multiplied entry by entry: cut into chunks for more than that, it would be the sums that cost.
  const Index entries = problem.x().stored() / std::max<Index>(1, problem.rows()) + 1;
  const Index work = std::min(size * size / 8 + 1, problem.x().is_dense() ? size * size : entries * entries);
  return sum_chunks(problem, size * size, work, [&](Index begin, Index end, double* sums) {
    problem.x().visit([&](const auto& view) { add_outer(view, {h, chosen, place, must_stop}, begin, end, sums); });
  });
}

std::vector<double> hessian_diagonal(const Problem& problem, std::span<const double> h) {
  const Index per_row = problem.x().stored() / std::max<Index>(1, problem.rows()) + 1;
  return sum_chunks(problem, problem.dim(), per_row, [&](Index begin, Index end, double* sums) {
    problem.x().visit([&](const auto& view) {
      for (Index i = begin; i < end; ++i) {
        if (h[at(i)] == 0) continue;
        add_squares(view, i, h[at(i)], sums);
        if (problem.has_intercept()) sums[view.cols] += h[at(i)];
      }
    });
  });
}

void hessian_times(const Problem& problem, std::span<const double> h, std::span<const double> p,
                   std::span<double> out) {
  const Fill fill = [&](Index first, std::span<const double> u, std::span<double> c) {
    for (std::size_t r = 0; r < u.size(); ++r) c[r] = h[at(first) + r] * u[r];
  };
  margins_then_sum(problem, p, fill, out);
}

}  // namespace s3gd
