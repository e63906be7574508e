#include "solve/loop.hpp"

#include <cmath>
#include <limits>

#include "model/loss.hpp"

namespace s3gd {
namespace {

constexpr double kSenseless = 1e30;  // a coefficient beyond this is on its way to infinity

double step_at(const LoopOptions& options, Index iteration) {
  if (options.decay <= 0) return options.step;
  return options.step / (1.0 + static_cast<double>(iteration) / options.decay);
}

// Mean of the iterates since the last snapshot, for Prox-SVRG's averaged variant. Costs O(d) a step.
class InnerAverage {
 public:
  InnerAverage(bool wanted, Index dim) : wanted_(wanted), sum_(wanted ? static_cast<std::size_t>(dim) : 0, 0.0) {}

  template <class T>
  void add(Iterate<T>& iterate) {
    if (!wanted_) return;
    now_.resize(sum_.size());
    iterate.read(now_);
    for (std::size_t j = 0; j < sum_.size(); ++j) sum_[j] += now_[j];
    ++count_;
  }

  template <class T>
  void put_in_place(Iterate<T>& iterate) {
    if (count_ == 0) return;
    for (double& value : sum_) value /= static_cast<double>(count_);
    iterate.assign(sum_);
    std::fill(sum_.begin(), sum_.end(), 0.0);
    count_ = 0;
  }

 private:
  bool wanted_;
  Index count_ = 0;
  std::vector<double> sum_, now_;
};

}  // namespace

template <class T>
LoopEnd run_loop(const Problem& problem, const LoopOptions& options, LoopState<T>& state, Rng& rng,
                 const std::function<Index(LoopState<T>&)>& observe) {
  const Loss loss(problem.spec().loss);
  const auto targets = problem.targets();
  const bool draws = state.control.draws_rows();
  Batch batch, next, after;
  std::vector<double> margins, slopes;
  InnerAverage average(options.average_snapshot, problem.dim());

  if (draws) {
    state.sampler.next(rng, next);
    state.sampler.next(rng, after);
  }
  Index next_observation = state.iteration;
  for (;; ++state.iteration) {
    const bool snapshot = state.iteration % state.inner == 0;
    if (state.iteration == next_observation || (snapshot && options.urgent && options.urgent())) {
      next_observation = observe(state);
      if (next_observation < 0) return LoopEnd::stopped;
    }
    if (snapshot) {
      average.put_in_place(state.iterate);
      state.step = step_at(options, state.iteration);
      state.iterate.set_step_size(state.step);
      state.control.refresh(state.iterate);
    }
    if (draws) {
      std::swap(batch, next);
      std::swap(next, after);
      state.sampler.next(rng, after);
      state.iterate.prefetch(next.rows, after.rows);
      margins.resize(batch.rows.size());
      slopes.resize(batch.rows.size());
      state.iterate.margins(batch.rows, margins.data());
      for (std::size_t b = 0; b < batch.rows.size(); ++b)
        slopes[b] = loss.slope(margins[b], targets[static_cast<std::size_t>(batch.rows[b])]);
      state.control.coefficients(batch, margins.data(), slopes.data());
      double size = 0;
      for (const double coefficient : slopes) size += std::abs(coefficient);
      if (!(size < kSenseless)) return LoopEnd::diverged;
      state.rows_drawn += static_cast<double>(batch.rows.size());
    }
    state.iterate.step(batch.rows, slopes.data());
    state.control.after_step(batch, state.iterate);
    average.add(state.iterate);
  }
}

template LoopEnd run_loop(const Problem&, const LoopOptions&, LoopState<float>&, Rng&,
                          const std::function<Index(LoopState<float>&)>&);
template LoopEnd run_loop(const Problem&, const LoopOptions&, LoopState<double>&, Rng&,
                          const std::function<Index(LoopState<double>&)>&);

}  // namespace s3gd
