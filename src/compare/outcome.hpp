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
