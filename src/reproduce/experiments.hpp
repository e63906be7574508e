// The experiments: every table and figure of the paper, and some beyond it. Each is a file in experiments/, embedded by cmake:
// what is run, what is claimed, by which criterion a claim counts as confirmed, how it is shown.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"

namespace s3gd::reproduce {

// Runs that one plan describes. `plan` holds data, contenders, steps, trials, iterations .. and, under "quick", what
// differs in a quick run.
struct RunGroup {
  std::string name;
  Json plan;
};

struct Claim {
  std::string says;
  Json criterion;  // {"kind": .., numbers}
};

struct Experiment {
  std::string name, title;
  std::string paper;  // "Figure 4, section 4.4"
  std::string show;   // which tables and figures
  std::vector<RunGroup> runs;
  std::vector<std::string> runs_of;       // experiments whose runs it looks at as well
  std::vector<std::string> sets, labels;  // what it looks at; empty = all
  std::vector<Claim> claims;

  bool beyond_paper() const { return paper.starts_with("beyond"); }
};

const std::vector<Experiment>& experiments();  // in the paper's order
// Throws an Error that names the nearest, and all.
const Experiment& find_experiment(const std::string& name);
// Its own runs and those of `runs_of`.
std::vector<RunGroup> run_groups(const Experiment& experiment);

// The embedded files: name without ".json", and text.
struct EmbeddedFile {
  const char* name;
  const char* text;
};
const std::vector<EmbeddedFile>& embedded_experiments();
Json embedded_json(const std::string& name);

}  // namespace s3gd::reproduce
