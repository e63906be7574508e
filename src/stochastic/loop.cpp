#include "stochastic/loop.hpp"

#include <limits>

namespace s3gd {
namespace {

constexpr double kSenseless = 1e30;  // a coefficient beyond this is on its way to infinity
constexpr Index kFirstWindow = 100;  // batches

double step_at(const LoopOptions& options, Index iteration) {
  if (options.decay <= 0) return options.step;
  return options.step / (1.0 + static_cast<double>(iteration) / options.decay);
}

// Mean of the iterates since the last snapshot, for Prox-SVRG's averaged variant. Costs O(d) a step.
class InnerAverage {
 public:
  InnerAverage(bool wanted, Index dim) : wanted_(wanted), sum_(wanted ? at(dim) : 0, 0.0) {}

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

  void state(Archive& a) { a(count_, sum_); }

 private:
  bool wanted_;
  Index count_ = 0;
  std::vector<double> sum_, now_;
};

// Batches drawn ahead of their use, in order. Their memory is used again.
class BatchQueue {
 public:
  BatchQueue(Sampler& sampler, Rng& rng) : sampler_(sampler), rng_(rng), ring_(4) {}

  const Batch& operator[](std::size_t place) const { return ring_[(first_ + place) % ring_.size()]; }
  void pop() {
    first_ = (first_ + 1) % ring_.size();
    --count_;
  }
  void fill(std::size_t wanted) {
    if (wanted > ring_.size()) {
      std::rotate(ring_.begin(), ring_.begin() + static_cast<std::ptrdiff_t>(first_), ring_.end());
      first_ = 0;
      ring_.resize(wanted);
    }
    for (; count_ < wanted; ++count_) sampler_.next(rng_, ring_[(first_ + count_) % ring_.size()]);
  }

  std::size_t size() const { return count_; }
  // Rows that come after those that are drawn.
  std::span<const Index> look_ahead(Index count) { return sampler_.look_ahead(rng_, count); }

  void state(Archive& a) { a(ring_, first_, count_, rng_, sampler_); }

 private:
  Sampler& sampler_;
  Rng& rng_;
  std::vector<Batch> ring_;
  std::size_t first_ = 0, count_ = 0;
};

// Tells the control which rows are coming, where it wants to know.
template <class T>
void announce(LoopState<T>& state, BatchQueue& queue) {
  const auto inner = at(state.inner);
  queue.fill(1);
  const Index block = state.inner * queue[0].size();
  const Index wanted = state.control.rows_wanted(block);
  if (wanted == 0) return;
  std::vector<Index> rows;
  for (std::size_t t = 0; t < inner; ++t) {
    queue.fill(t + 1);
    rows.insert(rows.end(), queue[t].rows.begin(), queue[t].rows.end());
  }
  const auto until_snapshot = static_cast<Index>(rows.size());
  for (std::size_t t = inner; t < queue.size(); ++t)
    rows.insert(rows.end(), queue[t].rows.begin(), queue[t].rows.end());
  if (std::ssize(rows) < wanted) {
    const auto more = queue.look_ahead(wanted - static_cast<Index>(rows.size()));
    rows.insert(rows.end(), more.begin(), more.end());
  }
  state.control.coming(rows, until_snapshot);
}

// Keeps a snapshot now and then, at growing distances so that copies of d numbers cost next to nothing, as long as the
// losses seen since the last one are of the same size as before.
class GoodSnapshots {
 public:
  GoodSnapshots(bool wanted, Index dim) : wanted_(wanted), dim_(at(dim)) {}

  bool listens() const { return wanted_ && !heard_; }  // to the first batch after each snapshot
  void add(double batch_loss) {
    heard_ = true;
    sum_ += batch_loss;
    ++count_;
  }
  // False when losses have multiplied.
  template <class T>
  bool at_snapshot(LoopState<T>& state) {
    heard_ = false;
    if (!wanted_ || ++snapshots_ < next_) return true;
    next_ += std::max(kFewest, next_ / 4);
    const double loss = count_ > 0 ? sum_ / static_cast<double>(count_) : 0.0;
    if (count_ > 0 && level_ >= 0 && !(loss <= kMultiplied * level_)) return false;
    if (count_ > 0) level_ = std::max(level_, loss);  // a low one may be luck: batches are few and small
    sum_ = 0;
    count_ = 0;
    state.good.resize(dim_);
    state.iterate.read(state.good);
    return true;
  }

 private:
  static constexpr Index kFewest = 10;      // snapshots between two that are kept
  static constexpr double kMultiplied = 3;  // losses: no noise of a batch

