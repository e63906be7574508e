#include "problem/table_pass.hpp"

#include <algorithm>

#include "base/index.hpp"
#include "kernel/kernel.hpp"
#include "problem/table_sums.hpp"

namespace s3gd {
namespace {

constexpr Index kMostRows = TableSums::kMostRows;

TableSums sums_of(const SoftmaxProblem& problem, std::span<const Index> rows) {
  return {problem.x(), problem.classes(), problem.has_intercept(), problem.spec().threads, rows};
}

template <class W>
const std::function<void(const SoftmaxBlock<W>&)>& watcher(const SoftmaxPass& pass) {
  if constexpr (std::is_same_v<W, float>)
    return pass.watch_float;
  else
    return pass.watch_double;
}

template <class W, class View>
RowSums run(const SoftmaxProblem& problem, const View& x, std::span<const double> w, const SoftmaxPass& pass) {
  const TableSums table = sums_of(problem, pass.rows);
  const Index width = table.width();
  const RowWeights weight(problem);
  const auto targets = problem.targets();
  std::vector<RowSums> totals(at(table.chunks()));
  table.run<W>(x, w, pass.gradient, [&](Index chunk, Index first, std::span<const Index> rows, W* u) {
    double losses[kMostRows];
    W own[kMostRows];
    for (std::size_t r = 0; r < rows.size(); ++r) own[r] = u[static_cast<Index>(r) * width + targets[at(rows[r])]];
    kernel::softmax_rows(static_cast<Index>(rows.size()), table.outputs, width, u, losses);
    RowSums& total = totals[at(chunk)];
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const double q = weight(rows[r]);
      losses[r] -= static_cast<double>(own[r]);
      if (q != 0) total.loss += q * losses[r];
      total.weight += q;
    }
    if (watcher<W>(pass)) watcher<W>(pass)({chunk, first, rows, width, u, losses});
    if (pass.gradient.empty()) return;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      W* slopes = u + static_cast<Index>(r) * width;
      const std::size_t mine = at(targets[at(rows[r])]);
      const auto q = static_cast<W>(weight(rows[r]) * (pass.class_scale.empty() ? 1.0 : pass.class_scale[mine]));
      slopes[mine] -= W(1);
      for (Index k = 0; k < width; ++k) slopes[k] *= q;
    }
  });
  RowSums total;
  for (const RowSums& part : totals) {
    total.loss += part.loss;
    total.weight += part.weight;
  }
  return total;
}

// One class's margins in column `u` of a block become slopes times weights. places: null where all rows are asked for.
template <class W>
void turn_into_slopes(const ClassPass& one, const WeighedLoss& loss, Index first, Index count, const Index* places,
                      Index width, W* u, RowSums& total) {
  double margin[kMostRows] = {}, value[kMostRows], slope[kMostRows];
  for (Index r = 0; r < count; ++r) margin[r] = static_cast<double>(u[r * width]);
  double* const curvature = one.keep.curvatures.empty() ? nullptr : one.keep.curvatures.data() + first;
  total.weight += loss(first, count, places, margin, {value, slope, curvature});
  for (Index r = 0; r < count; ++r) {
    total.loss += value[r];
    u[r * width] = static_cast<W>(slope[r]);
  }
  if (!one.keep.margins.empty()) std::copy_n(margin, count, one.keep.margins.begin() + first);
}

template <class W, class View>
void run(const View& x, std::span<ClassPass> classes, std::span<const Index> rows) {
  const Problem& like = *classes[0].problem;
  std::vector<WeighedLoss> losses;
  for (const ClassPass& one : classes) losses.emplace_back(*one.problem);
  const std::size_t k = classes.size(), dim = at(like.dim());
  const TableSums table{like.x(), static_cast<Index>(k), like.has_intercept(), like.spec().threads, rows};
  std::vector<double> w(dim * k), sums(dim * k);  // the classes of a feature side by side
  for (std::size_t c = 0; c < k; ++c)
    for (std::size_t j = 0; j < dim; ++j) w[j * k + c] = classes[c].w[j];
  std::vector<RowSums> totals(at(table.chunks()) * k);
  table.run<W>(x, w, sums, [&](Index chunk, Index first, std::span<const Index> here, W* u) {
    for (std::size_t c = 0; c < k; ++c)
      turn_into_slopes(classes[c], losses[c], first, std::ssize(here), rows.empty() ? nullptr : here.data(),
                       table.width(), u + c, totals[at(chunk) * k + c]);
  });
  for (std::size_t c = 0; c < k; ++c) {
    ClassPass& one = classes[c];
    one.sums = {};
    for (std::size_t part = c; part < totals.size(); part += k) {
      one.sums.loss += totals[part].loss;
      one.sums.weight += totals[part].weight;
    }
    for (std::size_t j = 0; j < dim; ++j) one.gradient[j] = sums[j * k + c];
  }
}

}  // namespace

Index pass_chunks(const SoftmaxProblem& problem, std::span<const Index> rows) {
  return sums_of(problem, rows).chunks();
}

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

void keep_probabilities(const SoftmaxProblem& problem, SoftmaxPass& pass, std::vector<float>& kept) {
  const Index classes = problem.classes();
  kept.resize(at((pass.rows.empty() ? problem.rows() : std::ssize(pass.rows)) * classes));
  const auto note = [classes, out = kept.data()](const auto& block) {
    for (std::size_t r = 0; r < block.rows.size(); ++r) {
      const auto* p = block.probabilities + static_cast<Index>(r) * block.width;
      std::transform(p, p + classes, out + (block.first + static_cast<Index>(r)) * classes,
                     [](auto one) { return static_cast<float>(one); });
    }
  };
  pass.watch_float = note;
  pass.watch_double = note;
}

std::vector<float> probabilities_at(const SoftmaxProblem& problem, std::span<const double> w,
                                    std::span<const Index> rows) {
  std::vector<float> all;
  if (rows.empty()) return all;  // to a pass that would be all of them
  SoftmaxPass pass;
  pass.rows = rows;
  keep_probabilities(problem, pass, all);
  run_pass(problem, w, pass);
  return all;
}

}  // namespace s3gd
