// The paper's nine sets: which data stands for each on this machine, and how it differs from the paper's.
#pragma once

#include <string>
#include <vector>

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

// A plan's shorter side: rows of a generated set as Settings::rows allows.
std::string capped_rows(const std::string& source, Index rows);

}  // namespace s3gd::reproduce
