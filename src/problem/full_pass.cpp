#include "problem/full_pass.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

#include "base/index.hpp"
#include "base/threads.hpp"
#include "problem/block_products.hpp"
#include "problem/loss.hpp"
#include "problem/penalty.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

constexpr Index kGroup = 8;                    // rows whose margins are made before they are summed: stay in cache
constexpr Index kMostChunks = 64;              // accumulators at most ...
constexpr Index kAccumulatorBytes = 32 << 20;  // ... and memory for them at most
constexpr Index kWorthAThread = 16384;         // stored entries below which a chunk is not worth starting
constexpr Index kColumnBlock = 4096;
constexpr Index kSumChunk = 4096;
constexpr Index kLossBlock = 256;  // margins whose losses are made at once

// sum_i term(i), chunk by chunk: `part` sums those of its rows.
template <class Part>
double sum_over_chunks(const Problem& problem, const Part& part) {
  const Index rows = problem.rows();
  std::vector<double> parts(at((rows + kSumChunk - 1) / kSumChunk));
  parallel_ranges(rows, kSumChunk, problem.spec().threads,
                  [&](Index begin, Index end, Index chunk) { parts[at(chunk)] = part(begin, end); });
  double sum = 0;
  for (const double value : parts) sum += value;
  return sum;
}

// Of rows that follow each other.
template <class View>
void dot_group(const View& x, Index first, Index count, const double* w, double* out) {
  Index places[kGroup];
  std::iota(places, places + count, first);
  dot_places(x, {places, at(count)}, w, out);
}

// Collects rows with a non-zero coefficient and adds them up a group at a time.
template <class View>
class RowAdder {
 public:
  RowAdder(const View& x, Index begin, Index end, double* out) : x_(x), begin_(begin), end_(end), out_(out) {}
  ~RowAdder() { flush(); }
  RowAdder(const RowAdder&) = delete;
  RowAdder& operator=(const RowAdder&) = delete;

  void add(Index row, double coefficient) {
    if (coefficient == 0) return;
    picked_[count_] = row;
    coefficients_[count_++] = coefficient;
    if (count_ == kGroup) flush();
  }

 private:
  void flush() {
    add_places(x_, {picked_, at(count_)}, coefficients_, begin_, end_, out_);
    count_ = 0;
  }

  const View& x_;
  Index begin_, end_;
  double* out_;
  Index picked_[kGroup];
  double coefficients_[kGroup];
  Index count_ = 0;
};

struct Pass {
  const Problem& problem;
  std::span<const double> w;  // empty: margins are not needed
  const Fill& fill;
  std::span<double> kept, out;

  double intercept() const { return problem.has_intercept() ? w[at(problem.cols())] : 0.0; }
  int threads() const { return problem.spec().threads; }
};

template <class View>
void make_margins(const View& x, Index first, Index count, const Pass& pass, double* u) {
  if (pass.w.empty()) return;
  dot_group(x, first, count, pass.w.data(), u);
  for (Index r = 0; r < count; ++r) u[r] += pass.intercept();
  if (!pass.kept.empty()) std::copy(u, u + count, pass.kept.begin() + first);
}

// Rows [begin, end) into `sum`, dim() long and cleared here; the intercept's component comes last.
template <class View>
void sum_rows(const View& x, Index begin, Index end, const Pass& pass, double* sum) {
  double total = 0;
  std::fill_n(sum, pass.problem.dim(), 0.0);
  {
    RowAdder<View> adder(x, 0, x.cols, sum);
    double u[kGroup] = {}, c[kGroup];
    for (Index i = begin; i < end; i += kGroup) {
      const Index count = std::min(kGroup, end - i);
      make_margins(x, i, count, pass, u);
      pass.fill(i, {u, at(count)}, {c, at(count)});
      for (Index r = 0; r < count; ++r) {
        adder.add(i + r, c[r]);
        total += c[r];
      }
    }
  }
  if (pass.problem.has_intercept()) sum[x.cols] = total;
}

