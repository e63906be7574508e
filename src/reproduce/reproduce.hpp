// Repeats the paper: runs the experiments, judges their claims, writes one page.
//
//     reproduce(figures) --> FOLDER/reproduction.html, results.json, figures/*.svg|png, runs/GROUP/ (each a comparison)
//
// Experiments that look at the same runs share them. What is done already is not done again: a call that was cut off goes on
// where it was. With a limit of time, what was done by then is judged, and said to be so much of so much.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "reproduce/coverage.hpp"
#include "reproduce/criteria.hpp"
#include "reproduce/paper_sets.hpp"

namespace s3gd::reproduce {

struct ReproduceProgress {
  std::string figure;            // the first that needs what is being done
  std::size_t part = 0, of = 0;  // the runs are done in so many parts; `plan` is about this one
  PlanProgress plan;
};
// Called now and then; false ends it all, as an interrupt does.
using Watch = std::function<bool(const ReproduceProgress&)>;

struct FigureResult {
  const Experiment* experiment = nullptr;
  std::vector<Finding> findings;
  Coverage coverage;  // how many of its runs are done
};

struct Reproduction {
  Status status = Status::converged;  // or interrupted, out_of_time, early_stopped (only what is done, and not all is)
  std::vector<FoundSet> sets;
  std::vector<FigureResult> figures;
  std::vector<std::string> left_out;  // by `quick`, by limits and by the clock, in words
  double seconds = 0;
  std::string page, results;  // files written
  Index failed = 0;           // runs
};

// The plan of a group of runs on this machine's data.
Plan plan_of(const RunGroup& group, const std::vector<FoundSet>& sets, const Settings& settings);
// What `quick` and limits leave out of it, in a sentence; empty = nothing.
std::string left_out_of(const RunGroup& group, const Settings& settings);

// figures: names of experiments, run in this order; empty = all.
Reproduction reproduce(const std::vector<std::string>& figures, const std::string& folder, const Settings& settings,
                       const std::vector<std::string>& command, const Watch& watch = {});

// The findings of a results.json as a Markdown table, for docs.
std::string markdown_table(const Json& results);

}  // namespace s3gd::reproduce
