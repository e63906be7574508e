#include "problem/row_sums.hpp"

#include <memory>
#include <numeric>

#include "base/index.hpp"
#include "base/threads.hpp"
#include "data/checks.hpp"
#include "data/row_access.hpp"
#include "problem/block_products.hpp"
#include "problem/full_pass.hpp"
#include "problem/loss.hpp"

namespace s3gd {
namespace {

constexpr Index kMostRows = kMostPlaces;      // of a block
constexpr Index kBlockEntries = 24 << 10;     // of a block: it stays in the second-level cache between its two uses
constexpr Index kRowsInFloat = 4096;          // summed in float at most, before they are added to the double sum
constexpr Index kMostChunks = 32;             // accumulators at most ...
constexpr Index kChunkBytes = 16 << 20;       // ... and memory for them at most
constexpr Index kEntriesPerChunk = 64 << 10;  // below this a chunk is not worth starting

constexpr Index kAhead = 8;  // rows fetched before their turn, where they do not follow each other

struct WatchedSums : RowSums {
  double residue = 0;  // 0 times each margin: 0 where all are finite
};

// What all chunks of a pass share. W is the type of the arithmetic.
template <class W>
struct Pass {
  const Problem& problem;
  std::span<const Index> rows;
  std::vector<W> w;  // without the intercept
  double intercept = 0;
  Loss loss;
  const PerRow& keep;
  const double* targets = nullptr;
  const double* weights = nullptr;  // null: all rows weigh `weight`
  double weight = 0;
  Index block = 0;               // rows of a block
  bool part_is_positive = true;  // which class is summed apart
  Index fold_every = 0;          // rows between two additions of the float sum to the double sum
};

// Asks for a block of scattered rows at once, so that their ways from memory overlap.
template <class View, class W>
void fetch(const View& x, const Pass<W>& pass, std::span<const Index> rows) {
  for (const Index i : rows) {
    __builtin_prefetch(pass.targets + i);
    if constexpr (is_dense_view<View>)
      prefetch_row(x, i);
    else
      __builtin_prefetch(x.starts + i);
    if (pass.weights != nullptr) __builtin_prefetch(pass.weights + i);
  }
  if constexpr (!is_dense_view<View>)
    for (const Index i : rows) prefetch_row(x, i);
}

// A sum in four chains, so that the additions overlap.
template <class Term>
double sum_of(Index count, const Term& term) {
  double s[4] = {0, 0, 0, 0};
  Index r = 0;
  for (; r + 3 < count; r += 4)
    for (Index k = 0; k < 4; ++k) s[k] += term(r + k);
  for (; r < count; ++r) s[0] += term(r);
  return (s[0] + s[1]) + (s[2] + s[3]);
}

void weigh(const double* __restrict q, Index count, double* __restrict values) {
  for (Index r = 0; r < count; ++r) values[r] *= q[r];
}

double residue_of(std::span<const double> margins) {
  return sum_of(static_cast<Index>(margins.size()), [&](Index i) { return 0.0 * margins[at(i)]; });
}

// The rows of a block that belong to one class.
struct OfClass {
  Index places[kMostRows];
  double slopes[kMostRows], losses[kMostRows];
  Index count = 0;
  void add(Index place, double slope, double loss, bool wanted) {  // no branch: the next one is written over it
    places[count] = place;
    slopes[count] = slope;
    losses[count] = loss;
    count += wanted ? 1 : 0;
  }
};

// Rows [begin, end) of a pass. `sum` is dim() long; the intercept's component comes last. `part` is null or like it: of
// one class alone, whose loss is then positive_loss.
template <class View, class W>
WatchedSums run_chunk(const View& x, Index begin, Index end, const Pass<W>& pass, double* sum, double* part) {
  constexpr bool kFolds = !std::is_same_v<W, double>;
  std::vector<W> partial(kFolds ? at(x.cols) : 0, W(0));
  std::fill(sum, sum + pass.problem.dim(), 0.0);
  if (part != nullptr) std::fill(part, part + pass.problem.dim(), 0.0);
  WatchedSums total;
  double bias = 0, part_bias = 0;
  Index places[kMostRows];
  double u[kMostRows], gathered[kMostRows], q[kMostRows], value[kMostRows], slope[kMostRows];
  const auto fold = [&] {
    for (std::size_t j = 0; j < partial.size(); ++j) sum[j] += static_cast<double>(partial[j]);
    std::fill(partial.begin(), partial.end(), W(0));
  };
  Index unfolded = 0;
  std::fill_n(q, kMostRows, pass.weight);
  for (Index first = begin; first < end; first += pass.block) {
    const Index count = std::min(pass.block, end - first);
    if (!pass.rows.empty()) fetch(x, pass, pass.rows.subspan(at(first), at(count)));
    if (pass.rows.empty())
      std::iota(places, places + count, first);
    else
      std::copy_n(pass.rows.begin() + first, count, places);
    const double* y = pass.targets + first;
    if (!pass.rows.empty()) {
      for (Index r = 0; r < count; ++r) gathered[r] = pass.targets[places[r]];
      y = gathered;
    }
    if (pass.weights != nullptr)
      for (Index r = 0; r < count; ++r) q[r] = pass.weights[places[r]];
    dot_places(x, {places, at(count)}, pass.w.data(), u);
    for (Index r = 0; r < count; ++r) u[r] += pass.intercept;
    total.residue += residue_of({u, at(count)});
    double* const curvature = pass.keep.curvatures.empty() ? nullptr : pass.keep.curvatures.data() + first;
    pass.loss.terms(u, y, count, {value, slope, curvature});
    weigh(q, count, value);
    weigh(q, count, slope);
    if (curvature != nullptr) weigh(q, count, curvature);
    for (Index r = 0; r < count; ++r) total.loss += value[r];  // row by row, as a pass over margins alone does
    total.weight += sum_of(count, [&](Index r) { return q[r]; });
    bias += sum_of(count, [&](Index r) { return slope[r]; });
    if (!pass.keep.margins.empty()) std::copy_n(u, count, pass.keep.margins.begin() + first);
    if constexpr (kFolds) {
      add_places(x, {places, at(count)}, slope, 0, x.cols, partial.data());
      if ((unfolded += count) >= pass.fold_every) {
        fold();
        unfolded = 0;
      }
    } else {
      add_places(x, {places, at(count)}, slope, 0, x.cols, sum);
      if (part == nullptr) continue;
      OfClass few;
      for (Index r = 0; r < count; ++r) few.add(places[r], slope[r], value[r], (y[r] > 0) == pass.part_is_positive);
      add_places(x, {few.places, at(few.count)}, few.slopes, 0, x.cols, part);
      total.positive_loss += sum_of(few.count, [&](Index r) { return few.losses[r]; });
      part_bias += sum_of(few.count, [&](Index r) { return few.slopes[r]; });
    }
  }
  fold();
  if (part != nullptr && pass.problem.has_intercept()) part[x.cols] = part_bias;
  if (pass.problem.has_intercept()) sum[x.cols] = bias;
  return total;
}

struct Cut {
  Index chunks = 1;
  bool too_wide = false;  // accumulators would not fit: whole passes go by columns instead
};

Cut cut_of(const Problem& problem, Index rows) {
  const double per_row = static_cast<double>(problem.x().stored()) / static_cast<double>(problem.rows());
  const auto entries = static_cast<Index>(per_row * static_cast<double>(rows));
  const Index wanted = std::clamp<Index>(entries / kEntriesPerChunk, 1, kMostChunks);
  const Index affordable =
      std::max<Index>(1, std::min(kChunkBytes / (8 * problem.dim()), entries / (2 * problem.dim())));
  return {std::min(wanted, affordable), affordable < std::min<Index>(wanted, 8)};
}

// By a look at some of them: it is a matter of cost alone.
bool fewer_positives(const Problem& problem) {
  const auto some = problem.targets().first(std::min<std::size_t>(problem.targets().size(), 1024));
  return 2 * std::count_if(some.begin(), some.end(), [](double y) { return y > 0; }) <= std::ssize(some);
}

template <class W, class View>
WatchedSums run(const Problem& problem, const View& x, std::span<const Index> rows, std::span<const double> w,
                std::span<double> gradient, const PerRow& keep) {
  const Index count = rows.empty() ? problem.rows() : static_cast<Index>(rows.size());
  const Index per_row = std::max<Index>(1, problem.x().stored() / problem.rows());
  Pass<W> pass{problem,
               rows,
               {w.begin(), w.begin() + x.cols},
               problem.has_intercept() ? w[at(x.cols)] : 0.0,
               Loss(problem.spec().loss),
               keep};
  pass.targets = problem.targets().data();
  pass.weights = problem.weights().empty() ? nullptr : problem.weights().data();
  pass.weight = pass.weights == nullptr ? problem.weight(0) : 0;
  pass.block = std::clamp<Index>(kBlockEntries / per_row / 8 * 8, 8, kMostRows);
  pass.fold_every = std::clamp<Index>(16 * x.cols / per_row, pass.block, kRowsInFloat);
  const Index chunks = cut_of(problem, count).chunks;
  const bool apart = !keep.positive_gradient.empty();
  pass.part_is_positive = fewer_positives(problem);
  const Index size = (count + chunks - 1) / chunks, dim = problem.dim();
  std::unique_ptr<double[]> sums, parts;
  if (chunks > 1) sums.reset(new double[at(chunks * dim)]);
  if (chunks > 1 && apart) parts.reset(new double[at(chunks * dim)]);
  double* const first_sum = chunks > 1 ? sums.get() : gradient.data();
  double* const first_part = chunks > 1 ? parts.get() : keep.positive_gradient.data();
  std::vector<WatchedSums> totals(at(chunks));
  parallel_for(chunks, problem.spec().threads, [&](Index chunk) {
    totals[at(chunk)] = run_chunk(x, std::min(count, chunk * size), std::min(count, (chunk + 1) * size), pass,
                                  first_sum + chunk * dim, apart ? first_part + chunk * dim : nullptr);
  });
  WatchedSums total;
  for (const WatchedSums& one : totals) {
    total.loss += one.loss;
    total.weight += one.weight;
    total.residue += one.residue;
    total.positive_loss += one.positive_loss;
  }
  const auto add_up = [&](const double* of_chunks, std::span<double> out) {
    if (chunks > 1) std::copy_n(of_chunks, dim, out.begin());
    for (Index chunk = 1; chunk < chunks; ++chunk) kernel::axpy(1.0, of_chunks + chunk * dim, out.data(), dim);
  };
  add_up(first_sum, gradient);
  if (!apart) return total;
  add_up(first_part, keep.positive_gradient);
  if (pass.part_is_positive) return total;
  for (Index j = 0; j < dim; ++j) keep.positive_gradient[at(j)] = gradient[at(j)] - keep.positive_gradient[at(j)];
  total.positive_loss = total.loss - total.positive_loss;
  return total;
}

// Where the pass over all rows went by columns.
double sum_positives(const Problem& problem, std::span<const double> w, std::span<double> gradient) {
  std::vector<Index> rows;
  for (Index i = 0; i < problem.rows(); ++i)
    if (problem.targets()[at(i)] > 0) rows.push_back(i);
  if (rows.empty()) {
    std::fill(gradient.begin(), gradient.end(), 0.0);
    return 0;
  }
  return problem.x().visit([&](const auto& x) { return run<double>(problem, x, rows, w, gradient, {}).loss; });
}

WatchedSums run_by_columns(const Problem& problem, std::span<const double> w, std::span<double> gradient,
                           const PerRow& keep) {
  std::vector<double> own;
  std::span<double> u = keep.margins;
  if (u.empty()) {
    own.resize(at(problem.rows()));
    u = own;
  }
  WatchedSums total;
  total.loss = loss_and_gradient(problem, w, gradient, u);
  total.weight = problem.total_weight();
  total.residue = residue_of(u);
  if (!keep.positive_gradient.empty()) total.positive_loss = sum_positives(problem, w, keep.positive_gradient);
  const Loss loss(problem.spec().loss);
  for (std::size_t i = 0; i < keep.curvatures.size(); ++i)
    keep.curvatures[i] = problem.weight(static_cast<Index>(i)) * loss.curvature(u[i], problem.targets()[i]);
  return total;
}

WatchedSums run(const Problem& problem, std::span<const Index> rows, std::span<const double> w, Arithmetic arithmetic,
                std::span<double> gradient, const PerRow& keep) {
  if (rows.empty() && cut_of(problem, problem.rows()).too_wide) return run_by_columns(problem, w, gradient, keep);
  return problem.x().visit([&](const auto& x) {
    using T = typename std::decay_t<decltype(x)>::Value;
    constexpr bool kDense = is_dense_view<std::decay_t<decltype(x)>>;  // sparse rows gain nothing from float sums
    if (kDense && arithmetic == Arithmetic::data && keep.positive_gradient.empty())
      return run<T>(problem, x, rows, w, gradient, keep);
    return run<double>(problem, x, rows, w, gradient, keep);
  });
}

}  // namespace

RowSums sum_rows(const Problem& problem, std::span<const Index> rows, std::span<const double> w, Arithmetic arithmetic,
                 std::span<double> gradient, const PerRow& keep) {
  const WatchedSums sums = run(problem, rows, w, arithmetic, gradient, keep);
  if (const auto* watch = dynamic_cast<const MarginWatch*>(problem.data().verifier.get()))
    watch->made_margins(rows.empty(), sums.residue == 0, problem.spec().threads);
  return sums;
}

}  // namespace s3gd
