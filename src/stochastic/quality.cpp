#include "stochastic/control.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/index.hpp"
#include "data/row_access.hpp"
#include "s3gd/solve.hpp"

namespace s3gd {
namespace {

constexpr int kBatches = 10;  // over which a correlation is taken

// out += x_row c', out: features x K
void add_outer(const StochasticProblem& problem, Index row, std::span<const double> c, std::span<double> out) {
  const auto k = static_cast<Index>(c.size());
  problem->x().visit([&](const auto& view) {
    if (k == 1) return add_row(c[0], view, row, out.data());
    for_each_nonzero(view, row, [&](Index j, auto value) {
      kernel::axpy(static_cast<double>(value), c.data(), out.data() + j * k, k);
    });
  });
  for (std::size_t o = 0; o < c.size() && problem->has_intercept(); ++o) out[out.size() - c.size() + o] += c[o];
}

double pearson(std::span<const double> a, std::span<const double> b) {
  const auto n = static_cast<double>(a.size());
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / n;
  const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / n;
  double aa = 0, bb = 0, ab = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    aa += (a[j] - mean_a) * (a[j] - mean_a);
    bb += (b[j] - mean_b) * (b[j] - mean_b);
    ab += (a[j] - mean_a) * (b[j] - mean_b);
  }
  return ab / std::sqrt(aa * bb);  // NaN when either is constant: there is no correlation to speak of
}

std::vector<double> weighted_sum(const StochasticProblem& problem, std::span<const double> weights,
                                 std::span<const double> values) {
  std::vector<double> coefficients(values.size());
  for_each_slope(weights.size(), problem->outputs(),
                 [&](std::size_t i, std::size_t place) { coefficients[place] = weights[i] * values[place]; });
  std::vector<double> sum(at(problem->dim()));
  problem->transpose_times(coefficients, sum);
  return sum;
}

double squared_distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

// The rows an estimate is the mean over: all, or those a growing graph has seen, scaled up to stand for all.
class Covered {
 public:
  Covered(const StochasticProblem& problem, std::span<const Index> rows, Index batch)
      : rows_(rows.begin(), rows.end()), batch_(batch), weights_(at(problem->rows()), 0.0) {
    if (rows.empty())
      for (std::size_t i = 0; i < weights_.size(); ++i) weights_[i] = problem->weight(static_cast<Index>(i));
    for (const Index row : rows) weights_[at(row)] = problem->weight(row) * share(problem);
  }

  std::span<const double> weights() const { return weights_; }

  // Of a batch drawn from them without replacement; `sampler` knows it for all rows.
  double variance(const Sampler& sampler, std::span<const double> residuals, std::span<const double> norms,
                  const StochasticProblem& problem) const {
    if (rows_.empty()) return sampler.variance(residuals, norms, problem);
    const auto count = static_cast<double>(rows_.size());
    double second = 0;
    const std::size_t k = at(problem->outputs());
    for (const Index row : rows_)
      for (std::size_t place = at(row) * k; place < (at(row) + 1) * k; ++place) {
        const double scaled = count * weights_[at(row)] * residuals[place];
        second += scaled * scaled * norms[at(row)] / count;
      }
    const auto mean = weighted_sum(problem, weights_, residuals);
    const double squared_mean = std::inner_product(mean.begin(), mean.end(), mean.begin(), 0.0);
    const auto p = static_cast<double>(std::min<Index>(batch_, static_cast<Index>(rows_.size())));
    return count > 1 ? (second - squared_mean) / p * (count - p) / (count - 1) : 0.0;
  }

  void draw(Sampler& sampler, Rng& rng, Batch& batch) {
    if (rows_.empty()) return sampler.next(rng, batch);
    const std::size_t size = std::min(at(batch_), rows_.size());
    batch.rows.resize(size);
    batch.weights.resize(size);
    for (std::size_t b = 0; b < size; ++b) {
      std::swap(rows_[b], rows_[b + at(rng.below(static_cast<Index>(rows_.size() - b)))]);
      batch.rows[b] = rows_[b];
      batch.weights[b] = weights_[at(rows_[b])] * static_cast<double>(rows_.size()) / static_cast<double>(size);
    }
  }

 private:
  double share(const StochasticProblem& problem) const {
    return static_cast<double>(problem->rows()) / static_cast<double>(rows_.size());
  }

  std::vector<Index> rows_;
  Index batch_;
  std::vector<double> weights_;
};

}  // namespace

