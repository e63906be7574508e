// The loop behind every pass that sums rows: blocks of rows, their margins, what they are multiplied by, their sum.
#include <memory>
#include <numeric>

#include "base/index.hpp"
#include "base/threads.hpp"
#include "data/checks.hpp"
#include "data/row_access.hpp"
#include "problem/block_products.hpp"
#include "problem/full_pass.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

constexpr Index kMostRows = WeighedLoss::kMost;  // of a block
static_assert(kMostRows <= static_cast<Index>(kMostPlaces));
constexpr Index kBlockEntries = 24 << 10;     // of a block: it stays in the second-level cache between its two uses
constexpr Index kRowsInFloat = 4096;          // summed in float at most, before they are added to the double sum
constexpr Index kMostChunks = 32;             // accumulators at most ...
constexpr Index kChunkBytes = 16 << 20;       // ... and memory for them at most
constexpr Index kEntriesPerChunk = 64 << 10;  // below this a chunk is not worth starting
constexpr Index kRowsPerChunk = 512;          // where sums go by columns
constexpr Index kColumnBlock = 4096;          // of dense rows: a border changes how the kernel groups its additions

// Some rows of a block and what they are multiplied by.
struct Picked {
  Index places[kMostRows];
  double coefficients[kMostRows];
  Index count = 0;
  void add(Index place, double coefficient, bool wanted) {  // no branch: the next one is written over it
    places[count] = place;
    coefficients[count] = coefficient;
    count += wanted ? 1 : 0;
  }
};

// out += sum_r c_r x_r over these columns, where many c may be zero. Sparse rows look at each c themselves.
template <class View, class W>
void add_some(const View& x, std::span<const Index> rows, const double* c, Index begin, Index end, W* out) {
  if (!is_dense_view<View>) return add_places(x, rows, c, begin, end, out);
  Picked some;
  for (std::size_t r = 0; r < rows.size(); ++r) some.add(rows[r], c[r], c[r] != 0);
  add_places(x, {some.places, at(some.count)}, some.coefficients, begin, end, out);
}

// A sum for each chunk of rows, added up in their order. That of a single chunk is made where it is wanted.
class ChunkSums {
 public:
  ChunkSums(Index chunks, std::span<double> out)
      : chunks_(chunks), out_(out), own_(chunks > 1 ? new double[at(chunks) * out.size()] : nullptr) {}
  double* of(Index chunk) { return own_ ? own_.get() + chunk * std::ssize(out_) : out_.data(); }
  void add_up() {
    if (own_) std::copy_n(of(0), out_.size(), out_.begin());
    for (Index chunk = 1; chunk < chunks_; ++chunk) kernel::axpy(1.0, of(chunk), out_.data(), std::ssize(out_));
  }

 private:
  Index chunks_;
  std::span<double> out_;
  std::unique_ptr<double[]> own_;
};

// W is the type of the arithmetic.
template <class View, class W>
class RowPass {
 public:
  // `rows` empty = all; `w` empty: their margins are not needed. few: many rows may be multiplied by zero.
  RowPass(const Problem& problem, const View& x, std::span<const Index> rows, std::span<const double> w, bool few)
      : problem_(problem),
        x_(x),
        rows_(rows),
        w_(w.begin(), w.begin() + (w.empty() ? 0 : x.cols)),
        intercept_(problem.has_intercept() && !w.empty() ? w.back() : 0.0),
        count_(rows.empty() ? x.rows : static_cast<Index>(rows.size())),
        few_(few) {
    const Index stored = problem.x().stored(), per_row = std::max<Index>(1, stored / x.rows), dim = problem.dim();
    block_ = std::clamp<Index>(kBlockEntries / per_row / 8 * 8, 8, kMostRows);
    fold_every_ = std::clamp<Index>(16 * x.cols / per_row, block_, kRowsInFloat);
    const auto entries =
        static_cast<Index>(static_cast<double>(stored) / static_cast<double>(x.rows) * static_cast<double>(count_));
    const Index wanted = std::clamp<Index>(entries / kEntriesPerChunk, 1, kMostChunks);
    const Index affordable = std::max<Index>(1, std::min(kChunkBytes / (8 * dim), entries / (2 * dim)));
    by_columns_ = rows.empty() && affordable < std::min<Index>(wanted, 8);
    chunks_ = by_columns_ ? (count_ + kRowsPerChunk - 1) / kRowsPerChunk : std::min(wanted, affordable);
  }

