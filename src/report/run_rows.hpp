// The page of a comparison, and its run.json as the parts of that page look at it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/document.hpp"
#include "report/run_record.hpp"

namespace s3gd::report {

// What a field holds as text, number or truth; "", NaN and false where it is missing or null.
std::string text_at(const Json& object, const std::string& key);
double number_at(const Json& object, const std::string& key);
bool flag_at(const Json& object, const std::string& key);
const Json& list_at(const Json& object, const std::string& key);  // empty where it is missing
std::string words_of(const Json& value);                          // any value as a reader would write it

double median_of(std::vector<double> values);  // NaN of none; infinities sort last

inline const std::string kNoStep = "no step";  // of solvers that have none

// The runs that differ in nothing but their seed.
struct Trials {
  std::string dataset, label, step;  // step: as it is said
  double step_value = 0;             // of the first that lived to tell; NaN: it has none
  bool chosen = false;               // for its dataset and label
  bool settled = false;              // chosen as a stable step, not for want of one
  std::vector<const RunRecord*> runs = {};

  bool all_well() const;                         // none diverged or failed
  std::string status() const;                    // "converged", "2 of 5 diverged"
  double mean(double RunRecord::*number) const;  // over the runs that have it
  double mean_tail() const;                      // of the last iterations; NaN where a run has none
  // Median over the trials of a clock at the first look whose objective is at most `level`; a trial without one counts
  // as infinite.
  template <class Clock>
  double median_within(double level, Clock&& clock) const {
    std::vector<double> found;
    for (const RunRecord* run : runs) found.push_back(first_within(*run, level, clock));
    return median_of(std::move(found));
  }
};
bool went_badly(const RunRecord& run);                           // diverged or failed
std::vector<Trials> trials_of(std::span<const RunRecord> runs);  // in order of appearance
// Those of one contender on one dataset, by step ascending.
std::vector<Trials> steps_of(std::span<const RunRecord> runs, const std::string& dataset, const std::string& label);
// The paper's Eqn. eta: the largest step whose mean tail is at most `target`; where there is none, the one that came closest. Null
// where no run came to its end.
const Trials* choose(const std::vector<Trials>& steps, double target);

class RunRows {
 public:
  explicit RunRows(const Json& run);

  const Json& json() const { return run_; }
  const std::vector<RunRecord>& runs() const { return runs_; }
  const std::vector<std::string>& datasets() const { return datasets_; }  // in the order of the file
  const std::vector<std::string>& labels() const { return labels_; }
  const std::vector<Trials>& trials() const { return trials_; }
  const Json& about(const std::string& dataset) const;  // its entry in "datasets"; empty where there is none
  double target() const;                                // how close to F* is there; NaN without verdicts
  // At the step chosen; where none was, at the one that ended lowest. Null where there are no runs at all.
  const Trials* shown(const std::string& dataset, const std::string& label) const;

 private:
  const Json& run_;
  std::vector<RunRecord> runs_;
  std::vector<std::string> datasets_, labels_;
  std::vector<Trials> trials_;
};

// Mean, lowest and highest of the trials at every look; by the keys of quantity(), x with what came before the first step.
Series series_of(const std::string& name, std::span<const RunRecord* const> trials, double optimum);
Figure curves_of(const RunRows& rows, const std::string& dataset);

// The page of a comparison, from its run.json alone: who won, the curves of each dataset at the step chosen (mean, lowest and
// highest of the trials), every step tried, every run that failed, settings and machine. Throws an Error where `run` is not one.
Document document_of_run(const Json& run);

// Its parts, in its order.
void add_verdicts(Document& document, const RunRows& rows);
void add_reasons(Document& document, const RunRows& rows);
void add_steps(Document& document, const RunRows& rows);
void add_failures(Document& document, const RunRows& rows);
void add_settings(Document& document, const RunRows& rows);

}  // namespace s3gd::report
