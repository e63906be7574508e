#include "problem/table_pass.hpp"

#include <algorithm>
#include <memory>

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
constexpr Index kChunkBytes = 256 << 20;    // ... and memory for them at most (two are always allowed)
constexpr Index kWorkPerChunk = 256 << 10;  // entries times outputs; below this a chunk is not worth starting

Index chunks_of(const Matrix& x, Index rows, Index outputs) {
  const double per_row = static_cast<double>(x.stored()) / static_cast<double>(std::max<Index>(1, x.rows()));
  const auto work = static_cast<Index>(per_row * static_cast<double>(rows * outputs));
  const Index wanted = std::clamp<Index>(work / kWorkPerChunk, 1, kMostChunks), size = (x.cols() + 1) * outputs;
  // A chunk's accumulator must be worth its zeros: as many entries as numbers.
  const Index affordable = std::max<Index>(2, std::min(kChunkBytes / (8 * size), work / size));
  return std::min({wanted, affordable, std::max<Index>(1, rows)});
}

// How a pass goes over the rows. W is the type of the arithmetic.
template <class W>
struct TablePass {
  TablePass(const Matrix& x, std::span<const Index> some, Index number, int most_threads)
      : rows(some),
        count(some.empty() ? x.rows() : static_cast<Index>(some.size())),
        outputs(number),
        width(kernel::table_width(number)),
        chunks(chunks_of(x, count, number)),
        block(std::clamp<Index>(kBlockEntries / std::max<Index>(1, x.stored() / std::max<Index>(1, x.rows())) / 8 * 8,
                                8, kMostRows)),
        threads(most_threads),
        table(at(x.cols() * width), W(0)) {}

  std::span<const Index> rows;  // empty = all
  Index count, outputs, width, chunks, block;
  int threads;
  std::vector<W> table;  // columns x width, zeros behind the outputs of each, without the intercepts

  // Has turn(chunk, first, rows, u) make slopes of the margins u of each block (rows x width, without the intercepts), the first
  // of them at this place among the rows; returns sum_i x_i slopes_i', columns x width, where that is wanted.
  template <class View, class Turn>
  std::unique_ptr<double[]> run(const View& x, bool wanted, const Turn& turn) const {
    const Index size = x.cols * width, rows_each = (count + chunks - 1) / chunks;
    std::unique_ptr<double[]> sums(wanted ? new double[at(chunks * size)] : nullptr);
    parallel_for(chunks, threads, [&](Index chunk) {
      run_chunk(x, chunk, std::min(count, chunk * rows_each), std::min(count, (chunk + 1) * rows_each),
                wanted ? sums.get() + chunk * size : nullptr, turn);
    });
    for (Index chunk = 1; chunk < chunks && wanted; ++chunk)
      kernel::axpy(1.0, sums.get() + chunk * size, sums.get(), size);
    return sums;
  }

 private:
  template <class View, class Turn>
  void run_chunk(const View& x, Index chunk, Index begin, Index end, double* sum, const Turn& turn) const {
    constexpr bool kFolds = !std::is_same_v<W, double>;
    const Index size = sum == nullptr ? 0 : x.cols * width;
    BlockProducts<View, W> products(x, width);
    std::vector<W> partial(kFolds ? at(size) : 0, W(0)), u(at(block * width));
    std::vector<Index> places(at(block));
    std::fill_n(sum, size, 0.0);
    const auto fold = [&] {
      for (std::size_t j = 0; j < partial.size(); ++j) sum[j] += static_cast<double>(partial[j]);
      std::fill(partial.begin(), partial.end(), W(0));
    };
    Index unfolded = 0;
    for (Index first = begin; first < end; first += block) {
      const std::span<const Index> here(places.data(), at(std::min(block, end - first)));
      for (std::size_t r = 0; r < here.size(); ++r)
        places[r] = rows.empty() ? first + static_cast<Index>(r) : rows[at(first) + r];
      products.times(here, rows.empty(), table.data(), u.data());
      turn(chunk, first, here, u.data());
      if (sum == nullptr) continue;
      if constexpr (kFolds) {
        products.add(here, u.data(), partial.data());
        if ((unfolded += block) < kRowsInFloat) continue;
        fold();
        unfolded = 0;
      } else {
        products.add(here, u.data(), sum);
      }
    }
    fold();
  }
};