  Index chunks() const { return chunks_; }
  bool by_columns() const { return by_columns_; }

  // visit(chunk, first, rows, u) of each block: its rows, which begin at this place among those asked for, and their margins.
  template <class Visit>
  void run(const Visit& visit) const {
    parallel_for(chunks_, threads(), [&](Index chunk) { run_chunk(chunk, visit); });
  }

  // out = sum_r c_r x_r, the intercept's component last, with the c that turn(chunk, first, rows, u, c) makes of each block.
  template <class Turn>
  void sum(std::span<double> out, const Turn& turn) const {
    if (by_columns_) return sum_columns(out, turn);
    ChunkSums sums(chunks_, out);
    parallel_for(chunks_, threads(), [&](Index chunk) { sum_chunk(chunk, sums.of(chunk), turn); });
    sums.add_up();
  }

 private:
  int threads() const { return problem_.spec().threads; }

  template <class Visit>
  void run_chunk(Index chunk, const Visit& visit) const {
    Index places[kMostRows];
    double u[kMostRows] = {};
    const Index size = (count_ + chunks_ - 1) / chunks_, end = std::min(count_, (chunk + 1) * size);
    for (Index first = chunk * size; first < end; first += block_) {
      const std::span<const Index> here(places, at(std::min(block_, end - first)));
      if (rows_.empty())
        std::iota(places, places + here.size(), first);
      else
        fetch(rows_.subspan(at(first), here.size()), places);
      if (!w_.empty()) dot_places(x_, here, w_.data(), u);
      for (std::size_t r = 0; r < here.size(); ++r) u[r] += intercept_;
      visit(chunk, first, here, u);
    }
  }

  // Asks for scattered rows at once, so that their ways from memory overlap.
  void fetch(std::span<const Index> rows, Index* places) const {
    const double* const weights = problem_.weights().empty() ? nullptr : problem_.weights().data();
    for (const Index i : rows) {
      __builtin_prefetch(problem_.targets().data() + i);
      if constexpr (is_dense_view<View>)
        prefetch_row(x_, i);
      else
        __builtin_prefetch(x_.starts + i);
      if (weights != nullptr) __builtin_prefetch(weights + i);
    }
    if constexpr (!is_dense_view<View>)
      for (const Index i : rows) prefetch_row(x_, i);
    std::copy(rows.begin(), rows.end(), places);
  }

  template <class Turn>
  void sum_chunk(Index number, double* sum, const Turn& turn) const {
    constexpr bool kFolds = !std::is_same_v<W, double>;
    std::vector<W> partial(kFolds ? at(x_.cols) : 0, W(0));
    std::fill_n(sum, problem_.dim(), 0.0);
    const auto fold = [&] {
      for (std::size_t j = 0; j < partial.size(); ++j) sum[j] += static_cast<double>(partial[j]);
      std::fill(partial.begin(), partial.end(), W(0));
    };
    double c[kMostRows], bias = 0;
    Index unfolded = 0;
    run_chunk(number, [&](Index chunk, Index first, std::span<const Index> rows, double* u) {
      turn(chunk, first, rows, u, c);
      bias += sum_of(std::span(c, rows.size()));
      if constexpr (kFolds) {
        add_places(x_, rows, c, 0, x_.cols, partial.data());
        if ((unfolded += std::ssize(rows)) < fold_every_) return;
        fold();
        unfolded = 0;
      } else if (few_) {
        add_some(x_, rows, c, 0, x_.cols, sum);
      } else {
        add_places(x_, rows, c, 0, x_.cols, sum);
      }
    });
    fold();
    if (problem_.has_intercept()) sum[x_.cols] = bias;
  }

