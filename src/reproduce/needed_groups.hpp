// Which groups of runs a choice of figures needs, and on which sets.
#pragma once

#include "reproduce/experiments.hpp"

namespace s3gd::reproduce {

// Each group once, in the order of the figures. Where all figures that need it look at some sets only, it is narrowed to
// those; its folder, and the runs kept there, stay the same.
struct NeededGroup {
  RunGroup group;
  std::string figure;  // the first that needs it
};

// sets: the paper's names; only these, in this order; empty = all. Generated series (of n, of d) are no sets of the paper
// and are always kept.
std::vector<NeededGroup> needed_groups(const std::vector<const Experiment*>& figures,
                                       const std::vector<std::string>& sets);

}  // namespace s3gd::reproduce
