// The experiments: every table and figure of the paper, and some beyond it. Each is a file in experiments/, embedded by cmake:
// what is run, what is claimed, by which criterion a claim counts as confirmed, how it is shown. The paper's nine sets: which
// data stands for each on this machine, and how it differs from the paper's.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "s3gd/compare.hpp"

namespace s3gd::reproduce {

struct Settings {
  bool quick = false;
  Index iterations = 0;  // at most; 0 = as in the experiments' files
  Index trials = 0;      // likewise
  Index rows = 0;        // at most so many generated training rows, and columns; 0 = as in the files
  std::uint64_t seed = 0;
  int threads = 1;
  bool fresh = false;
  std::vector<std::string> sets;  // the paper's names: only these, and in this order; empty = all
  double seconds = 0;             // for everything, at most; 0 = no limit
  bool only_done = false;         // run nothing: judge the runs that are there
};

struct FoundSet {
  std::string name;                                  // the paper's
  Index train = 0, test = 0, cols = 0, classes = 0;  // the paper's
  CompareData data;                                  // its name has "(..)" behind it where it is a stand-in
  std::string differs;                               // from the paper's set, in words; empty = it is the same
  bool generated = false;
};

std::vector<FoundSet> find_paper_sets(const Settings& settings);
// Throws an Error that names the nearest of the paper's nine for a name that is none of them.
void check_set_names(const std::vector<std::string>& names);

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
  std::vector<RunGroup> runs = {};
  std::vector<std::string> runs_of;       // experiments whose runs it looks at as well
  std::vector<std::string> sets, labels;  // what it looks at; empty = all
  std::vector<Claim> claims = {};

  // What its claims are: "paper", the same with "the other reading" of its sampling, or "beyond" it.
  std::string side() const {
    return paper.starts_with("beyond")              ? "beyond"
           : paper.starts_with("the other reading") ? "the other reading"
                                                    : "paper";
  }
};

const std::vector<Experiment>& experiments();  // in the paper's order
// Throws an Error that names the nearest, and all.
const Experiment& find_experiment(const std::string& name);
// Its own runs and those of `runs_of`.
std::vector<RunGroup> run_groups(const Experiment& experiment);

// The paper's sets that it looks at, whether they are run or not.
std::vector<std::string> sets_of(const Experiment& experiment);

// Each group that the figures need once, in their order. Where all figures that need it look at some sets only, it is
// narrowed to those; its folder, and the runs kept there, stay the same.
struct NeededGroup {
  RunGroup group;
  std::string figure;  // the first that needs it
};
// sets: the paper's names; only these, in this order; empty = all. Generated series (of n, of d) are no sets of the paper
// and are always kept.
std::vector<NeededGroup> needed_groups(const std::vector<const Experiment*>& figures,
                                       const std::vector<std::string>& sets);

// The plan of a group of runs on this machine's data.
Plan plan_of(const RunGroup& group, const std::vector<FoundSet>& sets, const Settings& settings);
// Rows of a generated set as Settings::rows allows.
std::string capped_rows(const std::string& source, Index rows);
// What `quick` and limits leave out of it, in a sentence; empty = nothing.
std::string left_out_of(const RunGroup& group, const Settings& settings);

// The embedded files: name without ".json", and text.
struct EmbeddedFile {
  const char* name;
  const char* text;
};
const std::vector<EmbeddedFile>& embedded_experiments();
Json embedded_json(const std::string& name);

}  // namespace s3gd::reproduce
