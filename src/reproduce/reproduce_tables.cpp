#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>

#include "report/quantities.hpp"
#include "reproduce/complexity.hpp"
#include "reproduce/reproduce_parts.hpp"
#include "s3gd/error.hpp"

namespace s3gd::reproduce::parts {
namespace {

using report::Cell;
using report::Table;

std::string count(Index value) {
  std::string digits = std::to_string(value);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return value == 0 ? "-" : digits;
}

// One row for each set, one column for each label; the smallest of a row stands out.
Table set_table(const Evidence& evidence, const std::string& title,
                const std::function<double(const ResultSet&, const std::string&)>& value, const std::string& none) {
  Table table;
  table.title = title;
  table.columns.push_back({"set", true});
  const auto labels = evidence.results.labels();
  for (const std::string& label : labels) table.columns.push_back({label, false});
  for (const ResultSet& set : evidence.results.sets) {
    std::vector<Cell> row{Cell(set.name, Cell::Look::plain, set.stand_in)};
    std::vector<double> values;
    for (const std::string& label : labels) values.push_back(value(set, label));
    double least = std::numeric_limits<double>::infinity();
    for (const double number : values) least = number < least ? number : least;
    for (const double number : values)
      row.emplace_back(std::isfinite(number) ? criteria::duration(number)
                       : std::isnan(number)  ? "-"
                                             : none,
                       number == least && std::isfinite(number) ? Cell::Look::best
                       : std::isfinite(number)                  ? Cell::Look::plain
                                                                : Cell::Look::faint);
    table.rows.push_back(std::move(row));
  }
  return table;
}

// A table of nothing but its heading would only puzzle.
std::vector<PagePart> unless_empty(Table table) {
  if (table.rows.empty()) return {};
  return {std::move(table)};
}

}  // namespace

std::vector<PagePart> shape_table(const Evidence& evidence) {
  Table table;
  table.title = "The paper's sets and ours";
  table.columns = {{"set", true}, {"train, paper"},   {"ours"}, {"test, paper"},           {"ours"}, {"columns, paper"},
                   {"ours"},      {"classes, paper"}, {"ours"}, {"how ours differs", true}};
  for (const FoundSet& set : evidence.sets) {
    const ResultSet* here = evidence.results.find(set.data.name);
    const ResultSet none{};
    const ResultSet& ours = here == nullptr ? none : *here;
    const auto look = [](bool same) { return same ? Cell::Look::plain : Cell::Look::poor; };
    table.rows.push_back({Cell(set.data.name), Cell(count(set.train)),
                          Cell(count(ours.rows), look(ours.rows == set.train)), Cell(count(set.test)),
                          Cell(count(ours.test_rows), look(ours.test_rows == set.test)), Cell(count(set.cols)),
                          Cell(count(ours.cols), look(ours.cols == set.cols)), Cell(count(set.classes)),
                          Cell(count(ours.classes), look(ours.classes == set.classes)),
                          Cell(set.differs.empty() ? "not at all" : set.differs)});
  }
  table.caption =
      "Sets with several classes are turned into the largest class against the rest, weighted so that both sides count "
      "alike.";
  return {table};
}

std::vector<PagePart> exponent_table(const Experiment& experiment, const Evidence& evidence) {
  Table table;
  table.title = "Exponents of the time of an iteration";
  table.caption =
      "Fitted in double logarithms over the grid. The formula's exponent is fitted on the same grid with every "
      "constant 1, so "
      "terms that do not yet dominate pull it down.";
  table.columns = {{"method", true},          {"in", true}, {"formula"}, {"measured"}, {"from"}, {"to"},
                   {"time at the ends", true}};
  std::vector<PagePart> parts;
  for (const Claim& claim : experiment.claims) {
    if (claim.criterion.at("kind") != "exponents") continue;
    const double tolerance = claim.criterion.at("tolerance").get<double>();
    for (const FittedExponent& cell : fit_exponents(claim.criterion, evidence.results)) {
      if (cell.at.empty() || std::isnan(cell.measured)) continue;
      const auto [low, high] = std::minmax_element(cell.at.begin(), cell.at.end());
      const auto seconds = [&](auto at) {
        return criteria::duration(cell.seconds[static_cast<std::size_t>(at - cell.at.begin())]);
      };
      const bool as_claimed = std::abs(cell.measured - cell.formula) <= tolerance;
      table.rows.push_back(
          {Cell(cell.solver), Cell(cell.by), Cell(fmt::format("{:.2f}", cell.formula)),
           Cell(fmt::format("{:.2f}", cell.measured), as_claimed ? Cell::Look::plain : Cell::Look::poor),
           Cell(fmt::format("{:g}", *low)), Cell(fmt::format("{:g}", *high)),
           Cell(seconds(low) + " to " + seconds(high))});
    }
  }
  if (!table.rows.empty()) parts.emplace_back(std::move(table));
  return parts;
}

std::vector<PagePart> cost_table(const Evidence& evidence) {
  Table table = set_table(
      evidence, "Processor time of 50 iterations",
      [&](const ResultSet& set, const std::string& label) {
        return 50 * iteration_seconds(evidence.results, set, label);
      },
      "-");
  table.caption = "Graph, strata and moments, which are prepared before the first iteration, are not included.";
  return unless_empty(std::move(table));
}

std::vector<PagePart> arrival_table(const Evidence& evidence, bool with_graph) {
  const Clock clock = with_graph ? Clock::cpu_with_graph : Clock::cpu_without_graph;
  Table table = set_table(
      evidence,
      fmt::format("Processor time until {:g} % above F*, {} the graph's", 100 * evidence.results.tolerance,
                  with_graph ? "with" : "without"),
      [&](const ResultSet& set, const std::string& label) {
        if (evidence.results.trials(set, label).empty()) return std::nan("");
        return reaches_target(evidence.results, set, label, clock).value_or(std::numeric_limits<double>::infinity());
      },
      "not reached");
  table.caption = "Median over the trials, each method at its largest stable step.";
  return unless_empty(std::move(table));
}

std::vector<PagePart> stable_step_table(const Evidence& evidence) {
  Table table;
  table.title = "Largest stable step";
  table.caption = fmt::format(
      "The largest step whose last iterations are within {:g} % of F* in the mean. What no step of the grid is stable "
      "for "
      "says none.",
      100 * evidence.results.tolerance);
  table.columns.push_back({"set", true});
  const auto labels = evidence.results.labels();
  for (const std::string& label : labels) table.columns.push_back({label, false});
  table.columns.push_back({"steps tried", true});
  for (const ResultSet& set : evidence.results.sets) {
    std::vector<Cell> row{Cell(set.name, Cell::Look::plain, set.stand_in)};
    double most = 0;
    for (const std::string& label : labels)
      most = std::max(most, largest_stable_step(evidence.results, set, label).value_or(0));
    for (const std::string& label : labels) {
      const auto step = largest_stable_step(evidence.results, set, label);
      row.emplace_back(step ? fmt::format("{:g}", *step) : "none", !step           ? Cell::Look::faint
                                                                   : *step == most ? Cell::Look::best
                                                                                   : Cell::Look::plain);
    }
    std::vector<std::string> tried;
    for (const double step : steps_of(evidence.results, set, labels.front()))
      tried.push_back(fmt::format("{:g}", step));
    row.emplace_back(join(tried));
    table.rows.push_back(std::move(row));
  }
  return unless_empty(std::move(table));
}

}  // namespace s3gd::reproduce::parts

