// The one stochastic loop. It knows samplers, controls and iterates by their interfaces only:
//
//     every `inner` steps: snapshot, step size, observation     every step: rows, margins, slopes, coefficients, step
//
// One output or several: margins, slopes and coefficients are rows x K.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>

#include "stochastic/control.hpp"

namespace s3gd {

// Does a run still make progress? Judged by the losses of its batches at the w they were drawn for, before the step: an
// unbiased estimate of the loss part of F that costs nothing but the losses themselves.
//
// The batches are cut into windows, each half as long again as the one before. A run is at its plateau when two windows
// in a row are not below their predecessors by more than the noise of their means.
class PlateauWatch {
 public:
  explicit PlateauWatch(Index first_window) : length_(first_window) {}

  void add(double batch_loss) {
    ++count_;
    sum_ += batch_loss;
    squares_ += batch_loss * batch_loss;
    if (count_ < length_) return;
    const auto n = static_cast<double>(count_);
    const double mean = sum_ / n;
    const double noise = std::max(0.0, squares_ / n - mean * mean) / n;  // variance of the mean
    if (has_last_) still_ = last_mean_ - mean > kDeviations * std::sqrt(noise + last_noise_) ? 0 : still_ + 1;
    plateau_ = plateau_ || still_ >= 2;
    has_last_ = true;
    last_mean_ = mean;
    last_noise_ = noise;
    length_ += length_ / 2;
    count_ = 0;
    sum_ = squares_ = 0;
  }

  bool plateau() const { return plateau_; }

 private:
  static constexpr double kDeviations = 2;  // of the means; halved, a plateau is found half as late again

  Index length_, count_ = 0;
  double sum_ = 0, squares_ = 0;
  bool has_last_ = false;
  double last_mean_ = 0, last_noise_ = 0;
  int still_ = 0;  // windows in a row without progress
  bool plateau_ = false;
};

struct LoopOptions {
  double step = 0;
  double decay = 0;  // T0 of step / (1 + iteration / T0); 0 = constant
  bool average_snapshot = false;
  std::function<bool()> urgent;    // asked at every snapshot: observe now, whatever was planned?
  bool keep_good = false;          // keep a snapshot to come back to, and end early when losses have multiplied
  bool stop_at_plateau = false;    // end when the losses of batches have stopped falling
  double most_passes = 0;          // observe as soon as so many are used up; 0 = only when planned
  double average_from = -1;        // not negative: snapshots after so many rows drawn are averaged into state.average
  bool average_last = false;       // the one at which the run is stopped as well
  std::function<Index()> spacing;  // asked at every snapshot: steps until the next; without it, as the state says
  // For checkpoints. Called before every snapshot with what writes the loop's state, and whether the run is about to end
  // on request; and where the loop is to go on from.
  std::function<void(const std::function<void(Archive&)>& loop_state, bool ending)> before_snapshot;
  Archive* resumed = nullptr;
};

template <class T>
struct LoopState {
  Iterate<T>& iterate;
  Control<T>& control;
  Sampler& sampler;
  Index inner = 20;  // steps between snapshots
  Index iteration = 0;
  double rows_drawn = 0;
  double step = 0;
  std::vector<double> good;     // the last snapshot that was kept
  std::vector<double> average;  // mean of the snapshots asked for; empty before the first
  Index averaged = 0;           // how many they are
};

enum class LoopEnd : std::uint8_t { stopped, diverged, plateau };

// Runs until `observe` returns no next observation. It is called before the first step and whenever the iteration it
// last returned is reached; it returns the iteration of its next call, or a negative number to stop. Ends with
// `diverged` when a coefficient is no longer a sensible number. state.rows_drawn and state.iteration count on from what
// they are.
template <class T>
LoopEnd run_loop(const StochasticProblem& problem, const LoopOptions& options, LoopState<T>& state, Rng& rng,
                 const std::function<Index(LoopState<T>&)>& observe);

}  // namespace s3gd
