// The variance of every estimator at one point, for `inspect` and the benchmarks.
#include <cmath>

#include "anchor/kmeans.hpp"
#include "s3gd/solve.hpp"
#include "stochastic/quality.hpp"
#include "stochastic/strata.hpp"

namespace s3gd {
namespace {

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