template <class W>
const std::function<void(const SoftmaxBlock<W>&)>& watcher(const SoftmaxPass& pass) {
  if constexpr (std::is_same_v<W, float>)
    return pass.watch_float;
  else
    return pass.watch_double;
}

// Probabilities become slopes times weights, whose sums are added to `bias`.
template <class W>
void turn_into_slopes(const SoftmaxProblem& problem, const SoftmaxPass& pass, std::span<const Index> rows, Index width,
                      W* slopes, double* bias) {
  for (const Index i : rows) {
    const std::size_t own = at(problem.targets()[at(i)]);
    const double q = problem.weight(i) * (pass.class_scale.empty() ? 1.0 : pass.class_scale[own]);
    slopes[own] -= W(1);
    for (Index k = 0; k < width; ++k) slopes[k] *= static_cast<W>(q);
    for (Index k = 0; k < problem.classes(); ++k) bias[k] += static_cast<double>(slopes[k]);
    slopes += width;
  }
}

template <class W, class View>
RowSums run(const SoftmaxProblem& problem, const View& x, std::span<const double> w, const SoftmaxPass& pass) {
  const Index classes = problem.classes();
  TablePass<W> table(problem.x(), pass.rows, classes, problem.spec().threads);
  const Index width = table.width;
  const bool adds = !pass.gradient.empty();
  std::vector<W> shift(at(width), W(0));
  for (Index j = 0; j < x.cols; ++j)
    for (Index k = 0; k < classes; ++k) table.table[at(j * width + k)] = static_cast<W>(w[at(j * classes + k)]);
  for (Index k = 0; k < classes && problem.has_intercept(); ++k)
    shift[at(k)] = static_cast<W>(w[at(x.cols * classes + k)]);
  std::vector<RowSums> totals(at(table.chunks));
  std::vector<double> bias(at(table.chunks * classes), 0.0);
  const auto sums = table.run(x, adds, [&](Index chunk, Index first, std::span<const Index> rows, W* u) {
    double losses[kMostRows];
    W own[kMostRows];
    for (std::size_t r = 0; r < rows.size(); ++r) {
      W* margins = u + static_cast<Index>(r) * width;
      for (Index k = 0; k < width; ++k) margins[k] += shift[at(k)];
      own[r] = margins[problem.targets()[at(rows[r])]];
    }
    kernel::softmax_rows(static_cast<Index>(rows.size()), classes, width, u, losses);
    RowSums& total = totals[at(chunk)];
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const double q = problem.weight(rows[r]);
      losses[r] -= static_cast<double>(own[r]);
      if (q != 0) total.loss += q * losses[r];
      total.weight += q;
    }
    if (watcher<W>(pass)) watcher<W>(pass)({chunk, first, rows, width, u, losses});
    if (adds) turn_into_slopes(problem, pass, rows, width, u, bias.data() + chunk * classes);
  });
  RowSums total;
  for (const RowSums& part : totals) {
    total.loss += part.loss;
    total.weight += part.weight;
  }
  if (!adds) return total;
  for (Index j = 0; j < x.cols; ++j) std::copy_n(sums.get() + j * width, classes, pass.gradient.begin() + j * classes);
  if (!problem.has_intercept()) return total;
  for (Index chunk = 1; chunk < table.chunks; ++chunk)
    kernel::axpy(1.0, bias.data() + chunk * classes, bias.data(), classes);
  std::copy_n(bias.begin(), classes, pass.gradient.end() - classes);
  return total;
}

// Targets and weights of a block of rows for one problem: where they lie, or gathered.
struct BlockTargets {
  double y[kMostRows], q[kMostRows];

  const double* of(std::span<const double> values, Index first, std::span<const Index> rows, bool adjacent,
                   double* gathered) {
    if (adjacent) return values.data() + first;
    for (std::size_t r = 0; r < rows.size(); ++r) gathered[r] = values[at(rows[r])];
    return gathered;
  }
};

