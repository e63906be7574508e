// Metrics as they are chosen (--metrics) and shown.
#pragma once

#include <string>
#include <vector>

#include "output.hpp"
#include "s3gd/model_use.hpp"

namespace s3gd::app {

// Names of metrics; empty = every single number that applies to the model, "all" = the tables too.
using MetricChoice = std::vector<std::string>;

void add_metrics_option(Arguments& app, MetricChoice& choice);
// Throws UsageError when a metric does not exist or does not apply to the model.
void check_metrics(const MetricChoice& choice, const Model& model);

// Whether one of them depends on the order of all margins, which then have to be kept.
bool needs_ranks(const MetricChoice& choice, const Model& model);

void add_metrics(Json& object, const Metrics& metrics, const MetricChoice& choice, const Model& model);
std::string metrics_text(const Metrics& metrics, const MetricChoice& choice, const Model& model);

}  // namespace s3gd::app
