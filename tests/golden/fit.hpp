// Golden fits: small fits whose results were written down once (fits.txt), so that a change that means to change nothing shows
// what it changed. cases.cpp says which, fits_test.cpp compares.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "s3gd/matrix.hpp"

namespace s3gd::golden {

// What is kept of a fit. Of several points (a path, the classes of one-vs-rest) the sums; the gap is that of the sums.
struct Fit {
  std::uint64_t bits = 0;  // checksum of all parameters
  double objective = 0;
  double gap = 0;        // relative
  bool has_dual = true;  // the gap is a duality gap; otherwise the norm of a prox-gradient step
  double norm = 0;       // of the parameters
  std::string status;
  double passes = 0;
  Index iterations = 0;
};

void keep_parameters(Fit& fit, const std::vector<double>& w);  // bits and norm

struct Case {
  std::string name;         // without blanks
  bool one_output = false;  // these keep their bits; the others their optimum
  std::function<Fit()> run;
};
std::vector<Case> cases();

// What differs, in words; empty: nothing that should not. Bits and counts are looked at where `same_bits` says so; objectives
// always: no further apart than the certificates of both allow.
std::vector<std::string> differences(const Fit& now, const Fit& recorded, bool same_bits);

}  // namespace s3gd::golden
