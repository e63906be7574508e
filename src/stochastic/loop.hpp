// The one stochastic loop. It knows samplers, controls and iterates by their interfaces only:
//
//     every `inner` steps: snapshot, step size, observation     every step: rows, margins, slopes, coefficients, step
//
// One output or several: margins, slopes and coefficients are rows x K.
#pragma once

#include <functional>

#include "base/archive.hpp"
#include "stochastic/control.hpp"
#include "stochastic/iterate.hpp"
#include "stochastic/sampler.hpp"

namespace s3gd {

struct LoopOptions {
  double step = 0;
  double decay = 0;  // T0 of step / (1 + iteration / T0); 0 = constant
  bool average_snapshot = false;
  std::function<bool()> urgent;    // asked at every snapshot: observe now, whatever was planned?
  bool keep_good = false;          // keep a snapshot to come back to, and end early when losses have multiplied
  bool stop_at_plateau = false;    // end when the losses of batches have stopped falling
  double average_from = -1;        // not negative: snapshots after so many rows drawn are averaged into state.average
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
