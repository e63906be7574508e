// The variance of every estimator at one point, for `inspect` and the benchmarks.
#include <cmath>

#include "anchor/kmeans.hpp"
#include "oracle/quality.hpp"
#include "s3gd/solve.hpp"
#include "solve/strata.hpp"

namespace s3gd {
namespace {

template <class T>
double ratio_of(const Estimator& estimator, const Problem& problem, const Graph& graph, std::span<const double> w,
                Index batch) {
  const Penalty penalty(problem.spec().penalty, problem.cols(), problem.spec().intercept);
  const auto control = estimator.build<T>({problem, &graph});
  const auto iterate = make_iterate<T>(problem, penalty, control->basis());
  iterate->assign(w);
  iterate->set_step_size(1.0);
  control->refresh(*iterate);
  std::vector<std::int32_t> strata;
  if (estimator.sampling == Sampling::stratified)
    strata = make_strata(problem.x(), batch, graph.options.seed, problem.spec().threads);
  const auto sampler = make_sampler(estimator.sampling, problem, batch, strata);
  Rng rng(graph.options.seed, 78);
  return measure_quality(problem, *control, *sampler, estimator.unbiased, batch, w, rng).variance_ratio;
}

}  // namespace

std::vector<EstimatorVariance> estimator_variances(const Problem& problem, const Graph& graph,
                                                   std::span<const double> w, Index batch) {
  std::vector<EstimatorVariance> list;
  for (const Estimator& estimator : estimator_table()) {
    // With snapshot = w these hold every row's own slope: nothing is left to vary.
    if (estimator.name == "gd") continue;
    list.push_back({estimator.name, problem.x().precision() == Precision::float32
                                        ? ratio_of<float>(estimator, problem, graph, w, batch)
                                        : ratio_of<double>(estimator, problem, graph, w, batch)});
  }
  return list;
}

}  // namespace s3gd
