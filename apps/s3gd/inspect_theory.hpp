// The theory's part of `s3gd inspect`: the objective with its numbers, its constants, step bounds, the rate of the
// paper's theorem, and how much variance each estimator leaves. One pass over the rows, and a graph for the variances.
#pragma once

#include <memory>
#include <string>

#include "base/json.hpp"
#include "fit_options.hpp"
#include "output.hpp"
#include "s3gd/dataset.hpp"
#include "s3gd/graph.hpp"

namespace s3gd::app {

struct TheoryOptions {
  ProblemOptions problem;
  GraphOptions graph;
  Option* loss = nullptr;  // tells whether --loss was given
  Index batch = 10;
  Index inner = 20;
  double step = 0;        // 0 = half of the theorem's bound
  bool variance = false;  // build a graph and measure
};

void add_theory_options(Arguments& app, TheoryOptions& options);

struct TheoryReport {
  Json json;         // null when the data is no problem for the loss
  std::string text;  // for people
};
TheoryReport report_theory(const Dataset& data, const TheoryOptions& options, const Common& common);

}  // namespace s3gd::app
