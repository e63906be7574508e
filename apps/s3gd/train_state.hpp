// Options of train for what a run begins with, what stops it early and what it leaves behind when it is cut.
#pragma once

#include "command.hpp"
#include "s3gd/solve.hpp"

namespace s3gd::app {

struct StateOptions {
  std::string warm_start;
  bool early_stop = false;
  Index patience = 5;
  std::string checkpoint;
  double checkpoint_every = 30;
  bool resume = false;
};

// --warm-start --early-stop --patience --checkpoint --checkpoint-every --resume
void add_state_options(Arguments& app, StateOptions& options);
void check_state_options(const StateOptions& options, bool validates);

// Puts them into the options of solve(), apart from the warm start.
void apply_state_options(const StateOptions& options, SolveOptions& solve);

// After the model is written: a run that ended by itself needs its checkpoint no more, one that was cut goes on from it.
void close_checkpoint(const StateOptions& options, Status status, const Common& common);

}  // namespace s3gd::app
