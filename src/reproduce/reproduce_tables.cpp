#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>

#include "report/document.hpp"
#include "reproduce/reproduce_page.hpp"
#include "s3gd/error.hpp"

namespace s3gd::reproduce {
namespace {

using report::Cell;
using report::Table;

std::string count(Index value) { return value == 0 ? "-" : report::count_text(static_cast<double>(value)); }

Cell::Look look_of(bool there, bool best) {
  return !there ? Cell::Look::faint : best ? Cell::Look::best : Cell::Look::plain;
}

// One row for each set, one column for each label. `add` fills a row whose first cell is there.
PageParts set_table(const Results& results, Table table,
                    const std::function<void(const ResultSet& set, std::vector<Cell>& row)>& add) {
  if (results.sets.empty()) return {};  // a table of nothing but its heading would only puzzle
  auto columns = std::exchange(table.columns, {{"set", true}});
  for (const std::string& label : results.labels()) table.columns.push_back({label, false});
  std::move(columns.begin(), columns.end(), std::back_inserter(table.columns));
  for (const ResultSet& set : results.sets) {
    table.rows.push_back({Cell(set.name, Cell::Look::plain, set.stand_in)});
    add(set, table.rows.back());
  }
  return {std::move(table)};
}

// Of durations, the shortest of a row stands out; `none` stands for what is infinite.
PageParts time_table(const Results& results, Table about, const std::string& none,
                     const std::function<double(const ResultSet&, const std::string&)>& seconds) {
  return set_table(results, std::move(about), [&](const ResultSet& set, std::vector<Cell>& row) {
    std::vector<double> values;
    for (const std::string& label : results.labels()) values.push_back(seconds(set, label));
    double least = std::numeric_limits<double>::infinity();
    for (const double value : values) least = value < least ? value : least;
    for (const double value : values)
      row.emplace_back(std::isinf(value) ? none : criteria::duration(value),
                       look_of(std::isfinite(value), value == least));
  });
}

PageParts shape_table(const Evidence& evidence) {
  Table table{.title = "The paper's sets and ours",
              .caption =
                  "Sets with several classes are turned into the largest class against the rest, weighted so "
                  "that both sides count alike.",
              .columns = {{"set", true}}};
  for (const char* side : {"train, paper", "test, paper", "columns, paper", "classes, paper"})
    table.columns.insert(table.columns.end(), {{side}, {"ours"}});
  table.columns.push_back({"how ours differs", true});
  for (const FoundSet& set : evidence.sets) {
    const ResultSet* here = evidence.results.find(set.data.name);
    const ResultSet ours = here == nullptr ? ResultSet{.name = {}} : *here;
    std::vector<Cell>& row = table.rows.emplace_back();
    row.emplace_back(set.data.name);
    for (const auto& [papers, mine] : {std::pair(set.train, ours.rows),
                                       {set.test, ours.test_rows},
                                       {set.cols, ours.cols},
                                       {set.classes, ours.classes}}) {
      row.emplace_back(count(papers));
      row.emplace_back(count(mine), mine == papers ? Cell::Look::plain : Cell::Look::poor);
    }
    row.emplace_back(set.differs.empty() ? "not at all" : set.differs);
  }
  return {table};
}

PageParts exponent_table(const Experiment& experiment, const Evidence& evidence) {
  Table table{
      .title = "Exponents of the time of an iteration",
      .caption =
          "Fitted in double logarithms over the grid. The formula's exponent is fitted on the same grid "
          "with every constant 1, so terms that do not yet dominate pull it down.",
      .columns = {
          {"method", true}, {"in", true}, {"formula"}, {"measured"}, {"from"}, {"to"}, {"time at the ends", true}}};
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
          {cell.solver, cell.by, fmt::format("{:.2f}", cell.formula),
           Cell(fmt::format("{:.2f}", cell.measured), as_claimed ? Cell::Look::plain : Cell::Look::poor),
           fmt::format("{:g}", *low), fmt::format("{:g}", *high), seconds(low) + " to " + seconds(high)});
    }
  }
  if (table.rows.empty()) return {};
  return {std::move(table)};
}

