// The tables and figures of each experiment.
#pragma once

#include <variant>
#include <vector>

#include "report/document.hpp"
#include "reproduce/criteria.hpp"

namespace s3gd::reproduce {

using PagePart = std::variant<report::Text, report::Facts, report::Table, report::Figure>;

// What `experiment.show` names; without runs, nothing.
std::vector<PagePart> parts_of(const Experiment& experiment, const Evidence& evidence);

namespace parts {

// One for each set: every label at its chosen step, mean and range over the trials.
// y: objective, test_objective, correlation or variance_ratio, the one to be shown first.
std::vector<PagePart> curves(const Experiment& experiment, const Evidence& evidence, const std::string& y,
                             bool with_graph);
std::vector<PagePart> step_curves(const Experiment& experiment, const Evidence& evidence);
// Against m, a curve for each set; y: correlation, variance_ratio or cpu_milliseconds.
std::vector<PagePart> over_anchors(const Experiment& experiment, const Evidence& evidence, const report::Axis& y);

std::vector<PagePart> shape_table(const Evidence& evidence);
std::vector<PagePart> exponent_table(const Experiment& experiment, const Evidence& evidence);
std::vector<PagePart> cost_table(const Evidence& evidence);
std::vector<PagePart> stable_step_table(const Evidence& evidence);
std::vector<PagePart> arrival_table(const Evidence& evidence, bool with_graph);

}  // namespace parts
}  // namespace s3gd::reproduce
