// What is in a dataset, what to look out for before training on it, and what theory says of a problem over it: behind
// `s3gd inspect` and the Python package's inspect().
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "data/summary.hpp"
#include "s3gd/graph.hpp"
#include "s3gd/problem.hpp"
#include "s3gd/solve.hpp"

namespace s3gd {

bool has_checksums(const Dataset& data);
std::vector<Advice> advice_on(const Dataset& data, const DataSummary& summary);
Json to_json(const Dataset& data, const DataSummary& summary, Words words = plain_words);

// Where the data asks for another default: the squared loss for real labels (unless a loss was asked for), the largest
// class against the rest for more than two.
ProblemSpec usual_spec(ProblemSpec spec, const Dataset& data, bool loss_was_given);

struct TheoryQuestion {
  Index batch = 10;
  Index inner = 20;
  double step = 0;                    // 0 = half of the theorem's bound
  std::optional<GraphOptions> graph;  // given: every estimator's variance is measured with one
  std::uint64_t seed = 0;
  int threads = 0;
};

struct TheoryFacts {
  std::string formula;
  Theory constants;
  double step = 0;
  Index inner = 0;
  Rate rate;
  std::optional<std::vector<EstimatorVariance>> variances;
};

// One pass over the rows, and a graph for the variances.
TheoryFacts theory_facts(const Problem& problem, const TheoryQuestion& question);
Json to_json(const TheoryFacts& facts);

}  // namespace s3gd