PageParts cost_table(const Results& results) {
  return time_table(
      results,
      {.title = "Processor time of 50 iterations",
       .caption = "Graph, strata and moments, which are prepared before the first iteration, are not included."},
      "-", [&](const ResultSet& set, const std::string& label) { return 50 * iteration_seconds(results, set, label); });
}

PageParts arrival_table(const Results& results, bool with_graph) {
  const Clock clock = with_graph ? Clock::cpu_with_graph : Clock::cpu_without_graph;
  return time_table(
      results,
      {.title = fmt::format("Processor time until {:g} % above F*, {} the graph's", 100 * results.tolerance,
                            with_graph ? "with" : "without"),
       .caption = "Median over the trials, each method at its largest stable step."},
      "not reached", [&](const ResultSet& set, const std::string& label) {
        if (results.trials(set, label).empty()) return std::nan("");
        return reaches_target(results, set, label, clock).value_or(std::numeric_limits<double>::infinity());
      });
}

PageParts stable_step_table(const Results& results) {
  Table about{.title = "Largest stable step",
              .caption = fmt::format("The largest step whose last iterations are within {:g} % of F* in the mean. What "
                                     "no step of the grid is stable for says none.",
                                     100 * results.tolerance),
              .columns = {{"steps tried", true}}};
  const auto labels = results.labels();
  return set_table(results, std::move(about), [&](const ResultSet& set, std::vector<Cell>& row) {
    double most = 0;
    for (const std::string& label : labels) most = std::max(most, largest_stable_step(results, set, label).value_or(0));
    for (const std::string& label : labels) {
      const auto step = largest_stable_step(results, set, label);
      row.emplace_back(step ? fmt::format("{:g}", *step) : "none", look_of(step.has_value(), step == most));
    }
    std::vector<std::string> tried;
    for (const double step : steps_of(results, set, labels.front())) tried.push_back(fmt::format("{:g}", step));
    row.emplace_back(join(tried));
  });
}

PageParts both(PageParts first, PageParts second) {
  std::move(second.begin(), second.end(), std::back_inserter(first));
  return first;
}

}  // namespace

PageParts parts_of(const Experiment& experiment, const Evidence& evidence) {
  const std::string& show = experiment.show;
  const auto anchors = [&](const report::Axis& y) { return over_anchors(experiment, evidence, y); };
  const auto curves_by = [&](const char* y, bool with_graph = false) {
    return curves(experiment, evidence, y, with_graph);
  };
  if (show == "shapes") return shape_table(evidence);
  if (show == "exponents") return exponent_table(experiment, evidence);
  if (show == "costs") return cost_table(evidence.results);
  if (show == "stable-steps") return stable_step_table(evidence.results);
  if (show == "steps") return step_curves(experiment, evidence);
  if (show == "anchors-time") return anchors({"cpu_milliseconds", "cpu milliseconds of 50 iterations", true, false});
  if (show == "variance") return anchors(report::quantity("variance_ratio"));
  if (show == "verdict") return arrival_table(evidence.results, false);
  if (show == "training") return curves_by("objective");
  if (show == "testing" || show == "inner") return curves_by("test_objective");
  if (show == "correlation") return curves_by("correlation");
  if (show == "anchors-correlation") return both(anchors(report::quantity("correlation")), curves_by("correlation"));
  if (show != "arrival" && show != "arrival-with-graph")
    throw Error("there is no way to show '" + show + "'", "see parts_of in src/reproduce/reproduce_tables.cpp");
  const bool with_graph = show == "arrival-with-graph";
  return both(arrival_table(evidence.results, with_graph), curves_by("suboptimality", with_graph));
}

}  // namespace s3gd::reproduce