template <class View>
void run_by_rows(const View& x, Index chunks, const Pass& pass) {
  const Index dim = pass.problem.dim(), size = (x.rows + chunks - 1) / chunks;
  if (chunks <= 1) return sum_rows(x, 0, x.rows, pass, pass.out.data());
  const std::unique_ptr<double[]> parts(new double[at(chunks * dim)]);  // cleared by the threads that use them
  parallel_for(chunks, pass.threads(), [&](Index chunk) {
    sum_rows(x, std::min(x.rows, chunk * size), std::min(x.rows, (chunk + 1) * size), pass, parts.get() + chunk * dim);
  });
  parallel_ranges(dim, kColumnBlock, pass.threads(), [&](Index begin, Index end, Index) {
    for (Index j = begin; j < end; ++j) {
      double sum = 0;
      for (Index chunk = 0; chunk < chunks; ++chunk) sum += parts[at(chunk * dim + j)];
      pass.out[at(j)] = sum;
    }
  });
}

// Blocks of columns: every column is summed over the rows in order by one thread, so CSR data may be cut by the number
// of threads; dense blocks have a fixed size, since a border changes how the kernel groups its additions.
template <class View>
Index column_block(const View& x, int threads) {
  if constexpr (requires { x.stride; }) return kColumnBlock;
  const Index blocks = threads == 1 ? 1 : 2 * threads;
  return (x.cols + blocks - 1) / blocks;
}

template <class View>
void run_by_columns(const View& x, const Pass& pass) {
  std::vector<double> c(at(x.rows));
  parallel_ranges(x.rows, 64 * kGroup, pass.threads(), [&](Index begin, Index end, Index) {
    double u[kGroup] = {};
    for (Index i = begin; i < end; i += kGroup) {
      const Index count = std::min(kGroup, end - i);
      make_margins(x, i, count, pass, u);
      pass.fill(i, {u, at(count)}, {c.data() + i, at(count)});
    }
  });
  double* out = pass.out.data();
  parallel_ranges(x.cols, column_block(x, resolve_threads(pass.threads())), pass.threads(),
                  [&](Index begin, Index end, Index) {
                    std::fill(out + begin, out + end, 0.0);
                    RowAdder<View> adder(x, begin, end, out);
                    for (Index i = 0; i < x.rows; ++i) adder.add(i, c[at(i)]);
                  });
  if (pass.problem.has_intercept()) out[x.cols] = sum_over_rows(pass.problem, [&](Index i) { return c[at(i)]; });
}

void run(const Pass& pass) {
  const Matrix& x = pass.problem.x();
  const Index dim = pass.problem.dim(), stored = x.stored();
  const Index wanted = std::clamp<Index>(stored / kWorthAThread, 1, std::min(kMostChunks, x.rows()));
  const Index affordable = std::min(kAccumulatorBytes / (8 * dim), std::max<Index>(1, stored / (2 * dim)));
  const bool by_columns = affordable < std::min<Index>(wanted, 8);
  x.visit([&](const auto& view) {
    if (by_columns)
      run_by_columns(view, pass);
    else
      run_by_rows(view, std::min(wanted, affordable), pass);
  });
}

void check_size(const char* what, std::size_t found, Index expected) {
  if (static_cast<Index>(found) != expected)
    throw Error(std::string(what) + " has " + std::to_string(found) + " numbers, expected " + std::to_string(expected));
}

}  // namespace

void margins_then_sum(const Problem& problem, std::span<const double> w, const Fill& fill, std::span<double> out,
                      std::span<double> kept) {
  check_size("w", w.size(), problem.dim());
  check_size("the sum", out.size(), problem.dim());
  run({problem, w, fill, kept, out});
}

void transpose_times(const Problem& problem, std::span<const double> coefficients, std::span<double> out) {
  check_size("the coefficients", coefficients.size(), problem.rows());
  check_size("the sum", out.size(), problem.dim());
  const Fill copy = [&](Index first, std::span<const double>, std::span<double> c) {
    std::copy_n(coefficients.begin() + first, c.size(), c.begin());
  };
  run({problem, {}, copy, {}, out});
}