namespace s3gd::reproduce {
namespace {

std::vector<PagePart> both(std::vector<PagePart> first, std::vector<PagePart> second) {
  std::move(second.begin(), second.end(), std::back_inserter(first));
  return first;
}

}  // namespace

std::vector<PagePart> parts_of(const Experiment& experiment, const Evidence& evidence) {
  const std::string& show = experiment.show;
  if (show == "shapes") return parts::shape_table(evidence);
  if (show == "exponents") return parts::exponent_table(experiment, evidence);
  if (show == "costs") return parts::cost_table(evidence);
  if (show == "stable-steps") return parts::stable_step_table(evidence);
  if (show == "steps") return parts::step_curves(experiment, evidence);
  if (show == "anchors-time")
    return parts::over_anchors(experiment, evidence,
                               {"cpu_milliseconds", "cpu milliseconds of 50 iterations", true, false});
  if (show == "variance") return parts::over_anchors(experiment, evidence, report::quantity("variance_ratio"));
  if (show == "verdict") return parts::arrival_table(evidence, false);
  if (show == "training") return parts::curves(experiment, evidence, "objective", false);
  if (show == "testing" || show == "inner") return parts::curves(experiment, evidence, "test_objective", false);
  if (show == "anchors-correlation")
    return both(parts::over_anchors(experiment, evidence, report::quantity("correlation")),
                parts::curves(experiment, evidence, "correlation", false));
  if (show == "correlation") return parts::curves(experiment, evidence, "correlation", false);
  if (show != "arrival" && show != "arrival-with-graph")
    throw Error("there is no way to show '" + show + "'", "see parts_of in src/reproduce/reproduce_tables.cpp");
  const bool with_graph = show == "arrival-with-graph";
  return both(parts::arrival_table(evidence, with_graph),
              parts::curves(experiment, evidence, "suboptimality", with_graph));
}

}  // namespace s3gd::reproduce
