// What a fit has to say for itself, as JSON: behind the JSON of `s3gd train` and the summaries of the Python package.
#pragma once

#include "base/json.hpp"
#include "s3gd/fit.hpp"

namespace s3gd {

// What the fit itself does not know.
struct FitRun {
  double load_seconds = 0;
  double total_seconds = 0;
  std::uint64_t seed = 0;
  Words words = plain_words;  // of the advice
};

Json to_json(const Fit& fit, const FitRun& run);
Json to_json(const Certificate& certificate);

// 0: regression. One class against all others: as many as there are.
Index count_classes(const Task& task);

}  // namespace s3gd
