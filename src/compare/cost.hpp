// How long a comparison will take: a guess from a short trial of each contender, replaced by what runs took as they end.
#pragma once

#include <map>
#include <utility>

#include "compare/one_run.hpp"

namespace s3gd {

// Seconds a run of `task` will take, looks included: a quarter of a second of it, extrapolated. 0 for exact solvers, which
// cannot be tried in part, and where the trial fails: the run will tell.
double guess_seconds(const Plan& plan, const Subject& subject, const RunTask& task);

class CostBook {
 public:
  // So many runs of a contender on a dataset are to be done.
  void expect(std::size_t dataset, std::size_t contender, Index runs, double seconds_each);
  void done(std::size_t dataset, std::size_t contender, double seconds);
  double seconds_left() const;

 private:
  struct Entry {
    double guess = 0, measured = 0;
    Index left = 0, ended = 0;
  };
  std::map<std::pair<std::size_t, std::size_t>, Entry> entries_;
};

}  // namespace s3gd
