#include "anchor/kmeans.hpp"

#include <limits>
#include <tuple>

#include "anchor/points.hpp"
#include "base/index.hpp"
#include "base/random.hpp"
#include "base/threads.hpp"
#include "kernel/blas.hpp"

namespace s3gd {
namespace {

constexpr Index kDirections = 24;    // leading ones in which a distance is bounded from below first
constexpr Index kRowsPerBlock = 64;  // dense rows are read twice: they should still be in the second cache
constexpr Index kRowsPerChunk = 32 * kRowsPerBlock;  // a unit of work for a thread
constexpr Index kTrialRows = 2048;                   // compared in full first: the bound has to beat the best of them

struct Candidate {
  double distance = std::numeric_limits<double>::infinity();
  Index row = -1;
  bool operator<(const Candidate& other) const { return std::tie(distance, row) < std::tie(other.distance, other.row); }
};

// The nearest rows of every centre so far, nearest first; unfilled places have row -1.
class NearestLists {
 public:
  NearestLists(Index centres, Index wanted) : wanted_(wanted), kept_(at(centres * wanted)) {}

  const Candidate* of(Index j) const { return kept_.data() + j * wanted_; }
  double worst(Index j) const { return of(j)[wanted_ - 1].distance; }
  void add(Index j, Candidate candidate) {
    Candidate* const first = kept_.data() + j * wanted_;
    Candidate* place = first + wanted_ - 1;
    if (!(candidate < *place)) return;
    for (; place > first && candidate < place[-1]; --place) *place = place[-1];
    *place = candidate;
  }

 private:
  Index wanted_;
  std::vector<Candidate> kept_;
};

double dot(const double* a, const double* b, Index n) { return kernel::dot(a, b, n); }

// Orthonormal rows that span most of what the centres span: random mixtures of them, multiplied once more by their
// covariance so that the strong directions win, then Gram-Schmidt (twice, for orthogonality to the last bits).
std::vector<double> leading_directions(const Centres& centres, Index wanted, Index& found) {
  const Index dim = centres.dim;
  Rng rng(1);
  std::vector<double> basis(at(wanted * dim), 0.0);
  found = 0;
  for (Index r = 0; r < wanted; ++r) {
    double* direction = basis.data() + found * dim;
    std::vector<double> mixture(at(dim), 0.0);
    for (Index j = 0; j < centres.count; ++j) kernel::axpy(rng.normal(), centres.row(j), mixture.data(), dim);
    std::fill(direction, direction + dim, 0.0);
    for (Index j = 0; j < centres.count; ++j)
      kernel::axpy(dot(centres.row(j), mixture.data(), dim), centres.row(j), direction, dim);
    const double before = std::sqrt(dot(direction, direction, dim));
    for (int pass = 0; pass < 2; ++pass)
      for (Index s = 0; s < found; ++s) {
        const double* other = basis.data() + s * dim;
        kernel::axpy(-dot(direction, other, dim), other, direction, dim);
      }
    const double length = std::sqrt(dot(direction, direction, dim));
    if (!std::isfinite(length) || !(length > 1e-8 * before)) continue;  // in the span of those before it
    kernel::scale(1 / length, direction, dim);
    ++found;
  }
  basis.resize(at(found * dim));
  return basis;
}

// Centres (or rows) as (Qx, ||x - Px||): vectors whose inner products are at least those of the originals.
template <class T>
void shorten(const T* products, double square, Index directions, T* out) {
  double inside = 0;
  for (Index r = 0; r < directions; ++r) {
    out[r] = products[r];
    inside += static_cast<double>(products[r]) * static_cast<double>(products[r]);
  }
  out[directions] = static_cast<T>(std::sqrt(std::max(0.0, square - inside)));
}

template <class T>
class Search {
 public:
  Search(const Matrix& x, const Centres& centres, Index wanted, int threads)
      : x_(x),
        wanted_(wanted),
        threads_(threads),
        centres_({centres.values.begin(), centres.values.end()}, centres.count, centres.dim),
        basis_(make_basis(centres)),
        slack_(8 * distance_rounding<T>(centres.dim)) {
    const auto rows = Matrix::borrow(DenseView<T>{centres_.rows.data(), centres_.count, centres_.dim, centres_.dim});
    std::vector<T> products(at(centres_.count * basis_.count));
    row_products(rows, 0, centres_.count, basis_, products.data());
    short_centres_.resize(at(centres_.count * short_dim()));
    for (Index j = 0; j < centres_.count; ++j)
      shorten(products.data() + j * basis_.count, centres_.squares[at(j)], basis_.count,
              short_centres_.data() + j * short_dim());
  }

  std::vector<std::vector<Index>> run(const Matrix& trial) {
    set_limits(trial);
    const auto nearest = gather(x_.rows(), kRowsPerChunk, [&](Index begin, Index end, NearestLists& lists) {
      for (Index block = begin; block < end; block += kRowsPerBlock)
        scan(block, std::min(end, block + kRowsPerBlock), lists);
    });
    std::vector<std::vector<Index>> rows(nearest.size());
    for (std::size_t j = 0; j < rows.size(); ++j)
      for (const Candidate& candidate : nearest[j]) rows[j].push_back(candidate.row);
    return rows;
  }

