#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "report/document.hpp"
#include "reproduce/reproduce_page.hpp"

namespace s3gd::reproduce {
namespace {

using report::Axis;
using report::Figure;
using report::Series;
using Trials = std::vector<const ResultRun*>;

Axis axis_of(const std::string& key, const ResultSet& set) {
  Axis axis = key == "suboptimality" ? report::suboptimality(set.optimum_gap) : report::quantity(key);
  if (key == "objective" || key == "test_objective") axis.logarithmic = true;  // as in the paper
  return axis;
}

// Mean and range over the trials of f(value), point by point.
template <class F>
Series::Band band_of(const Trials& trials, Points points, F f) {
  Series::Band band;
  band.middle = mean_points(trials, points);
  for (std::size_t k = 0; k < band.middle.size(); ++k) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const ResultRun* run : trials) {
      if (k >= (run->*points).size() || !std::isfinite((run->*points)[k])) continue;
      low = std::min(low, f((run->*points)[k]));
      high = std::max(high, f((run->*points)[k]));
    }
    band.middle[k] = f(band.middle[k]);
    band.low.push_back(low <= high ? low : std::nan(""));
    band.high.push_back(low <= high ? high : std::nan(""));
  }
  if (trials.size() < 2) band.low = band.high = {};
  return band;
}

// Nothing where the trials have no points.
void add_series(Figure& figure, const std::string& name, const Trials& trials, double optimum, bool with_graph) {
  if (trials.empty() || trials.front()->iteration.empty()) return;
  Series& series = figure.series.emplace_back();
  series.name = name;
  for (const char* key : {"iteration", "passes", "cpu_seconds"}) series.x[key] = mean_points(trials, points_of(key));
  double graph = 0;
  for (const ResultRun* run : trials) graph += run->graph_cpu_seconds / static_cast<double>(trials.size());
  if (with_graph)
    series.before["cpu_seconds"] = graph;
  else
    for (double& seconds : series.x["cpu_seconds"]) seconds -= graph;
  for (const char* key : {"objective", "test_objective", "correlation", "variance_ratio"}) {
    auto band = band_of(trials, points_of(key), [](double value) { return value; });
    if (std::any_of(band.middle.begin(), band.middle.end(), [](double value) { return std::isfinite(value); }))
      series.y[key] = std::move(band);
  }
  series.y["suboptimality"] =
      band_of(trials, &ResultRun::objective, [=](double value) { return (value - optimum) / optimum; });
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

// What is shown of a set for one number of anchors.
double over_anchors_value(const std::string& key, const Results& results, const ResultSet& set,
                          const std::string& label) {
  constexpr double kMilli = 1e3;
  if (key == "cpu_milliseconds") return kMilli * 50 * iteration_seconds(results, set, label);
  return mean_of(mean_points(results.trials(set, label), points_of(key)));
}

Series over_anchors_series(const std::string& key, const Results& results, const ResultSet& set) {
  std::vector<std::pair<double, double>> values;
  for (const std::string& label : results.labels()) {
    const double m = criteria::number_in_label(label, "m"), value = over_anchors_value(key, results, set, label);
    if (std::isfinite(m) && std::isfinite(value)) values.emplace_back(m, value);
  }
  std::sort(values.begin(), values.end());
  Series series;
  series.name = set.name;
  series.dots = true;
  for (const auto& [m, value] : values) {
    series.x["anchors"].push_back(m);
    series.y[key].middle.push_back(value);
  }
  return series;
}

}  // namespace

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
    finish(figure, set, results.tolerance, y, y == "correlation" || experiment.show == "inner", parts);
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

}  // namespace s3gd::reproduce