  // Every column is summed over the rows in order by one thread, so sparse ones may be cut by the number of threads.
  template <class Turn>
  void sum_columns(std::span<double> out, const Turn& turn) const {
    std::vector<double> c(at(count_));
    run([&](Index chunk, Index first, std::span<const Index> rows, double* u) {
      turn(chunk, first, rows, u, c.data() + first);
    });
    const Index blocks = threads() == 1 ? 1 : 2 * resolve_threads(threads());
    const Index width = is_dense_view<View> ? kColumnBlock : (x_.cols + blocks - 1) / blocks;
    parallel_ranges(x_.cols, width, threads(), [&](Index begin, Index end, Index) {
      std::fill(out.begin() + begin, out.begin() + end, 0.0);
      Index places[kMostRows];
      for (Index first = 0; first < count_; first += kMostRows) {
        const std::span<const Index> rows(places, at(std::min(kMostRows, count_ - first)));
        std::iota(places, places + rows.size(), first);
        add_some(x_, rows, c.data() + first, begin, end, out.data());
      }
    });
    if (problem_.has_intercept()) out.back() = sum_of(std::span<const double>(c));
  }

  const Problem& problem_;
  const View& x_;
  std::span<const Index> rows_;
  std::vector<W> w_;  // without the intercept
  double intercept_;
  Index count_, chunks_ = 1;
  Index block_ = 0;                // rows of a block
  Index fold_every_ = 0;           // rows between two additions of the float sum to the double sum
  bool few_, by_columns_ = false;  // by columns: accumulators would not fit
};

struct WatchedSums : RowSums {
  double residue = 0;  // 0 times each margin: 0 where all are finite
};

// By a look at some of them: it is a matter of cost alone.
bool fewer_positives(const Problem& problem) {
  const auto some = problem.targets().first(std::min<std::size_t>(problem.targets().size(), 1024));
  return 2 * std::count_if(some.begin(), some.end(), [](double y) { return y > 0; }) <= std::ssize(some);
}

template <class W, class View>
WatchedSums sum(const Problem& problem, const View& x, std::span<const Index> rows, std::span<const double> w,
                std::span<double> gradient, const PerRow& keep) {
  const RowPass<View, W> pass(problem, x, rows, w, false);
  const WeighedLoss loss(problem);
  // The smaller class is summed apart.
  const bool apart = !keep.positive_gradient.empty() && !pass.by_columns(), positive = fewer_positives(problem);
  ChunkSums parts(apart ? pass.chunks() : 1, keep.positive_gradient);
  std::vector<WatchedSums> totals(at(pass.chunks()));
  const auto add_part = [&](Index chunk, std::span<const Index> places, const double* value, const double* slope) {
    Picked few;
    const auto wanted = [&](Index r) { return (problem.targets()[at(places[at(r)])] > 0) == positive; };
    for (Index r = 0; r < std::ssize(places); ++r) few.add(places[at(r)], slope[r], wanted(r));
    add_places(x, {few.places, at(few.count)}, few.coefficients, 0, x.cols, parts.of(chunk));
    if (problem.has_intercept()) parts.of(chunk)[x.cols] += sum_of(std::span(few.coefficients, at(few.count)));
    totals[at(chunk)].positive_loss += sum_of(std::ssize(places), [&](Index r) { return wanted(r) ? value[r] : 0.0; });
  };
  for (Index chunk = 0; chunk < pass.chunks() && apart; ++chunk) std::fill_n(parts.of(chunk), problem.dim(), 0.0);
  pass.sum(gradient, [&](Index chunk, Index first, std::span<const Index> places, const double* u, double* slope) {
    const Index count = std::ssize(places);
    WatchedSums& total = totals[at(chunk)];
    double value[kMostRows];
    double* const curvature = keep.curvatures.empty() ? nullptr : keep.curvatures.data() + first;
    total.residue += sum_of(count, [&](Index r) { return 0.0 * u[r]; });
    total.weight += loss(first, count, rows.empty() ? nullptr : places.data(), u, {value, slope, curvature});
    for (Index r = 0; r < count; ++r) total.loss += value[r];  // row by row, as a pass over margins alone does
    if (!keep.margins.empty()) std::copy_n(u, count, keep.margins.begin() + first);
    if (apart) add_part(chunk, places, value, slope);
  });
  WatchedSums total;
  for (const WatchedSums& one : totals) {
    total.loss += one.loss;
    total.weight += one.weight;
    total.residue += one.residue;
    total.positive_loss += one.positive_loss;
  }
  if (pass.by_columns() && !keep.positive_gradient.empty()) {
    std::vector<Index> positives;
    for (Index i = 0; i < problem.rows(); ++i)
      if (problem.targets()[at(i)] > 0) positives.push_back(i);
    std::fill(keep.positive_gradient.begin(), keep.positive_gradient.end(), 0.0);
    if (!positives.empty()) total.positive_loss = sum<W>(problem, x, positives, w, keep.positive_gradient, {}).loss;
  }
  if (!apart) return total;
  parts.add_up();
  if (positive) return total;
  for (std::size_t j = 0; j < gradient.size(); ++j) keep.positive_gradient[j] = gradient[j] - keep.positive_gradient[j];
  total.positive_loss = total.loss - total.positive_loss;
  return total;
}