 private:
  Index short_dim() const { return basis_.count + 1; }

  static Points<T> make_basis(const Centres& centres) {
    Index found = 0;
    const auto rows = leading_directions(centres, std::min(kDirections, centres.dim), found);
    return Points<T>({rows.begin(), rows.end()}, found, centres.dim);
  }

  // The nearest rows of every centre, nearest first: look(begin, end, lists) adds those of a chunk.
  template <class Look>
  std::vector<std::vector<Candidate>> gather(Index rows, Index chunk_rows, const Look& look) const {
    std::vector<NearestLists> parts(at((rows + chunk_rows - 1) / chunk_rows), NearestLists(centres_.count, wanted_));
    parallel_ranges(rows, chunk_rows, threads_,
                    [&](Index begin, Index end, Index chunk) { look(begin, end, parts[at(chunk)]); });
    std::vector<std::vector<Candidate>> nearest(at(centres_.count));
    for (Index j = 0; j < centres_.count; ++j) {
      auto& all = nearest[at(j)];
      for (const auto& part : parts)
        for (Index k = 0; k < wanted_ && part.of(j)[k].row >= 0; ++k) all.push_back(part.of(j)[k]);
      std::sort(all.begin(), all.end());
      all.resize(std::min(all.size(), at(wanted_)));
    }
    return nearest;
  }

  // An upper bound of the distance of each centre's wanted-th nearest row, from a few of the rows.
  void set_limits(const Matrix& trial) {
    const Index m = centres_.count;
    const auto nearest = gather(trial.rows(), kRowsPerBlock, [&](Index begin, Index end, NearestLists& lists) {
      std::vector<T> products(at((end - begin) * m));
      row_products(trial, begin, end, centres_, products.data());
      for (Index i = begin; i < end; ++i) {
        const double square = row_square(trial, i);
        for (Index j = 0; j < m; ++j) {
          const double size = square + centres_.squares[at(j)];
          const auto product = static_cast<double>(products[at((i - begin) * m + j)]);
          lists.add(j, {size - 2 * product + slack_ * size, i});
        }
      }
    });
    for (std::size_t j = 0; j < nearest.size(); ++j) {
      const bool enough = std::ssize(nearest[j]) == wanted_;
      limits_.push_back(enough ? nearest[j].back().distance : std::numeric_limits<double>::infinity());
      margins_.push_back(static_cast<T>((1 - slack_) * centres_.squares[j] - limits_.back()));
    }
  }

  void scan(Index begin, Index end, NearestLists& nearest) const {
    const Index count = end - begin, m = centres_.count;
    std::vector<T> products(at(count * basis_.count)), short_rows(at(count * short_dim())), bounds(at(count * m));
    std::vector<double> squares(at(count));
    row_products(x_, begin, end, basis_, products.data());
    for (Index i = 0; i < count; ++i) {
      squares[at(i)] = exact_square(x_, begin + i);
      shorten(products.data() + i * basis_.count, squares[at(i)], basis_.count, short_rows.data() + i * short_dim());
    }
    blas::gemm(blas::Op::plain, blas::Op::transposed, count, m, short_dim(), T(1), short_rows.data(), short_dim(),
               short_centres_.data(), short_dim(), T(0), bounds.data(), m);
    for (Index i = 0; i < count; ++i) {
      const T* bound = bounds.data() + i * m;
      const T least_square = static_cast<T>((1 - slack_) * squares[at(i)]);
      int close = 0;  // whether any centre could be near: counted without a branch
      for (Index j = 0; j < m; ++j) close |= !(least_square + margins_[at(j)] > 2 * bound[j]);
      for (Index j = 0; close != 0 && j < m; ++j) {
        if (least_square + margins_[at(j)] > 2 * bound[j]) continue;  // not so when anything overflowed
        const double distance = exact_distance(x_, begin + i, squares[at(i)], centres_, j);
        if (!(distance > limits_[at(j)])) nearest.add(j, {distance, begin + i});
      }
    }
  }

  const Matrix& x_;
  Index wanted_;
  int threads_;
  Points<T> centres_;
  Points<T> basis_;
  double slack_;
  std::vector<T> short_centres_;
  std::vector<double> limits_;
  std::vector<T> margins_;  // (1 - slack) ||c||^2 - limit: what the comparison of a row with a centre starts from
};

}  // namespace

std::vector<std::vector<Index>> nearest_rows(const Matrix& x, const Centres& centres, Index wanted, int threads) {
  std::vector<Index> some;
  for (Index i = 0; i < x.rows(); i += std::max<Index>(1, x.rows() / kTrialRows)) some.push_back(i);
  const Matrix trial = gather_rows(x, some, threads);
  return x.precision() == Precision::float32 ? Search<float>(x, centres, wanted, threads).run(trial)
                                             : Search<double>(x, centres, wanted, threads).run(trial);
}

}  // namespace s3gd
