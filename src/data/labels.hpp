// What kind of labels a column of numbers is.
#pragma once

#include <span>

#include "s3gd/dataset.hpp"

namespace s3gd {

// Classes when every label is a whole number and at most kMostClasses different ones occur; real otherwise.
constexpr Index kMostClasses = 1000;
LabelKind kind_of_labels(std::span<const double> labels);

}  // namespace s3gd
