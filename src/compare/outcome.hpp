// From the runs of a comparison to what they say: which step counts for each contender, who was first, and the files made of it.
#pragma once

#include <span>

#include "compare/one_run.hpp"
#include "compare/subject.hpp"

namespace s3gd {

// The paper's Eqn. eta for one contender on one dataset.
struct ChosenStep {
  std::string dataset, label;
  double step = 0;        // NaN for exact solvers
  std::string step_rule;  // empty where no run has a number
  double mean_tail = 0;
  bool stable = false;  // where it is not, no step is, and this is the one that came closest
  std::string why;
};
ChosenStep choose_step(std::span<const RunRecord> runs_of_dataset, const std::string& label, double optimum,
                       double tolerance);

struct Standing {
  std::string label;
  double median_seconds = 0;  // infinite: the median trial did not get there, or no step is stable
};

struct Verdict {
  std::string dataset;
  bool with_graph = true;
  std::vector<Standing> order;  // fastest first
  std::string winner;           // empty: nobody got there
  double speedup_over_sgd = 0;  // NaN where there is no sgd, or it did not get there
  double speedup_over_runner_up = 0;
};
Verdict judge(std::span<const RunRecord> runs_of_dataset, std::span<const ChosenStep> chosen, double optimum,
              double tolerance, bool with_graph);

// What is known of a dataset when its rows are gone.
struct DatasetFacts {
  std::string name;
  double optimum = 0;       // F*
  Index test_left_out = 0;  // see Subject
  Json json;                // its entry in run.json
};

struct Outcome {
  std::vector<DatasetFacts> datasets;
  std::vector<RunRecord> runs;  // dataset by dataset
  std::vector<ChosenStep> chosen;
  std::vector<Verdict> verdicts;
  Index planned = 0;
  double seconds = 0;  // this session took
};

DatasetFacts facts_of(const Subject& subject, const Optimum& optimum);
// Which runs are stable, the chosen steps and the verdicts, from datasets and runs.
void draw_conclusions(const Plan& plan, Outcome& outcome);

// run.json as one object; written with one run a line.
Json run_json(const Plan& plan, const Outcome& outcome);
// run.json, runs.csv, points.csv.
void write_outcome(const Json& run, const RunFolder& folder);
// From run.json alone: report.html, and figures/ with each figure for a paper.
void write_pages(const Json& run, const RunFolder& folder);

}  // namespace s3gd
