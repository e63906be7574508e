#include "problem/class_pass.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/index.hpp"
#include "base/threads.hpp"
#include "kernel/kernel.hpp"
#include "problem/block_products.hpp"
#include "problem/loss.hpp"

namespace s3gd {
namespace {

constexpr Index kMostRows = 128;            // of a block
constexpr Index kBlockEntries = 48 << 10;   // of a block: it stays in the second-level cache between its two uses
constexpr Index kRowsInFloat = 4096;        // summed in float at most, before they are added to the double sum
constexpr Index kMostChunks = 32;           // accumulators at most ...
constexpr Index kChunkBytes = 64 << 20;     // ... and memory for them at most (two are always allowed)
constexpr Index kWorkPerChunk = 256 << 10;  // entries times classes; below this a chunk is not worth starting

// What all chunks of a pass share. W is the type of the arithmetic.
template <class W>
struct Shared {
  std::span<const ClassPass> classes;
  std::span<const Index> rows;
  Index width = 0, block = 0;
  std::vector<W> table;      // columns x width, without the intercepts
  std::vector<double> bias;  // one for each class
  Loss loss;
};

// Targets and weights of a block of rows for one problem: where they lie, or gathered.
struct BlockTargets {
  double y[kMostRows], q[kMostRows];

  const double* targets(const Problem& problem, Index first, std::span<const Index> rows, bool adjacent) {
    if (adjacent) return problem.targets().data() + first;
    for (std::size_t r = 0; r < rows.size(); ++r) y[r] = problem.targets()[at(rows[r])];
    return y;
  }
  const double* weights(const Problem& problem, Index first, std::span<const Index> rows, bool adjacent) {
    if (problem.weights().empty()) {
      std::fill_n(q, rows.size(), problem.weight(0));
      return q;
    }
    if (adjacent) return problem.weights().data() + first;
    for (std::size_t r = 0; r < rows.size(); ++r) q[r] = problem.weights()[at(rows[r])];
    return q;
  }
};

// The margins in u (rows x width, without the intercepts) become slopes times weights, class by class.
template <class W>
void turn_into_slopes(const Shared<W>& shared, Index first, std::span<const Index> rows, W* u, RowSums* totals,
                      double* bias) {
  const auto count = static_cast<Index>(rows.size());
  const bool adjacent = shared.rows.empty();
  BlockTargets block;
  double margin[kMostRows], value[kMostRows], slope[kMostRows], curvature[kMostRows];
  for (std::size_t k = 0; k < shared.classes.size(); ++k) {
    const ClassPass& one = shared.classes[k];
    const double* y = block.targets(*one.problem, first, rows, adjacent);
    const double* q = block.weights(*one.problem, first, rows, adjacent);
    W* column = u + k;
    for (Index r = 0; r < count; ++r) margin[r] = static_cast<double>(column[r * shared.width]) + shared.bias[k];
    const bool curved = !one.keep.curvatures.empty();
    shared.loss.terms(margin, y, count, {value, slope, curved ? curvature : nullptr});
    for (Index r = 0; r < count; ++r) {
      totals[k].loss += q[r] * value[r];
      totals[k].weight += q[r];
      slope[r] *= q[r];
      bias[k] += slope[r];
      column[r * shared.width] = static_cast<W>(slope[r]);
    }
    if (!one.keep.margins.empty()) std::copy_n(margin, count, one.keep.margins.begin() + first);
    for (Index r = 0; r < count && curved; ++r) one.keep.curvatures[at(first + r)] = q[r] * curvature[r];
  }
}

// Rows [begin, end) of those asked for. `sum` is columns x width and the width intercepts.
template <class View, class W>
void run_chunk(const View& x, Index begin, Index end, const Shared<W>& shared, double* sum, RowSums* totals) {
  const Index width = shared.width, size = x.cols * width;
  constexpr bool kFolds = !std::is_same_v<W, double>;
  BlockProducts<View, W> products(x, width);
  std::vector<W> partial(kFolds ? at(size) : 0, W(0)), u(at(shared.block * width));
  std::vector<Index> places(at(shared.block));
  std::fill(sum, sum + size + width, 0.0);
  const auto fold = [&] {
    for (std::size_t j = 0; j < partial.size(); ++j) sum[j] += static_cast<double>(partial[j]);
    std::fill(partial.begin(), partial.end(), W(0));
  };
  Index unfolded = 0;
  for (Index first = begin; first < end; first += shared.block) {
    const Index count = std::min(shared.block, end - first);
    const std::span<const Index> rows(places.data(), at(count));
    for (Index r = 0; r < count; ++r) places[at(r)] = shared.rows.empty() ? first + r : shared.rows[at(first + r)];
    products.times(rows, shared.rows.empty(), shared.table.data(), u.data());
    turn_into_slopes(shared, first, rows, u.data(), totals, sum + size);
    if constexpr (kFolds) {
      products.add(rows, u.data(), partial.data());
      if ((unfolded += count) < kRowsInFloat) continue;
      fold();
      unfolded = 0;
    } else {
      products.add(rows, u.data(), sum);
    }
  }
  fold();
}

Index chunks_of(const Matrix& x, Index rows, Index width) {
  const double per_row = static_cast<double>(x.stored()) / static_cast<double>(std::max<Index>(1, x.rows()));
  const auto work = static_cast<Index>(per_row * static_cast<double>(rows * width));
  const Index wanted = std::clamp<Index>(work / kWorkPerChunk, 1, kMostChunks);
  const Index size = (x.cols() + 1) * width;
  // A chunk's accumulator must be worth its zeros: as many entries as numbers.
  const Index affordable = std::max<Index>(2, std::min(kChunkBytes / (8 * size), work / size));
  return std::min({wanted, affordable, std::max<Index>(1, rows)});
}

template <class W, class View>
void run(const View& x, std::span<ClassPass> classes, std::span<const Index> rows) {
  const Problem& first = *classes[0].problem;
  const Index count = rows.empty() ? x.rows : static_cast<Index>(rows.size());
  const Index per_row = std::max<Index>(1, first.x().stored() / std::max<Index>(1, x.rows));
  const auto k = static_cast<Index>(classes.size());
  Shared<W> shared{
      classes, rows, kernel::table_width(k), 0, {}, std::vector<double>(at(k), 0.0), Loss(first.spec().loss)};
  const Index width = shared.width, size = (x.cols + 1) * width;
  shared.block = std::clamp<Index>(kBlockEntries / per_row / 8 * 8, 8, kMostRows);
  shared.table.assign(at(x.cols * width), W(0));
  for (Index c = 0; c < k; ++c) {
    for (Index j = 0; j < x.cols; ++j) shared.table[at(j * width + c)] = static_cast<W>(classes[at(c)].w[at(j)]);
    if (first.has_intercept()) shared.bias[at(c)] = classes[at(c)].w[at(x.cols)];
  }
  const Index chunks = chunks_of(first.x(), count, width), rows_each = (count + chunks - 1) / chunks;
  const std::unique_ptr<double[]> sums(new double[at(chunks * size)]);
  std::vector<RowSums> totals(at(chunks * k));
  parallel_for(chunks, first.spec().threads, [&](Index chunk) {
    run_chunk(x, std::min(count, chunk * rows_each), std::min(count, (chunk + 1) * rows_each), shared,
              sums.get() + chunk * size, totals.data() + chunk * k);
  });
  for (Index chunk = 1; chunk < chunks; ++chunk) kernel::axpy(1.0, sums.get() + chunk * size, sums.get(), size);
  for (Index c = 0; c < k; ++c) {
    ClassPass& one = classes[at(c)];
    one.sums = {};
    for (Index chunk = 0; chunk < chunks; ++chunk) {
      one.sums.loss += totals[at(chunk * k + c)].loss;
      one.sums.weight += totals[at(chunk * k + c)].weight;
    }
    for (std::size_t j = 0; j < one.gradient.size(); ++j) one.gradient[j] = sums[j * at(width) + at(c)];
  }
}

}  // namespace

void sum_rows_together(std::span<ClassPass> classes, std::span<const Index> rows, Arithmetic arithmetic) {
  if (classes.empty()) return;
  classes[0].problem->x().visit([&](const auto& x) {
    using T = typename std::decay_t<decltype(x)>::Value;
    if (arithmetic == Arithmetic::data) return run<T>(x, classes, rows);
    return run<double>(x, classes, rows);
  });
}

}  // namespace s3gd