void margins(const Problem& problem, std::span<const double> w, std::span<double> out) {
  const Matrix& x = problem.x();
  check_size("w", w.size(), problem.dim());
  check_size("the margins", out.size(), x.rows());
  const double intercept = problem.has_intercept() ? w.back() : 0.0;
  const Index rows_per_chunk = std::max(kGroup, kWorthAThread * x.rows() / std::max<Index>(1, x.stored()));
  x.visit([&](const auto& view) {
    const Index chunk = rows_per_chunk / kGroup * kGroup;
    parallel_ranges(view.rows, chunk, problem.spec().threads, [&](Index begin, Index end, Index) {
      for (Index i = begin; i < end; i += kGroup) {
        const Index count = std::min(kGroup, end - i);
        dot_group(view, i, count, w.data(), out.data() + i);
        for (Index r = i; r < i + count; ++r) out[at(r)] += intercept;
      }
    });
  });
}

double sum_over_rows(const Problem& problem, const std::function<double(Index row)>& term) {
  return sum_over_chunks(problem, [&](Index begin, Index end) {
    double sum = 0;
    for (Index i = begin; i < end; ++i) sum += term(i);
    return sum;
  });
}

double loss_at(const Problem& problem, std::span<const double> margins) {
  const Loss loss(problem.spec().loss);
  const auto y = problem.targets();
  const auto weights = problem.weights();
  const double even = problem.weight(0);
  return sum_over_chunks(problem, [&](Index begin, Index end) {
    double values[kLossBlock];
    double sum = 0;
    for (Index first = begin; first < end; first += kLossBlock) {
      const Index count = std::min(kLossBlock, end - first);
      loss.terms(margins.data() + first, y.data() + first, count, {.value = values});
      for (Index r = 0; r < count; ++r) sum += (weights.empty() ? even : weights[at(first + r)]) * values[r];
    }
    return sum;
  });
}

void evaluate_rows(const Problem& problem, std::span<const double> margins, RowTerms& terms) {
  const Loss loss(problem.spec().loss);
  const double even = 1.0 / static_cast<double>(problem.rows());
  terms.slopes.resize(margins.size());
  terms.curvatures.resize(margins.size());
  terms.loss = sum_over_chunks(problem, [&](Index begin, Index end) {
    double value[kSumChunk], sum = 0;
    double *slope = terms.slopes.data() + begin, *curvature = terms.curvatures.data() + begin;
    loss.terms(margins.data() + begin, problem.targets().data() + begin, end - begin, {value, slope, curvature});
    const double* weights = problem.weights().empty() ? nullptr : problem.weights().data() + begin;
    for (Index r = 0; r < end - begin; ++r) {
      const double q = weights == nullptr ? even : weights[r];
      sum += q * value[r];
      slope[r] *= q;
      curvature[r] *= q;
    }
    return sum;
  });
}

double loss_and_gradient(const Problem& problem, std::span<const double> w, std::span<double> gradient,
                         std::span<double> margins) {
  const Loss loss(problem.spec().loss);
  const auto y = problem.targets();
  std::vector<double> own;
  if (margins.empty()) {
    own.resize(at(problem.rows()));
    margins = own;
  }
  const auto fill = [&](Index first, std::span<const double> u, std::span<double> c) {
    for (std::size_t r = 0; r < u.size(); ++r)
      c[r] = problem.weight(first + static_cast<Index>(r)) * loss.slope(u[r], y[at(first) + r]);
  };
  margins_then_sum(problem, w, fill, gradient, margins);
  return loss_at(problem, margins);
}

double smooth_gradient(const Problem& problem, std::span<const double> w, std::span<double> gradient) {
  return loss_and_gradient(problem, w, gradient);
}

double objective(const Problem& problem, std::span<const double> w) {
  std::vector<double> u(at(problem.rows()));
  margins(problem, w, u);
  return loss_at(problem, u) + Penalty(problem).value(w);
}

std::vector<double> squared_row_norms(const Problem& problem) {
  std::vector<double> norms(at(problem.rows()));
  problem.x().visit([&](const auto& view) {
    parallel_ranges(view.rows, 4096, problem.spec().threads, [&](Index begin, Index end, Index) {
      for (Index i = begin; i < end; ++i) {
        double sum = problem.has_intercept() ? 1.0 : 0.0;
        if constexpr (requires { view.stride; }) {
          sum += kernel::dot(view.row(i), view.row(i), view.cols);
        } else {
          for (auto k = view.starts[i]; k < view.starts[i + 1]; ++k)
            sum += static_cast<double>(view.values[k]) * static_cast<double>(view.values[k]);
        }
        norms[at(i)] = sum;
      }
    });
  });
  return norms;
}

}  // namespace s3gd
