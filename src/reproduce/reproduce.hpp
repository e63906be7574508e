// Repeats the paper: runs the experiments, judges their claims, writes one page.
//
//     reproduce(figures) --> FOLDER/reproduction.html, results.json, figures/*.svg|png, runs/GROUP/ (each a comparison)
//
// Experiments that look at the same runs share them. What is done already is not done again: a call that was cut off goes on
// where it was. With a limit of time, what was done by then is judged, and said to be so much of so much.
#pragma once

#include <functional>

#include "report/document.hpp"
#include "reproduce/criteria.hpp"

namespace s3gd::reproduce {

struct ReproduceProgress {
  std::string figure;            // the first that needs what is being done
  std::size_t part = 0, of = 0;  // the runs are done in so many parts; `plan` is about this one
  PlanProgress plan;
};
// Called now and then; false ends it all, as an interrupt does.
using Watch = std::function<bool(const ReproduceProgress&)>;

// How much of what a figure needs has been run.
struct SetCoverage {
  std::string set;  // as in the results
  Index runs = 0, planned = 0;
  Index trials = 0, of = 0;  // trials that every method has at every step
};

struct Coverage {
  std::vector<SetCoverage> sets;

  Index sum(Index SetCoverage::*count) const;
  Index runs() const { return sum(&SetCoverage::runs); }
  Index planned() const { return sum(&SetCoverage::planned); }
  bool complete() const { return runs() == planned(); }
  // "5 of 5 trials on IJCNN, Covtype; 2 of 5 on CIFAR10; not run: MED11". Empty when everything was run.
  std::string words() const;
};

Coverage coverage_of(const Experiment& experiment, const std::vector<FoundSet>& sets, const Settings& settings,
                     const Results& results);
// Without the sets on which some method was not yet run at some step: who is first among some says nothing.
Results only_covered(const Results& results, const Coverage& coverage);

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

// figures: names of experiments, run in this order; empty = all.
Reproduction reproduce(const std::vector<std::string>& figures, const std::string& folder, const Settings& settings,
                       const std::vector<std::string>& command, const Watch& watch = {});

// The page and the results.json of a reproduction. evidence: one for each of its figures.
report::Document document_of(const Reproduction& done, const std::vector<Evidence>& evidence, const Json& machine);
Json results_json(const Reproduction& done, const std::vector<Evidence>& evidence, const Json& machine,
                  const Settings& settings, const std::vector<std::string>& command);

// What `experiment.show` names; without runs, nothing.
using PageParts = decltype(report::Document::parts);
PageParts parts_of(const Experiment& experiment, const Evidence& evidence);

// The findings of a results.json as a Markdown table, for docs.
std::string markdown_table(const Json& results);

}  // namespace s3gd::reproduce
