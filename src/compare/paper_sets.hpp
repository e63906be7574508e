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
};

struct FoundSet {
  std::string name;                                  // the paper's
  Index train = 0, test = 0, cols = 0, classes = 0;  // the paper's
  CompareData data;                                  // its name has "(..)" behind it where it is a stand-in
  std::string differs;                               // from the paper's set, in words; empty = it is the same
  bool generated = false;
};

std::vector<FoundSet> find_paper_sets(const Settings& settings);

// A plan's shorter side: rows of a generated set as Settings::rows allows.
std::string capped_rows(const std::string& source, Index rows);

}  // namespace s3gd::reproduce
