// Comparisons: datasets x contenders x steps x trials by one protocol, the paper's unless a plan says otherwise. Solvers are as
// they are by themselves; in paper_plan(), and in plans that say so, as the paper prints them.
//
//     Plan --run_plan--> FOLDER/run.json, runs.csv, points.csv, weights/, report.html, figures/
//
// Every run starts at zero, takes constant steps, and is looked at at the same iterations with the clock stopped. For each
// contender the largest stable step counts (the paper's Eqn. eta): the one whose mean objective over the last `tail`
// iterations, averaged over the trials, is within `tolerance` of the optimum F*. F* is found by the reference solver and
// certified. docs/compare.md has the files and the plan's format.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "s3gd/scale.hpp"
#include "s3gd/solve.hpp"

namespace s3gd {

// A step size as it is written: "0.1"; "auto", the solver's own; "2x", twice 1/L(p) of the data; "decay:STEP,T0".
struct StepRule {
  double value = 0;  // the step; with `relative`, a multiple of 1/L(p); 0 = automatic
  double decay = 0;  // T0 > 0: step / (1 + iteration / T0)
  bool relative = false;

  bool operator==(const StepRule&) const = default;
};
StepRule parse_step_rule(const std::string& text);
std::string text_of(const StepRule& rule);

// Who takes part. Exact solvers (auto, newton ..) have no step: they are run once for each trial, to tol.
struct Contender {
  std::string label;  // unique in a plan, for tables and curves
  std::string solver;
  SolveOptions base;  // the plan's and the contender's own options; step, seed and limits are the plan's business
  std::vector<StepRule> steps;  // empty = the plan's
};

// Where rows come from, and what becomes of them.
struct CompareData {
  std::string source;                   // as for load()
  std::string name;                     // for tables; empty = from the source
  std::string test;                     // DATA; empty = NAME/test of a known dataset, otherwise a fraction held out
  std::string stand_in;                 // why other data was used than meant, where it was; empty = it was not
  std::optional<Scale> scale;           // instead of the plan's
  std::optional<double> lambda;         // instead of the plan's
  std::optional<std::string> positive;  // instead of the plan's
};

struct Plan {
  std::string title;
  std::vector<CompareData> datasets;
  std::vector<Contender> contenders;
  SolveOptions common;  // what the contenders' options were made from
  // Empty = the paper's 0.1, 1, 5, 10; where the data's 1/L(p) is below 0.05, which those are far beyond, its multiples
  // 0.1x, 1x, 5x, 10x instead.
  std::vector<StepRule> steps;
  Index trials = 5;  // seeds seed, seed + 1, ..
  Index iterations = 40000;
  Index tail = 5000;
  double look_growth = 1.06;  // how many times as far as the last each look is at most
  double tolerance = 0.01;    // of Eqn. eta, and the target of the verdicts
  double seconds = 0;         // at most so long for a run (status out_of_time); 0 = no limit
  double exact_tol = 1e-6;    // relative gap at which exact solvers end

  ProblemSpec problem;     // of the paper's setting; spec.threads is not used
  bool usual_loss = true;  // whether data with real labels gets the squared loss instead of an error
  Scale scale = Scale::none;
  LoadOptions load;
  double test_fraction = 0.2;  // held out where there is no test set; 0 = none is

  std::uint64_t seed = 0;
  int threads = 1;         // of a run; reading and evaluating use all
  int jobs = 1;            // runs side by side; more than 1 disturbs the clocks, and run.json says so
  bool gradients = false;  // also measure correlation and variance ratio at every look (their time is not on the clock)
  bool fresh = false;      // do runs again that are there already
  bool only_done = false;  // run nothing: files from the runs that are there; datasets without any are left out
  bool pages = true;       // report.html and figures
  bool estimate_only = false;        // read the data, see what the plan will cost, and run nothing
  std::vector<std::string> command;  // as typed, for run.json
};

// The paper's protocol without datasets: sgd, ssgd, svrg, scv, s3gd; p = 10, k_in = 20 (svrg 50), lambda = 1e-3.
Plan paper_plan();
// The same in minutes: fewer iterations, two trials.
void make_quick(Plan& plan);

// "s3gd", or a variant "s3gd:anchors=50,graph-mode=full,label=fifty anchors", on top of a plan's common options.
Contender parse_contender(const std::string& text, const SolveOptions& common);

// A plan file is JSON, described in docs/compare.md. What it leaves out is the paper's protocol, with solvers as they are by
// themselves unless it says "paper": true. Throws an Error that names what is
// wrong in it, and the nearest name for an unknown one.
Plan read_plan(const std::string& path);
Plan parse_plan(const std::string& json, const std::string& name_for_messages = "the plan");

// What is being done, for a display.
struct PlanProgress {
  Index done = 0;  // runs, those of earlier sessions included
  Index of = 0;
  std::string doing;        // "reading a9a", "optimum of a9a", "a9a s3gd step 5 trial 2"
  Index iteration = 0;      // of the run, where it is one
  double seconds_left = 0;  // an estimate, made before the first run and improved with each; NaN while there is none
};
// Called now and then; false ends it all (as an interrupt does).
using WatchPlan = std::function<bool(const PlanProgress&)>;

struct PlanResult {
  // converged: all runs done, whatever became of them; interrupted: not all; early_stopped: not all, and only_done
  Status status = Status::converged;
  Index runs = 0;  // in run.json
  Index planned = 0;
  Index reused = 0;              // found in the folder
  Index failed = 0;              // runs with status failed
  double estimated_seconds = 0;  // for what was to be done, seen before the first run
  std::string run_file;          // FOLDER/run.json; empty where none was written: nothing was begun
};

// Runs what is not yet in FOLDER and writes the files. Every finished run is kept at once in FOLDER/runs, by the content
// of data, options and version: a run that was cut off goes on from there.
PlanResult run_plan(const Plan& plan, const std::string& folder, const WatchPlan& watch = {});

}  // namespace s3gd