template <class T>
GradientQuality measure_quality(const StochasticProblem& problem, const Control<T>& control, const Sampler& sampler,
                                bool unbiased, Index batch_size, std::span<const double> w, Rng& rng) {
  if (!control.draws_rows()) return {1.0, 0.0, std::vector<double>(at(problem->dim()), 0.0)};
  const auto n = at(problem->rows());
  const auto k = at(problem->outputs());
  Covered covered(problem, control.rows_covered(), batch_size);
  std::vector<double> slopes(n * k), residuals(n * k), controls(n * k), margins(n * k);
  std::vector<Index> every_row(n);
  std::iota(every_row.begin(), every_row.end(), Index{0});
  problem->margins(w, margins);
  problem->slopes(every_row, margins.data(), slopes.data());
  control.control(every_row, margins.data(), controls.data());
  for (std::size_t i = 0; i < n * k; ++i) residuals[i] = slopes[i] - controls[i];

  std::vector<double> gradient(at(problem->dim())), same(n * k);
  problem->gradient(w, gradient, same);
  const std::vector<double> drift = weighted_sum(problem, covered.weights(), controls);
  GradientQuality quality;
  quality.surrogate = drift;
  for (std::size_t j = 0; j < drift.size(); ++j) quality.surrogate[j] -= gradient[j];

  // A biased estimator (SAG) uses q_i where the others use the batch's weight.
  if (!unbiased)
    for_each_slope(n, problem->outputs(), [&](std::size_t i, std::size_t place) {
      residuals[place] *=
          problem->weight(static_cast<Index>(i)) * static_cast<double>(batch_size) / problem->total_weight();
    });
  std::vector<double> mean = weighted_sum(problem, covered.weights(), residuals);
  for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += drift[j];
  const std::vector<double> norms = problem->squared_row_norms();
  const auto plain = make_sampler(Sampling::weighted, problem, batch_size);
  const double error = covered.variance(sampler, residuals, norms, problem) + squared_distance(mean, gradient);
  quality.variance_ratio = error / plain->variance(slopes, norms, problem);

  Batch batch;
  const auto probe = sampler.clone();
  double sum = 0;
  for (int repeat = 0; repeat < kBatches; ++repeat) {
    std::vector<double> estimate = drift;
    covered.draw(*probe, rng, batch);
    for (std::size_t b = 0; b < batch.rows.size(); ++b) {
      std::vector<double> c(k);
      for (std::size_t o = 0; o < k; ++o) c[o] = batch.weights[b] * residuals[at(batch.rows[b]) * k + o];
      add_outer(problem, batch.rows[b], c, estimate);
    }
    sum += pearson(estimate, gradient);
  }
  quality.correlation = sum / kBatches;
  return quality;
}

template GradientQuality measure_quality(const StochasticProblem&, const Control<float>&, const Sampler&, bool, Index,
                                         std::span<const double>, Rng&);
template GradientQuality measure_quality(const StochasticProblem&, const Control<double>&, const Sampler&, bool, Index,
                                         std::span<const double>, Rng&);

namespace {

// The variance of every estimator at one point, for `inspect` and the benchmarks.
constexpr int kPastBatches = 800;

// What an adaptive control knows after a while at w: it learns from batches, which move nothing here.
template <class T>
void look_at_batches(const StochasticProblem& problem, Control<T>& control, Iterate<T>& iterate, Sampler& sampler,
                     Rng& rng) {
  Batch batch;
  std::vector<double> u, slopes;
  for (int repeat = 0; repeat < kPastBatches; ++repeat) {
    sampler.next(rng, batch);
    u.resize(batch.rows.size() * static_cast<std::size_t>(problem->outputs()));
    slopes.resize(u.size());
    iterate.margins(batch.rows, u.data());
    problem->slopes(batch.rows, u.data(), slopes.data());
    control.coefficients(batch, u.data(), slopes.data());
  }
  control.refresh(iterate);
}

template <class T>
double ratio_of(const Estimator& estimator, const StochasticProblem& problem, const Graph& graph,
                std::span<const double> w, Index batch, ControlMode mode) {
  const auto control = estimator.build<T>({problem, &graph, false, mode});
  const auto iterate = make_iterate<T>(problem, control->basis());
  iterate->assign(w);
  iterate->set_step_size(1.0);
  control->refresh(*iterate);
  std::vector<std::int32_t> strata;
  if (estimator.sampling == Sampling::stratified)
    strata = make_strata(problem->x(), batch, graph.options.seed, problem->threads());
  const auto sampler = make_sampler(estimator.sampling, problem, batch, strata);
  Rng rng(graph.options.seed, 78);
  if (estimator.needs_graph) look_at_batches(problem, *control, *iterate, *sampler, rng);
  return measure_quality(problem, *control, *sampler, estimator.unbiased, batch, w, rng).variance_ratio;
}

}  // namespace

std::vector<EstimatorVariance> estimator_variances(const Problem& problem, const Graph& graph,
                                                   std::span<const double> w, Index batch, ControlMode mode) {
  std::vector<EstimatorVariance> list;
  for (const Estimator& estimator : estimator_table()) {
    // With snapshot = w these hold every row's own slope: nothing is left to vary.
    if (estimator.name == "gd") continue;
    list.push_back({estimator.name, problem.x().precision() == Precision::float32
                                        ? ratio_of<float>(estimator, problem, graph, w, batch, mode)
                                        : ratio_of<double>(estimator, problem, graph, w, batch, mode)});
  }
  return list;
}

}  // namespace s3gd
