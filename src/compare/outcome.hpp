// All that a comparison found, and the files made of it.
#pragma once

#include <string>
#include <vector>

#include "compare/record.hpp"
#include "compare/subject.hpp"
#include "compare/verdict.hpp"

namespace s3gd {

// What is known of a dataset when its rows are gone.
struct DatasetFacts {
  std::string name, source, stand_in, content, formula;
  Index rows = 0, cols = 0, nonzeros = 0, classes = 0, test_rows = 0;
  Index test_left_out = 0;  // see Subject
  std::vector<std::string> steps;
  double optimum = 0;          // F*
  double optimum_gap = 0;      // certified, relative
  double test_at_optimum = 0;  // NaN without test rows
};

struct Outcome {
  std::vector<DatasetFacts> datasets;
  std::vector<RunRecord> runs;  // dataset by dataset
  std::vector<ChosenStep> chosen;
  std::vector<Verdict> verdicts;
  Index planned = 0;
  double seconds = 0;  // this session took
};

DatasetFacts facts_of(const Subject& subject);
// Which runs are stable, the chosen steps and the verdicts, from datasets and runs.
void draw_conclusions(const Plan& plan, Outcome& outcome);

// run.json as one object; written with one run a line.
Json run_json(const Plan& plan, const Outcome& outcome);
// run.json, runs.csv, points.csv.
void write_outcome(const Json& run, const RunFolder& folder);

}  // namespace s3gd
