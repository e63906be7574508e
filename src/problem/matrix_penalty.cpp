#include "problem/matrix_penalty.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.hpp"
#include "kernel/blas.hpp"
#include "kernel/kernel.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Scaled points are rounded again by the caller, and by the sums of squares here: stay inside by more than that.
constexpr double kInside = 1.0 - 1e-12;

// entries: what it is where it goes entry by entry.
struct Named {
  MatrixPenaltyKind kind;
  const char* name;
  PenaltyKind entries = PenaltyKind::none;
};
constexpr Named kNames[] = {{MatrixPenaltyKind::l2, "l2", PenaltyKind::l2},
                            {MatrixPenaltyKind::l1, "l1", PenaltyKind::l1},
                            {MatrixPenaltyKind::elastic_net, "elastic-net", PenaltyKind::elastic_net},
                            {MatrixPenaltyKind::none, "none"},
                            {MatrixPenaltyKind::group_lasso, "group-lasso"},
                            {MatrixPenaltyKind::nuclear, "nuclear"}};

const Named& named(MatrixPenaltyKind kind) {
  return *std::find_if(std::begin(kNames), std::end(kNames), [&](const Named& one) { return one.kind == kind; });
}

// Right singular vectors (or left ones, where the rows are fewer) and singular values, about ascending.
struct Spectrum {
  bool of_rows;  // vectors belong to the rows' side
  Index side;
  std::vector<double> vectors;  // side x side, one a row
  std::vector<double> values;   // of A, not of its Gram matrix
};

Spectrum spectrum(const double* a, Index rows, Index cols) {
  Spectrum s{rows < cols, std::min(rows, cols), {}, {}};
  const Index length = rows * cols / std::max<Index>(1, s.side);
  const blas::Op along = s.of_rows ? blas::Op::plain : blas::Op::transposed;
  const blas::Op across = s.of_rows ? blas::Op::transposed : blas::Op::plain;
  s.vectors.resize(at(s.side * s.side));
  s.values.resize(at(s.side));
  blas::gemm(along, across, s.side, s.side, length, 1.0, a, cols, a, cols, 0.0, s.vectors.data(), s.side);
  blas::symmetric_eigen(s.side, s.vectors.data(), s.values.data());
  // The roots of the eigenvalues have half the digits; the lengths of A's parts along the vectors have them all.
  std::vector<double> parts(at(rows * cols));
  blas::gemm(blas::Op::plain, along, s.side, length, s.side, 1.0, s.vectors.data(), s.side, a, cols, 0.0, parts.data(),
             length);
  for (Index v = 0; v < s.side; ++v) {
    const double* part = parts.data() + v * length;
    s.values[at(v)] = std::sqrt(kernel::dot(part, part, length));
  }
  return s;
}

}  // namespace

const char* name_of(MatrixPenaltyKind kind) { return named(kind).name; }

std::optional<MatrixPenaltyKind> matrix_penalty_named(const std::string& name) {
  for (const Named& one : kNames)
    if (name == one.name) return one.kind;
  return std::nullopt;
}

MatrixPenaltySpec matrix_penalty(const PenaltySpec& penalty) {
  if (!penalty.also.empty())
    throw Error(ErrorCode::do_not_go, "penalty", "several penalty terms, but softmax takes one",
                "elastic-net is the sum of l1 and l2");
  if (penalty.kind == PenaltyKind::l1_l2norm)
    throw Error(ErrorCode::do_not_go, "penalty", "softmax does not take the penalty l1-l2norm",
                "use elastic-net or group");
  const auto same =
      std::find_if(std::begin(kNames), std::end(kNames), [&](const Named& one) { return one.entries == penalty.kind; });
  return {same->kind, penalty.lambda, penalty.alpha, penalty.factors};
}

MatrixPenalty::MatrixPenalty(const MatrixPenaltySpec& spec, Index cols, Index classes, Intercept intercept)
    : spec_(spec), cols_(cols), classes_(classes), intercept_(intercept) {
  of_one_output();  // its checks hold for all
  if (spec.kind == MatrixPenaltyKind::nuclear && !spec.factors.empty())
    throw Error(ErrorCode::idle_option, "penalty-factor", "the nuclear norm takes no penalty factors",
                "scale the columns instead");
  if (spec.kind == MatrixPenaltyKind::group_lasso || spec.kind == MatrixPenaltyKind::nuclear) return;
  PenaltySpec entries{named(spec.kind).entries, spec.lambda, spec.alpha, {}, {}};
  if (!spec.factors.empty() || intercept == Intercept::free) {
    const Index features = cols + (intercept == Intercept::none ? 0 : 1);
    for (Index j = 0; j < features; ++j) entries.factors.insert(entries.factors.end(), at(classes), factor(j));
  }
  const Index dim = (cols + (intercept == Intercept::none ? 0 : 1)) * classes;
  entries_.emplace(entries, dim, Intercept::none);
}

Penalty MatrixPenalty::of_one_output() const {
  return {{named(spec_.kind).entries, spec_.lambda, spec_.alpha, spec_.factors, {}}, cols_, intercept_};
}

double MatrixPenalty::factor(Index j) const {
  if (j == cols_) return intercept_ == Intercept::regularised ? 1.0 : 0.0;
  return spec_.factors.empty() ? 1.0 : spec_.factors[at(j)];
}

bool MatrixPenalty::smooth() const { return entries_ && entries_->l1_strength() == 0; }

