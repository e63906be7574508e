// The page and the results.json of a reproduction; the tables and figures of each experiment.
#pragma once

#include "report/document.hpp"
#include "reproduce/reproduce.hpp"

namespace s3gd::reproduce {

// evidence: one for each figure of the reproduction.
report::Document document_of(const Reproduction& done, const std::vector<Evidence>& evidence, const Json& machine);
Json results_json(const Reproduction& done, const std::vector<Evidence>& evidence, const Json& machine,
                  const Settings& settings, const std::vector<std::string>& command);

using PageParts = decltype(report::Document::parts);

// What `experiment.show` names; without runs, nothing.
PageParts parts_of(const Experiment& experiment, const Evidence& evidence);

// One for each set: every label at its chosen step, mean and range over the trials.
// y: objective, test_objective, correlation or variance_ratio, the one to be shown first.
PageParts curves(const Experiment& experiment, const Evidence& evidence, const std::string& y, bool with_graph = false);
PageParts step_curves(const Experiment& experiment, const Evidence& evidence);
// Against m, a curve for each set; y: correlation, variance_ratio or cpu_milliseconds.
PageParts over_anchors(const Experiment& experiment, const Evidence& evidence, const report::Axis& y);

}  // namespace s3gd::reproduce
