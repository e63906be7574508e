// Platt scaling: probabilities for models that have none, by a sigmoid of the margin m fitted on rows the model was not
// fitted on:
//
//     p(m) = 1 / (1 + exp(a m + b)),    (a, b) minimise -sum_i q_i [ t_i log p(m_i) + (1 - t_i) log(1 - p(m_i)) ]
//
// With n+ rows of the class and n- others, t_i is (n+ + 1) / (n+ + 2) for the former and 1 / (n- + 2) for the latter:
// what is known after so few rows, rather than 1 and 0, so that there is a minimum even where margins separate the
// classes. The sum is convex, and Newton's method finds its minimum in a few passes over the margins.
#pragma once

#include <span>
#include <vector>

#include "s3gd/model.hpp"

namespace s3gd {

struct PlattSigmoid {
  double a = 0;
  double b = 0;
};

// in_class: not zero where the row is of the class. weights: one per row, or none; only their ratios count.
PlattSigmoid fit_platt(std::span<const double> margins, std::span<const char> in_class,
                       std::span<const double> weights = {});

// Gives a model for classes the link `platt`, each output's sigmoid fitted on `held_out`. Rows of classes it does not
// know are left out.
void calibrate(Model& model, const Dataset& held_out, int threads = 0);

}  // namespace s3gd