bool MatrixPenalty::has_dual() const {
  if (spec_.kind == MatrixPenaltyKind::none || spec_.lambda == 0) return false;
  return std::find(spec_.factors.begin(), spec_.factors.end(), 0.0) == spec_.factors.end();
}

std::vector<double> MatrixPenalty::ridges() const {
  std::vector<double> all;
  const Index features = intercept_ == Intercept::none ? cols_ : cols_ + 1;
  for (Index j = 0; j < features; ++j) all.insert(all.end(), static_cast<std::size_t>(classes_), 2.0 * ridge(j));
  return all;
}

double MatrixPenalty::ridge(Index j) const { return entries_ ? entries_->l2_strength() * factor(j) : 0.0; }

double MatrixPenalty::threshold(Index j) const {
  return (entries_ ? entries_->l1_strength() : spec_.lambda) * factor(j);
}

bool MatrixPenalty::shrinks_uniformly() const { return smooth() && spec_.factors.empty(); }

Index MatrixPenalty::rank(std::span<const double> w) const {
  const Spectrum s = spectrum(w.data(), penalised(), classes_);
  const double zero = s.values.empty() ? 0.0 : 1e-12 * *std::max_element(s.values.begin(), s.values.end());
  return std::count_if(s.values.begin(), s.values.end(), [&](double value) { return value > zero; });
}

double MatrixPenalty::value(std::span<const double> w) const {
  if (entries_) return entries_->value(w);
  double sum = 0;
  if (spec_.kind == MatrixPenaltyKind::group_lasso) {
    for (Index j = 0; j < penalised(); ++j) {
      const double* row = w.data() + j * classes_;
      sum += factor(j) * std::sqrt(kernel::dot(row, row, classes_));
    }
  } else {
    for (const double value : spectrum(w.data(), penalised(), classes_).values) sum += value;
  }
  return spec_.lambda * sum;
}

void MatrixPenalty::prox_group(double eta, Index j, double* row) const {
  const double length = std::sqrt(kernel::dot(row, row, classes_)), threshold = eta * spec_.lambda * factor(j);
  kernel::scale(length > threshold ? 1.0 - threshold / length : 0.0, row, classes_);
}

void MatrixPenalty::prox(std::span<const double> etas, std::span<double> w) const {
  for (Index j = 0; j < penalised(); ++j) {
    if (!entries_) {
      prox_group(etas[at(j * classes_)], j, w.data() + j * classes_);
      continue;
    }
    const double threshold = entries_->l1_strength() * factor(j), ridge_of = 2.0 * ridge(j);
    for (Index c = j * classes_; c < (j + 1) * classes_; ++c) {
      const double most = etas[at(c)] * threshold;
      w[at(c)] = (w[at(c)] - std::clamp(w[at(c)], -most, most)) / (1.0 + etas[at(c)] * ridge_of);
    }
  }
}

void MatrixPenalty::prox(double eta, std::span<double> w) const {
  if (entries_) return entries_->prox(eta, w);
  if (!couples_features()) {
    for (Index j = 0; j < penalised(); ++j) prox_group(eta, j, w.data() + j * classes_);
    return;
  }
  // W <- sum over the singular vectors of (sigma - t)_+ / sigma times W's part along them.
  const Index rows = penalised();
  const Spectrum s = spectrum(w.data(), rows, classes_);
  std::vector<double> shrunk = s.vectors, map(s.vectors.size());
  for (Index v = 0; v < s.side; ++v) {
    const double value = s.values[at(v)], threshold = eta * spec_.lambda;
    kernel::scale(value > threshold ? 1.0 - threshold / value : 0.0, shrunk.data() + v * s.side, s.side);
  }
  blas::gemm(blas::Op::transposed, blas::Op::plain, s.side, s.side, s.side, 1.0, s.vectors.data(), s.side,
             shrunk.data(), s.side, 0.0, map.data(), s.side);
  const std::vector<double> before(w.begin(), w.begin() + rows * classes_);
  if (s.of_rows)
    blas::gemm(blas::Op::plain, blas::Op::plain, rows, classes_, rows, 1.0, map.data(), rows, before.data(), classes_,
               0.0, w.data(), classes_);
  else
    blas::gemm(blas::Op::plain, blas::Op::plain, rows, classes_, classes_, 1.0, before.data(), classes_, map.data(),
               classes_, 0.0, w.data(), classes_);
}

double MatrixPenalty::conjugate(std::span<const double> z) const {
  if (entries_) return entries_->conjugate(z);
  return feasible_scale(z) == 1.0 ? 0.0 : kInfinity;
}

double MatrixPenalty::feasible_scale(std::span<const double> z) const {
  if (entries_) return entries_->feasible_scale(z);
  double scale = 1;
  if (spec_.kind == MatrixPenaltyKind::group_lasso) {
    for (Index j = 0; j < penalised(); ++j) {
      const double* row = z.data() + j * classes_;
      const double length = std::sqrt(kernel::dot(row, row, classes_)), most = spec_.lambda * factor(j);
      if (scale * length > most) scale = most / length;
    }
  } else {
    const Spectrum s = spectrum(z.data(), penalised(), classes_);
    for (const double value : s.values)
      if (scale * value > spec_.lambda) scale = spec_.lambda / value;
  }
  return scale < 1 ? scale * kInside : scale;
}

}  // namespace s3gd
