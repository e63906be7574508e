// A dataset of a comparison, read and stated as a problem.
#pragma once

#include <optional>
#include <string>

#include "s3gd/compare.hpp"

namespace s3gd {

struct Subject {
  std::string name;
  std::string source;
  std::string stand_in;
  std::string content;  // of rows, labels and weights, test rows included: checksums
  Index classes = 0;    // 0: regression
  Problem problem;      // as it is measured, on the plan's threads
  Problem judge;        // the same, evaluated on all threads
  std::optional<Problem> test;
  Index test_left_out = 0;      // rows whose class the training rows do not have
  std::vector<StepRule> steps;  // the plan's, or the default that suits the data
  double unit_step = 0;         // 1/L(p); 0 where no step needs it
};

// Reads, holds out, scales. Throws what load() and Problem do.
Subject read_subject(const Plan& plan, const CompareData& data);

// What a dataset is called when nobody says: a known name, or the file's name without folder and extensions.
std::string name_for(const CompareData& data);

}  // namespace s3gd
