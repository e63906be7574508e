#include "select/folds.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "base/index.hpp"
#include "base/threads.hpp"
#include "exact/quadratic_loss.hpp"
#include "problem/block_products.hpp"
#include "saved/predictor.hpp"

namespace s3gd {
namespace {

constexpr double kRounding = 1e-8;         // of a squared error, at most
constexpr Index kMostRows = 128;           // of a block
constexpr Index kBlockEntries = 48 << 10;  // of a block: it stays in the second-level cache

// The weights of several points side by side: for each column one number of every output of every point. Of sparse rows,
// columns that have no weight anywhere are left out.
struct Table {
  Table(std::span<const PathPoint> points, const Task& task, bool sparse)
      : outputs(task.outputs()), numbers(std::ssize(points) * outputs), width(kernel::table_width(numbers)) {
    const Index cols = task.data().cols(), dim = task.dim();
    const auto weights_of = [&](Index n) { return points[at(n / outputs)].w.data() + n % outputs * dim; };
    place.assign(at(cols), sparse ? -1 : 0);
    for (Index n = 0; n < numbers && sparse; ++n)
      for (Index j = 0; j < cols; ++j)
        if (weights_of(n)[j] != 0) place[at(j)] = 0;
    std::int32_t used = 0;
    for (std::int32_t& one : place)
      if (one >= 0) one = used++;
    weights.assign(at(used * width), 0.0);
    intercepts.assign(at(numbers), 0.0);
    for (Index n = 0; n < numbers; ++n) {
      const double* w = weights_of(n);
      for (Index j = 0; j < cols; ++j)
        if (place[at(j)] >= 0) weights[at(place[at(j)] * width + n)] = w[j];
      if (task.has_intercept()) intercepts[at(n)] = w[cols];
    }
  }

  Index outputs, numbers, width;
  std::vector<std::int32_t> place;  // of each column in the table; -1: it is not there
  std::vector<double> weights, intercepts;
};

// u (rows x width) = rows [begin, end) times the table.
template <class T>
void multiply(const DenseView<T>& x, Index begin, Index end, const Table& table, double* u) {
  std::vector<Index> rows(at(end - begin));
  std::iota(rows.begin(), rows.end(), begin);
  BlockProducts<DenseView<T>, double>(x, table.width).times(rows, true, table.weights.data(), u);
}

template <class T, class I>
void multiply(const CsrView<T, I>& x, Index begin, Index end, const Table& table, double* u) {
  std::vector<T> values;
  std::vector<std::int32_t> places;
  for (Index i = begin; i < end; ++i, u += table.width) {
    values.clear();
    places.clear();
    for (auto k = x.starts[i]; k < x.starts[i + 1]; ++k) {
      const std::int32_t place = table.place[static_cast<std::size_t>(x.columns[k])];
      if (place < 0) continue;
      values.push_back(x.values[k]);
      places.push_back(place);
    }
    kernel::times_table(values.data(), places.data(), std::ssize(values), table.weights.data(), table.width, u);
  }
}

// The mean squared error as a problem.
Problem squared_errors(const Task& task, const Dataset& rows) {
  ProblemSpec spec;
  spec.loss.kind = LossKind::squared;
  spec.penalty.kind = PenaltyKind::none;
  spec.intercept = task.has_intercept() ? Intercept::regularised : Intercept::none;  // a column like any other
  spec.threads = task.threads();
  return Problem(rows, spec);
}

}  // namespace

HeldOut::HeldOut(const Task& training, ScoreKind metric, Dataset rows, ColumnProducts products, Index bytes)
    : training_(training),
      metric_(metric),
      rows_(std::move(rows)),
      judge_(metric, some_model(training), rows_),
      products_(std::move(products)),
      bytes_(bytes) {}

std::vector<double> HeldOut::scores(std::span<const PathPoint> points) const {
  const Index size = rows_.rows() * training_.outputs();
  std::vector<double> scores = suits_products(points) ? errors_by_products(points) : std::vector<double>();
  if (!scores.empty()) return scores;
  scores.resize(points.size());
  while (!points.empty()) {
    const auto some = points.first(std::min(points.size(), at(points_at_once())));
    const auto all = margins(some);
    double* const out = scores.data() + (scores.size() - points.size());
    parallel_for(std::ssize(some), training_.threads(), [&](Index p) {
      const std::span<const double> own(all.get() + p * size, at(size));
      require_finite(own, training_.outputs(), 0, rows_.source);
      out[p] = judge_(own);
    });
    points = points.subspan(some.size());
  }
  return scores;
}

// Fewer products of a row's entries with each other than with weights, and a matrix no larger than the rows.
bool HeldOut::suits_products(std::span<const PathPoint> points) const {
  const auto weighs = [](double weight) { return weight > 0; };
  const bool any = rows_.weights.empty() || std::any_of(rows_.weights.begin(), rows_.weights.end(), weighs);
  const Index stored = rows_.x.stored(), cols = rows_.cols();
  const bool margins_are_predictions = some_model(training_).link == Link::identity;
  return metric_ == ScoreKind::rmse && margins_are_predictions && !points.empty() && any &&
         stored / rows_.rows() < 2 * std::ssize(points) && cols > 0 && cols <= stored / cols;
}

std::vector<double> HeldOut::errors_by_products(std::span<const PathPoint> points) const {
  QuadraticLoss loss(squared_errors(training_, rows_).with_products(products_), points.back().w);
  std::vector<double> errors;
  for (const PathPoint& point : points) {
    loss.move_to(point.w);
    if (!(loss.loss_error() <= kRounding * loss.loss())) return {};
    errors.push_back(std::sqrt(loss.loss()));
  }
  return errors;
}

Index HeldOut::points_at_once() const {
  const Index each = 8 * training_.outputs() * (rows_.rows() + rows_.cols());
  return std::max<Index>(1, bytes_ / each);
}

std::unique_ptr<double[]> HeldOut::margins(std::span<const PathPoint> points) const {
  const Table table(points, training_, !rows_.x.is_dense());
  const Index rows = rows_.rows(), outputs = table.outputs;
  const Index per_row = std::max<Index>(1, rows_.x.stored() / std::max<Index>(1, rows));
  const Index block = std::clamp<Index>(kBlockEntries / per_row / 8 * 8, 8, kMostRows);
  std::unique_ptr<double[]> all(new double[points.size() * at(rows * outputs)]);  // not cleared: all are written
  rows_.x.visit([&](const auto& x) {
    parallel_ranges(rows, block, training_.threads(), [&](Index begin, Index end, Index) {
      std::vector<double> u(at((end - begin) * table.width));
      multiply(x, begin, end, table, u.data());
      for (Index n = 0; n < table.numbers; ++n) {
        double* out = all.get() + (n / outputs * rows + begin) * outputs + n % outputs;
        for (Index r = 0; r < end - begin; ++r) out[r * outputs] = u[at(r * table.width + n)] + table.intercepts[at(n)];
      }
    });
  });
  return all;
}

}  // namespace s3gd