  bool wanted_;
  std::size_t dim_;
  bool heard_ = false;
  Index snapshots_ = 0, next_ = 1, count_ = 0;
  double sum_ = 0, level_ = -1;
};

// Passes outside of batches may come at any snapshot: the end of the budget must not depend on when somebody looks.
template <class T>
double passes_left(const StochasticProblem& problem, const LoopOptions& options, const LoopState<T>& state) {
  if (options.most_passes <= 0) return std::numeric_limits<double>::infinity();
  return options.most_passes - (state.rows_drawn / static_cast<double>(problem->rows()) + state.control.extra_passes());
}

// The mean of late snapshots: what a constant step scatters around, at d numbers a snapshot.
template <class T>
void add_to_average(LoopState<T>& state, Index dim, std::vector<double>& scratch) {
  scratch.resize(at(dim));
  state.iterate.read(scratch);
  state.average.resize(scratch.size(), 0.0);
  const double share = 1.0 / static_cast<double>(++state.averaged);
  for (std::size_t j = 0; j < scratch.size(); ++j) state.average[j] += share * (scratch[j] - state.average[j]);
}

}  // namespace

template <class T>
LoopEnd run_loop(const StochasticProblem& problem, const LoopOptions& options, LoopState<T>& state, Rng& rng,
                 const std::function<Index(LoopState<T>&)>& observe) {
  const Index dim = problem->dim();
  const bool draws = state.control.draws_rows();
  BatchQueue queue(state.sampler, rng);
  const Batch none;
  std::vector<double> margins, slopes, scratch;
  InnerAverage average(options.average_snapshot, dim);

  GoodSnapshots good(options.keep_good, dim);
  PlateauWatch progress(kFirstWindow);
  Index next_observation = state.iteration, next_snapshot = state.iteration;
  const auto loop_state = [&](Archive& a) {
    a(next_observation, next_snapshot, queue, average, good, progress);
    a(state.inner, state.iteration, state.rows_drawn, state.step, state.good, state.average, state.averaged);
    a(state.control, state.iterate);
  };
  if (options.resumed != nullptr) {
    loop_state(*options.resumed);
    options.resumed->expect_end();
  }
  for (;; ++state.iteration) {
    const bool snapshot = state.iteration == next_snapshot;
    const bool urgent = snapshot && options.urgent && options.urgent();
    if (snapshot && options.before_snapshot) options.before_snapshot(loop_state, urgent);
    const bool averages = snapshot && options.average_from >= 0 && state.rows_drawn >= options.average_from;
    if (averages && options.average_last) add_to_average(state, dim, scratch);
    if (state.iteration == next_observation || urgent || passes_left(problem, options, state) <= 0) {
      next_observation = observe(state);
      if (next_observation < 0) return LoopEnd::stopped;
    }
    if (averages && !options.average_last) add_to_average(state, dim, scratch);
    if (snapshot) {
      if (!good.at_snapshot(state)) return LoopEnd::diverged;
      if (options.stop_at_plateau && progress.plateau()) return LoopEnd::plateau;
      if (options.spacing) state.inner = options.spacing();
      next_snapshot += state.inner;
      state.control.set_passes_left(passes_left(problem, options, state));
      if (draws) announce(state, queue);
      average.put_in_place(state.iterate);
      state.step = step_at(options, state.iteration);
      state.iterate.set_step_size(state.step);
      state.control.refresh(state.iterate);
    }
    if (draws) queue.fill(3);
    const Batch& batch = draws ? queue[0] : none;
    if (draws) {
      state.iterate.prefetch(queue[1].rows, queue[2].rows);
      margins.resize(batch.rows.size() * at(problem->outputs()));
      slopes.resize(margins.size());
      state.iterate.margins(batch.rows, margins.data());
      problem->slopes(batch.rows, margins.data(), slopes.data());
      if (options.stop_at_plateau || good.listens()) {
        const double batch_loss = problem->loss(batch.rows, batch.weights.data(), margins.data());
        progress.add(batch_loss);
        if (good.listens()) good.add(batch_loss);
      }
      state.control.coefficients(batch, margins.data(), slopes.data());
      double size = 0;
      for (const double coefficient : slopes) size += std::abs(coefficient);
      if (!(size < kSenseless)) return LoopEnd::diverged;
      state.rows_drawn += static_cast<double>(batch.rows.size());
    }
    state.iterate.step(batch.rows, slopes.data());
    state.control.after_step(batch, state.iterate);
    average.add(state.iterate);
    if (draws) queue.pop();
  }
}

template LoopEnd run_loop(const StochasticProblem&, const LoopOptions&, LoopState<float>&, Rng&,
                          const std::function<Index(LoopState<float>&)>&);
template LoopEnd run_loop(const StochasticProblem&, const LoopOptions&, LoopState<double>&, Rng&,
                          const std::function<Index(LoopState<double>&)>&);

}  // namespace s3gd