void check_size(const char* what, std::size_t found, Index expected) {
  if (static_cast<Index>(found) != expected)
    throw Error(std::string(what) + " has " + std::to_string(found) + " numbers, expected " + std::to_string(expected));
}

// f(pass) over all rows, in double.
template <class F>
void with_pass(const Problem& problem, std::span<const double> w, F&& f) {
  problem.x().visit([&](const auto& x) { f(RowPass<std::decay_t<decltype(x)>, double>(problem, x, {}, w, true)); });
}

}  // namespace

RowSums sum_rows(const Problem& problem, std::span<const Index> rows, std::span<const double> w, Arithmetic arithmetic,
                 std::span<double> gradient, const PerRow& keep) {
  const WatchedSums sums = problem.x().visit([&](const auto& x) {
    using View = std::decay_t<decltype(x)>;  // sparse rows gain nothing from float sums
    if (is_dense_view<View> && arithmetic == Arithmetic::data && keep.positive_gradient.empty())
      return sum<typename View::Value>(problem, x, rows, w, gradient, keep);
    return sum<double>(problem, x, rows, w, gradient, keep);
  });
  if (const auto* watch = dynamic_cast<const MarginWatch*>(problem.data().verifier.get()))
    watch->made_margins(rows.empty(), sums.residue == 0, problem.spec().threads);
  return sums;
}

void margins_then_sum(const Problem& problem, std::span<const double> w, const Fill& fill, std::span<double> out) {
  check_size("w", w.size(), problem.dim());
  check_size("the sum", out.size(), problem.dim());
  with_pass(problem, w, [&](const auto& pass) {
    pass.sum(out, [&](Index, Index first, std::span<const Index> rows, const double* u, double* c) {
      fill(first, {u, rows.size()}, {c, rows.size()});
    });
  });
}

void transpose_times(const Problem& problem, std::span<const double> coefficients, std::span<double> out) {
  check_size("the coefficients", coefficients.size(), problem.rows());
  check_size("the sum", out.size(), problem.dim());
  with_pass(problem, {}, [&](const auto& pass) {
    pass.sum(out, [&](Index, Index first, std::span<const Index> rows, const double*, double* c) {
      std::copy_n(coefficients.begin() + first, rows.size(), c);
    });
  });
}

void margins(const Problem& problem, std::span<const double> w, std::span<double> out) {
  check_size("w", w.size(), problem.dim());
  check_size("the margins", out.size(), problem.rows());
  with_pass(problem, w, [&](const auto& pass) {
    pass.run([&](Index, Index first, std::span<const Index> rows, const double* u) {
      std::copy_n(u, rows.size(), out.begin() + first);
    });
  });
}

double loss_and_gradient(const Problem& problem, std::span<const double> w, std::span<double> gradient,
                         std::span<double> margins) {
  return sum_rows(problem, {}, w, Arithmetic::exact, gradient, {margins, {}}).loss;
}

double smooth_gradient(const Problem& problem, std::span<const double> w, std::span<double> gradient) {
  return loss_and_gradient(problem, w, gradient);
}

}  // namespace s3gd
