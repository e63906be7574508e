// The tables and figures of each experiment.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <set>

#include "reproduce/reproduce.hpp"
#include "s3gd/error.hpp"

namespace s3gd::reproduce {
namespace {

using report::Cell;
using report::Table;

constexpr double kNearTarget = 0.001;  // of the improved method: as near to F* as it is looked at, beside 1 %

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

PageParts all_of(std::vector<PageParts> lists) {
  PageParts all;
  for (PageParts& list : lists) std::move(list.begin(), list.end(), std::back_inserter(all));
  return all;
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

PageParts arrival_table(Results results, bool with_graph, double tolerance = 0) {
  const Clock clock = with_graph ? Clock::cpu_with_graph : Clock::cpu_without_graph;
  if (tolerance > 0) results.tolerance = tolerance;
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

// How well gradients are estimated: a number for each method, the best of a row standing out.
PageParts gradient_table(const Results& results, Table about, bool lowest,
                         const std::function<double(const ResultSet&, const std::string&)>& value_of) {
  return set_table(results, std::move(about), [&](const ResultSet& set, std::vector<Cell>& row) {
    std::vector<double> values;
    for (const std::string& label : results.labels()) values.push_back(value_of(set, label));
    double best = std::nan("");
    for (const double value : values)
      if (!(lowest ? value >= best : value <= best) && !std::isnan(value)) best = value;
    for (const double value : values)
      row.emplace_back(criteria::brief(value), look_of(std::isfinite(value), value == best));
  });
}

PageParts gradient_tables(const Results& results) {
  return all_of(
      {gradient_table(results,
                      {.title = "Variance over that of SGD",
                       .caption = fmt::format("Near the optimum: the mean of the last {} looks and of the "
                                              "trials.",
                                              criteria::kLastLooks)},
                      true,
                      [&](const ResultSet& set, const std::string& label) {
                        return criteria::last_variance(results, set, label);
                      }),
       gradient_table(
           results, {.title = "Correlation with the exact gradient", .caption = "The mean over all looks and trials."},
           false, [&](const ResultSet& set, const std::string& label) {
             return mean_of(mean_points(results.trials(set, label), &TraceRow::correlation));
           })});
}

using report::Axis;
using report::Figure;
using report::Series;
using Trials = std::vector<const RunRecord*>;  // of one label at one step

Axis axis_of(const std::string& key, const ResultSet& set) {
  Axis axis = key == "suboptimality" ? report::suboptimality(set.optimum_gap) : report::quantity(key);
  if (key == "objective" || key == "test_objective") axis.logarithmic = true;  // as in the paper
  return axis;
}

// Nothing where the trials have no points.
void add_series(Figure& figure, const std::string& name, const Trials& trials, double optimum, bool with_graph) {
  if (trials.empty() || trials.front()->points.empty()) return;
  Series& series = figure.series.emplace_back(report::series_of(name, trials, optimum));
  series.x.erase("wall_seconds");
  if (with_graph) return;
  for (double& seconds : series.x["cpu_seconds"]) seconds -= series.before["cpu_seconds"];
  series.before.clear();
}

// Those y that every series has, the wanted one first.
std::vector<Axis> axes_of(const std::vector<Series>& series, const std::string& first, const ResultSet& set) {
  std::vector<Axis> axes;
  for (const std::string& key :
       {first, std::string("suboptimality"), std::string("objective"), std::string("test_objective"),
        std::string("correlation"), std::string("variance_ratio")}) {
    const bool everywhere =
        std::all_of(series.begin(), series.end(), [&](const Series& s) { return s.y.contains(key); });
    if (everywhere && (axes.empty() || key != axes.front().key)) axes.push_back(axis_of(key, set));
  }
  return axes;
}

// Letters and digits, a dash for what lies between.
std::string identifier(const std::string& text) {
  std::string id;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain || (!id.empty() && id.back() != '-')) id += plain ? c : '-';
  }
  while (!id.empty() && id.back() == '-') id.pop_back();
  return id;
}

void finish(Figure& figure, const ResultSet& set, double target, const std::string& first_y, bool over_iterations,
            PageParts& parts) {
  if (figure.series.empty()) return;
  figure.y = axes_of(figure.series, first_y, set);
  for (Series& series : figure.series)  // what not every curve has is not shown at all
    std::erase_if(series.y, [&](const auto& entry) {
      return std::none_of(figure.y.begin(), figure.y.end(), [&](const Axis& axis) { return axis.key == entry.first; });
    });
  if (figure.y.empty()) return;
  for (const char* key :
       {over_iterations ? "iteration" : "cpu_seconds", over_iterations ? "cpu_seconds" : "iteration", "passes"})
    figure.x.push_back(axis_of(key, set));
  figure.marks = report::target_marks(target, set.optimum);
  parts.emplace_back(std::move(figure));
}

std::string about_set(const ResultSet& set) {
  constexpr std::string_view kGenerated = "generated: ";
  if (set.stand_in.starts_with(kGenerated)) return "Generated, for " + set.stand_in.substr(kGenerated.size()) + ". ";
  return set.stand_in.empty() ? "" : "A stand-in: " + set.stand_in + ". ";
}

Series over_anchors_series(const std::string& key, const Results& results, const ResultSet& set) {
  Series series;
  series.name = set.name;
  series.dots = true;
  for (const auto& [m, value] : criteria::by_anchors(results, [&](const std::string& label) {
         return key == "cpu_milliseconds" ? 1e3 * 50 * iteration_seconds(results, set, label)
                                          : mean_of(mean_points(results.trials(set, label), points_of(key)));
       })) {
    series.x["anchors"].push_back(m);
    series.y[key].middle.push_back(value);
  }
  return series;
}

// One for each set: every label at its chosen step, mean and range over the trials. y is shown first.
PageParts curves(const Experiment& experiment, const Evidence& evidence, const std::string& y, bool with_graph) {
  PageParts parts;
  const Results& results = evidence.results;
  for (const ResultSet& set : results.sets) {
    Figure figure;
    figure.id = identifier(experiment.name + "-" + set.paper_name());
    figure.title = set.name;
    std::vector<std::string> steps;
    std::set<double> different;
    for (const std::string& label : results.labels()) {
      const Trials trials = results.trials(set, label);
      const std::size_t before = figure.series.size();
      add_series(figure, label, trials, set.optimum, with_graph);
      if (figure.series.size() == before) continue;
      const double step = trials.front()->step;
      different.insert(step);
      steps.push_back(label + " " + (step == 0 ? "its own" : fmt::format("{:g}", step)));
    }
    if (different.size() == 1 && *different.begin() > 0) steps = {fmt::format("{:g} for all", *different.begin())};
    const auto count = [](Index number) { return report::count_text(static_cast<double>(number)); };
    figure.caption = fmt::format("{}{} training rows, {} columns. Steps: {}.", about_set(set), count(set.rows),
                                 count(set.cols), join(steps));
    const bool over_iterations = y == "correlation" || y == "variance_ratio" || experiment.show == "inner";
    finish(figure, set, results.tolerance, y, over_iterations, parts);
  }
  return parts;
}

PageParts step_curves(const Experiment& experiment, const Evidence& evidence) {
  PageParts parts;
  const Results& results = evidence.results;
  for (const ResultSet& set : results.sets)
    for (const std::string& label : results.labels()) {
      Figure figure;
      figure.id = identifier(experiment.name + "-" + set.paper_name() + "-" + label);
      figure.title = label + " on " + set.name;
      figure.caption = about_set(set);
      for (const double step : steps_of(results, set, label))
        add_series(figure, fmt::format("step {:g}", step), results.trials(set, label, step), set.optimum, false);
      finish(figure, set, results.tolerance, "suboptimality", true, parts);
    }
  return parts;
}

// Against m, a curve for each set; y: correlation, variance_ratio or cpu_milliseconds.
PageParts over_anchors(const Experiment& experiment, const Evidence& evidence, const Axis& y) {
  Figure figure{.id = identifier(experiment.name),
                .title = experiment.title,
                .caption = "The mean over all looks of the runs, for each number of anchors.",
                .x = {{"anchors", "anchors m", true, false}},
                .y = {y},
                .series = {}};
  for (const ResultSet& set : evidence.results.sets)
    if (Series series = over_anchors_series(y.key, evidence.results, set); !series.x.empty())
      figure.series.push_back(std::move(series));
  if (figure.series.empty()) return {};
  const std::vector<double>& m = figure.series.front().x["anchors"];
  if (y.key == "cpu_milliseconds")
    figure.caption = fmt::format("In proportion to m, the time would grow {:g} times from m = {:g} to m = {:g}.",
                                 m.back() / m.front(), m.front(), m.back());
  return {figure};
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
  if (show == "anchors-correlation")
    return all_of({anchors(report::quantity("correlation")), curves_by("correlation")});
  if (show == "gradients") return all_of({gradient_tables(evidence.results), curves_by("variance_ratio")});
  if (show == "improved")
    return all_of({stable_step_table(evidence.results), arrival_table(evidence.results, true),
                   arrival_table(evidence.results, true, kNearTarget), curves_by("suboptimality", true)});
  if (show != "arrival" && show != "arrival-with-graph")
    throw Error("there is no way to show '" + show + "'", "see parts_of in src/reproduce/reproduce_parts.cpp");
  const bool with_graph = show == "arrival-with-graph";
  return all_of({arrival_table(evidence.results, with_graph), curves_by("suboptimality", with_graph)});
}

}  // namespace s3gd::reproduce
