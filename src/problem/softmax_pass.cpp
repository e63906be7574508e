#include "problem/softmax_pass.hpp"

#include <algorithm>
#include <memory>

#include "base/index.hpp"
#include "base/threads.hpp"
#include "kernel/kernel.hpp"
#include "problem/block_products.hpp"

namespace s3gd {
namespace {

constexpr Index kMostRows = 128;            // of a block
constexpr Index kBlockEntries = 48 << 10;   // of a block: it stays in the second-level cache between its two uses
constexpr Index kRowsInFloat = 4096;        // summed in float at most, before they are added to the double sum
constexpr Index kMostChunks = 32;           // accumulators at most ...
constexpr Index kChunkBytes = 256 << 20;    // ... and memory for them at most (two are always allowed)
constexpr Index kWorkPerChunk = 256 << 10;  // entries times classes; below this a chunk is not worth starting

// W as a table features x width in the type of the arithmetic, zeros behind the K of each feature.
template <class W>
std::vector<W> padded(std::span<const double> w, Index features, Index classes, Index width) {
  std::vector<W> table(at(features * width), W(0));
  for (Index j = 0; j < features; ++j)
    for (Index k = 0; k < classes; ++k) table[at(j * width + k)] = static_cast<W>(w[at(j * classes + k)]);
  return table;
}

template <class W>
const std::function<void(const SoftmaxBlock<W>&)>& watcher(const SoftmaxPass& pass) {
  if constexpr (std::is_same_v<W, float>)
    return pass.watch_float;
  else
    return pass.watch_double;
}

// What all chunks of a pass share.
template <class W>
struct Shared {
  const SoftmaxProblem& problem;
  const SoftmaxPass& pass;
  Index classes, width;
  std::vector<W> table;  // without the intercepts
  std::vector<W> bias;   // width of them
  Index block;
};

// Rows [begin, end) of those asked for. `sum` is dim() long, or null.
template <class View, class W>
RowSums run_chunk(const View& x, Index chunk, Index begin, Index end, const Shared<W>& shared, double* sum) {
  const SoftmaxPass& pass = shared.pass;
  const Index width = shared.width, classes = shared.classes;
  const auto y = shared.problem.targets();
  BlockProducts<View, W> products(x, width);
  std::vector<W> partial(sum == nullptr ? 0 : at(x.cols * width), W(0)), u(at(shared.block * width)),
      u_y(at(shared.block));
  std::vector<double> bias(at(width), 0.0), losses(at(shared.block));
  std::vector<Index> places(at(shared.block));
  if (sum != nullptr) std::fill(sum, sum + shared.problem.dim(), 0.0);
  const auto fold = [&] {
    for (Index j = 0; j < x.cols; ++j)
      for (Index k = 0; k < classes; ++k) sum[j * classes + k] += static_cast<double>(partial[at(j * width + k)]);
    std::fill(partial.begin(), partial.end(), W(0));
  };
  RowSums total;
  Index unfolded = 0;
  for (Index first = begin; first < end; first += shared.block) {
    const Index count = std::min(shared.block, end - first);
    const std::span<const Index> rows(places.data(), at(count));
    for (Index r = 0; r < count; ++r) places[at(r)] = pass.rows.empty() ? first + r : pass.rows[at(first + r)];
    products.times(rows, pass.rows.empty(), shared.table.data(), u.data());
    for (Index r = 0; r < count; ++r) {
      W* margins = u.data() + r * width;
      for (Index k = 0; k < width; ++k) margins[k] += shared.bias[at(k)];
      u_y[at(r)] = margins[y[at(rows[at(r)])]];
    }
    kernel::softmax_rows(count, classes, width, u.data(), losses.data());
    for (Index r = 0; r < count; ++r) {
      const double q = shared.problem.weight(rows[at(r)]);
      losses[at(r)] -= static_cast<double>(u_y[at(r)]);
      if (q != 0) total.loss += q * losses[at(r)];
      total.weight += q;
    }
    if (watcher<W>(pass)) watcher<W>(pass)({chunk, first, rows, width, u.data(), losses.data()});
    if (sum == nullptr) continue;
    for (Index r = 0; r < count; ++r) {
      const auto own = static_cast<std::size_t>(y[at(rows[at(r)])]);
      double q = shared.problem.weight(rows[at(r)]);
      if (!pass.class_scale.empty()) q *= pass.class_scale[own];
      W* slopes = u.data() + r * width;
      slopes[own] -= W(1);
      for (Index k = 0; k < width; ++k) slopes[k] *= static_cast<W>(q);
      for (Index k = 0; k < classes; ++k) bias[at(k)] += static_cast<double>(slopes[k]);
    }
    products.add(rows, u.data(), partial.data());
    if ((unfolded += count) >= kRowsInFloat && !std::is_same_v<W, double>) {
      fold();
      unfolded = 0;
    }
  }
  if (sum == nullptr) return total;
  fold();
  if (shared.problem.has_intercept()) std::copy_n(bias.begin(), classes, sum + x.cols * classes);
  return total;
}

template <class W, class View>
RowSums run(const SoftmaxProblem& problem, const View& x, std::span<const double> w, const SoftmaxPass& pass) {
  const Index count = pass.rows.empty() ? problem.rows() : static_cast<Index>(pass.rows.size());
  const Index per_row = std::max<Index>(1, problem.x().stored() / problem.rows());
  const Index classes = problem.classes(), width = kernel::table_width(classes), dim = problem.dim();
  Shared<W> shared{problem,
                   pass,
                   classes,
                   width,
                   padded<W>(w, x.cols, classes, width),
                   std::vector<W>(at(width), W(0)),
                   std::clamp<Index>(kBlockEntries / per_row / 8 * 8, 8, kMostRows)};
  for (Index k = 0; k < classes && problem.has_intercept(); ++k)
    shared.bias[at(k)] = static_cast<W>(w[at(x.cols * classes + k)]);
  const bool sums = !pass.gradient.empty();
  const Index chunks = pass_chunks(problem, count), size = (count + chunks - 1) / chunks;
  std::unique_ptr<double[]> partial(sums && chunks > 1 ? new double[at(chunks * dim)] : nullptr);
  std::vector<RowSums> parts(at(chunks));
  parallel_for(chunks, problem.spec().threads, [&](Index chunk) {
    double* sum = !sums ? nullptr : chunks == 1 ? pass.gradient.data() : partial.get() + chunk * dim;
    parts[at(chunk)] =
        run_chunk(x, chunk, std::min(count, chunk * size), std::min(count, (chunk + 1) * size), shared, sum);
  });
  RowSums total;
  for (const RowSums& part : parts) {
    total.loss += part.loss;
    total.weight += part.weight;
  }
  if (!sums || chunks == 1) return total;
  std::copy_n(partial.get(), dim, pass.gradient.begin());
  for (Index chunk = 1; chunk < chunks; ++chunk)
    kernel::axpy(1.0, partial.get() + chunk * dim, pass.gradient.data(), dim);
  return total;
}

}  // namespace

Index pass_chunks(const SoftmaxProblem& problem, Index rows) {
  const double per_row = static_cast<double>(problem.x().stored()) / static_cast<double>(problem.rows());
  const auto work = static_cast<Index>(per_row * static_cast<double>(rows * problem.classes()));
  const Index wanted = std::clamp<Index>(work / kWorkPerChunk, 1, kMostChunks);
  // A chunk's accumulator must be worth its zeros: as many entries as numbers.
  const Index affordable = std::max<Index>(2, std::min(kChunkBytes / (8 * problem.dim()), work / problem.dim()));
  return std::min({wanted, affordable, std::max<Index>(1, rows)});
}

RowSums run_pass(const SoftmaxProblem& problem, std::span<const double> w, const SoftmaxPass& pass) {
  return problem.x().visit([&](const auto& x) {
    using T = typename std::decay_t<decltype(x)>::Value;
    if (pass.arithmetic == Arithmetic::data) return run<T>(problem, x, w, pass);
    return run<double>(problem, x, w, pass);
  });
}

std::vector<float> probabilities_at(const SoftmaxProblem& problem, std::span<const double> w,
                                    std::span<const Index> rows) {
  const Index classes = problem.classes();
  std::vector<float> all(rows.size() * at(classes));
  const auto note = [&](const auto& block) {
    for (std::size_t r = 0; r < block.rows.size(); ++r)
      std::transform(block.probabilities + static_cast<Index>(r) * block.width,
                     block.probabilities + static_cast<Index>(r) * block.width + classes,
                     all.begin() + (block.first + static_cast<Index>(r)) * classes,
                     [](auto p) { return static_cast<float>(p); });
  };
  SoftmaxPass pass;
  pass.rows = rows;
  pass.watch_float = note;
  pass.watch_double = note;
  run_pass(problem, w, pass);
  return all;
}

}  // namespace s3gd