// One class's margins in column `u` of a block become slopes times weights.
template <class W>
void turn_into_slopes(const ClassPass& one, const Loss& loss, double shift, Index first, std::span<const Index> rows,
                      bool adjacent, Index width, W* u, RowSums& total, double& bias) {
  const Problem& problem = *one.problem;
  const auto count = static_cast<Index>(rows.size());
  BlockTargets block;
  double margin[kMostRows], value[kMostRows], slope[kMostRows], curvature[kMostRows];
  const double* y = block.of(problem.targets(), first, rows, adjacent, block.y);
  std::fill_n(block.q, count, problem.weight(0));
  const double* q = problem.weights().empty() ? block.q : block.of(problem.weights(), first, rows, adjacent, block.q);
  for (Index r = 0; r < count; ++r) margin[r] = static_cast<double>(u[r * width]) + shift;
  const bool curved = !one.keep.curvatures.empty();
  loss.terms(margin, y, count, {value, slope, curved ? curvature : nullptr});
  for (Index r = 0; r < count; ++r) {
    total.loss += q[r] * value[r];
    total.weight += q[r];
    slope[r] *= q[r];
    bias += slope[r];
    u[r * width] = static_cast<W>(slope[r]);
  }
  if (!one.keep.margins.empty()) std::copy_n(margin, count, one.keep.margins.begin() + first);
  for (Index r = 0; r < count && curved; ++r) one.keep.curvatures[at(first + r)] = q[r] * curvature[r];
}

template <class W, class View>
void run(const View& x, std::span<ClassPass> classes, std::span<const Index> rows) {
  const Problem& like = *classes[0].problem;
  const Loss loss(like.spec().loss);
  const std::size_t k = classes.size();
  TablePass<W> table(like.x(), rows, static_cast<Index>(k), like.spec().threads);
  const std::size_t width = at(table.width), cols = at(x.cols);
  for (std::size_t c = 0; c < k; ++c)
    for (std::size_t j = 0; j < cols; ++j) table.table[j * width + c] = static_cast<W>(classes[c].w[j]);
  std::vector<RowSums> totals(at(table.chunks) * k);
  std::vector<double> bias(totals.size(), 0.0);
  const auto sums = table.run(x, true, [&](Index chunk, Index first, std::span<const Index> here, W* u) {
    for (std::size_t c = 0; c < k; ++c)
      turn_into_slopes(classes[c], loss, like.has_intercept() ? classes[c].w[cols] : 0.0, first, here, rows.empty(),
                       table.width, u + c, totals[at(chunk) * k + c], bias[at(chunk) * k + c]);
  });
  for (std::size_t c = 0; c < k; ++c) {
    ClassPass& one = classes[c];
    one.sums = {};
    double total_bias = 0;
    for (std::size_t part = c; part < totals.size(); part += k) {
      one.sums.loss += totals[part].loss;
      one.sums.weight += totals[part].weight;
      total_bias += bias[part];
    }
    for (std::size_t j = 0; j < cols; ++j) one.gradient[j] = sums[j * width + c];
    if (like.has_intercept()) one.gradient[cols] = total_bias;
  }
}

}  // namespace

Index pass_chunks(const SoftmaxProblem& problem, Index rows) { return chunks_of(problem.x(), rows, problem.classes()); }

RowSums run_pass(const SoftmaxProblem& problem, std::span<const double> w, const SoftmaxPass& pass) {
  return problem.x().visit([&](const auto& x) {
    using T = typename std::decay_t<decltype(x)>::Value;
    return pass.arithmetic == Arithmetic::data ? run<T>(problem, x, w, pass) : run<double>(problem, x, w, pass);
  });
}

void sum_rows_together(std::span<ClassPass> classes, std::span<const Index> rows, Arithmetic arithmetic) {
  if (classes.empty()) return;
  classes[0].problem->x().visit([&](const auto& x) {
    using T = typename std::decay_t<decltype(x)>::Value;
    return arithmetic == Arithmetic::data ? run<T>(x, classes, rows) : run<double>(x, classes, rows);
  });
}

std::vector<float> probabilities_at(const SoftmaxProblem& problem, std::span<const double> w,
                                    std::span<const Index> rows) {
  const Index classes = problem.classes();
  std::vector<float> all(rows.size() * at(classes));
  if (rows.empty()) return all;  // to a pass that would be all of them
  const auto note = [&](const auto& block) {
    for (std::size_t r = 0; r < block.rows.size(); ++r) {
      const auto* p = block.probabilities + static_cast<Index>(r) * block.width;
      std::transform(p, p + classes, all.begin() + (block.first + static_cast<Index>(r)) * classes,
                     [](auto one) { return static_cast<float>(one); });
    }
  };
  SoftmaxPass pass;
  pass.rows = rows;
  pass.watch_float = note;
  pass.watch_double = note;
  run_pass(problem, w, pass);
  return all;
}

}  // namespace s3gd
