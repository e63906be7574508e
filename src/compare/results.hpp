// The rows of one or several run.json, and what the criteria of the experiments ask of them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/run_rows.hpp"
#include "s3gd/matrix.hpp"

namespace s3gd::reproduce {

struct ResultSet {
  std::string name;  // as in run.json: the paper's name, for a stand-in with "(..)" behind it
  std::string source = {};
  std::string stand_in = {};            // why; empty = it is none
  double optimum = 0, optimum_gap = 0;  // F*, and what it is certified to, relatively
  Index rows = 0, test_rows = 0, cols = 0, classes = 0;

  std::string paper_name() const;  // without what is in brackets
};

struct Results {
  std::vector<ResultSet> sets;
  std::vector<RunRecord> runs;  // step 0: a solver that has none
  double tolerance = 0.01;

  const ResultSet* find(const std::string& paper_name) const;
  std::vector<std::string> labels() const;  // in order of appearance
  // With a step: the trials at that step. Without: at the chosen one, see chosen_step.
  std::vector<const RunRecord*> trials(const ResultSet& set, const std::string& label,
                                       std::optional<double> step = {}) const;
};

// Adds the rows of a run.json. Sets that are there already keep their place.
void add_results(Results& results, const Json& run);
// Whether it is in the list; an empty one stands for all.
bool listed(const std::vector<std::string>& list, const std::string& word);
// Only these sets (by the paper's names) and labels.
Results only(const Results& results, const std::vector<std::string>& sets, const std::vector<std::string>& labels);

// Mean over the trials of the mean objective over the last iterations; NaN where there is none.
double tail_objective(const Results& results, const ResultSet& set, const std::string& label, double step);
bool is_stable(const Results& results, const ResultSet& set, const std::string& label, double step);
std::vector<double> steps_of(const Results& results, const ResultSet& set, const std::string& label);  // ascending
// The paper's Eqn. eta: the largest stable step. None where no step is stable.
std::optional<double> largest_stable_step(const Results& results, const ResultSet& set, const std::string& label);
// The largest stable step, otherwise the one whose last iterations were lowest; none without runs.
std::optional<double> chosen_step(const Results& results, const ResultSet& set, const std::string& label);

enum class Clock { cpu_without_graph, cpu_with_graph, iterations };
// When a run is for the first time within `tolerance` of F*: median over the trials at the largest stable step, a trial that
// never is counting as infinite; none where the median is infinite or no step is stable.
std::optional<double> reaches_target(const Results& results, const ResultSet& set, const std::string& label,
                                     Clock clock);

// Processor seconds of an iteration: median over all runs of the label on the set. Graph and set-up are left out.
double iteration_seconds(const Results& results, const ResultSet& set, const std::string& label);

// Mean over trials, look by look.
std::vector<double> mean_points(const std::vector<const RunRecord*>& trials, Points points);
// Mean of the finite ones of v[from..to); NaN where there is none.
double mean_of(const std::vector<double>& values, std::size_t from = 0, std::size_t to = SIZE_MAX);
using report::median_of;

// Slope of the least-squares line through (log x, log y).
double fitted_exponent(const std::vector<double>& x, const std::vector<double>& y);
// Correlation of ranks (ties share theirs).
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace s3gd::reproduce
