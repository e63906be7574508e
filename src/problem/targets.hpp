// From labels as they are in a file to targets of a loss, and from sample and class weights to q_i.
#pragma once

#include "s3gd/problem.hpp"

namespace s3gd {

struct Targets {
  Array<double> values;               // -1 / +1, or the labels themselves, where they lie
  bool classes = false;               // whether the values are -1 / +1 made from classes
  double positive = 0, negative = 0;  // labels behind +1 and -1; NaN when there is none or several were merged
};

constexpr std::size_t kMostTargetClasses = 1 << 16;  // more of them are taken for real numbers

[[noreturn]] void refuse(const Dataset& data, const std::string& problem, const std::string& hint);

// Throw one Error unless there is a finite label for each row, and weights (if any) are finite, not negative and not all
// zero.
void check_labels(const Dataset& data);
void check_weights(const Dataset& data);

// Rows whose two class names are given with the positive one last (problem/judged_rows.hpp) need not have both.
// Throws one Error when the labels do not fit the loss, or weights are negative, not finite or all zero.
Targets make_targets(const Dataset& data, const ProblemSpec& spec);

// The values of the classes that rows of positive weight have, ascending. Throws as make_targets() does; also where all
// rows have the same label, or the labels are real numbers.
std::vector<double> classes_of(const Dataset& data, LossKind loss);

// q_i, or nothing at all when every q_i is 1/n.
std::vector<double> make_weights(const Dataset& data, const Targets& targets, ClassWeight class_weight);
// The same of rows in groups whose weights sum to one `share`th each; 0: so that all sum to 1.
std::vector<double> group_weights(const Dataset& data, Index groups, double share,
                                  const std::function<Index(Index row)>& group);

}  // namespace s3gd
