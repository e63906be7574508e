// From the runs of a comparison to what they say: which step counts for each contender, and who was first.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "compare/record.hpp"

namespace s3gd {

// The runs of one contender on one dataset with one step: its trials.
struct Trials {
  double step = 0;  // NaN for exact solvers
  std::string step_rule;
  std::vector<const RunRecord*> runs;

  // Over the trials; NaN when there is none, or one of them has no number.
  double mean_tail() const;
};
// By step, ascending; only those of the label.
std::vector<Trials> trials_of(std::span<const RunRecord> runs_of_dataset, const std::string& label);

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

// Seconds of the processor until the first look at or below (1 + tolerance) F*; infinite when there is none.
double seconds_to_target(const RunRecord& run, double optimum, double tolerance, bool with_graph);

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

}  // namespace s3gd
