// S3GD for K classes: stochastic steps with K propagated slopes over one graph.
//
//     G = sum over the batch of weight_i x_i (p_i - e_{y_i} - h_i)' + drift,       W <- prox_{eta R}(W - eta G)
//
// Rows come in a fresh random order every pass. Sparse rows with an l2 penalty (or none) keep W as s (V + b drift), so that a
// step touches only what its rows touch; otherwise a step costs dim on top of its rows.
#pragma once

#include "base/archive.hpp"
#include "finish/finisher.hpp"
#include "s3gd/softmax.hpp"

namespace s3gd {

struct StochasticInput {
  const SoftmaxProblem& problem;
  const SolveOptions& options;
  const Graph* graph = nullptr;  // null: one that grows
  double passes = 0;             // to make
  bool certifies = true;         // ends early at the tolerance, looking after every pass
  // For a checkpoint. Told before every snapshot how to write the state, and whether the run is about to be stopped.
  std::function<void(const std::function<void(Archive&)>& state, bool stopping)> keep = {};
  Archive* resumed = nullptr;  // what was kept, to go on from
};

struct StochasticEnd {
  std::vector<double> w;  // the mean of the snapshots of the second half, where that is better than the last one
  Certificate certificate = {.relative_gap = std::numeric_limits<double>::quiet_NaN()};  // NaN: not made
  Index iterations = 0;
  double passes = 0;
  double step = 0;
  Index inner = 0;
  bool diverged = false;
  std::string why;
};

StochasticEnd run_stochastic(const StochasticInput& input, std::vector<double> start, Progress& progress);

}  // namespace s3gd
