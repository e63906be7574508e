#include "report/fit_pages.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace s3gd::report {
namespace {

struct Quantity {
  Axis axis;
  double (*of)(const TraceRow&);

  Quantity(const char* key, double (*value)(const TraceRow&)) : axis(quantity(key)), of(value) {}
};

const std::vector<Quantity>& across() {
  static const std::vector<Quantity> list{
      {"cpu_seconds", [](const TraceRow& row) { return row.cpu_seconds; }},
      {"wall_seconds", [](const TraceRow& row) { return row.wall_seconds; }},
      {"passes", [](const TraceRow& row) { return row.passes; }},
      {"iteration", [](const TraceRow& row) { return static_cast<double>(row.iteration); }}};
  return list;
}

const std::vector<Quantity>& up() {
  static const std::vector<Quantity> list{{"objective", [](const TraceRow& row) { return row.train_objective; }},
                                          {"gap", [](const TraceRow& row) { return row.gap; }},
                                          {"test_objective", [](const TraceRow& row) { return row.test_objective; }},
                                          {"correlation", [](const TraceRow& row) { return row.correlation; }},
                                          {"variance_ratio", [](const TraceRow& row) { return row.variance_ratio; }}};
  return list;
}

void add_row(Series& series, const TraceRow& row, const Figure& figure) {
  for (const Quantity& quantity : across()) series.x[quantity.axis.key].push_back(quantity.of(row));
  for (const Quantity& quantity : up())
    if (std::any_of(figure.y.begin(), figure.y.end(), [&](const Axis& axis) { return axis.key == quantity.axis.key; }))
      series.y[quantity.axis.key].middle.push_back(quantity.of(row));
}

// A curve for each stage, from where the one before it ended.
std::vector<Series> curves_of(std::span<const TraceRow> trace, const Figure& figure) {
  std::vector<Series> curves;
  for (std::size_t k = 0; k < trace.size(); ++k) {
    const bool back = k > 0 && trace[k].cpu_seconds < trace[k - 1].cpu_seconds;
    if (k == 0 || back || trace[k].stage != trace[k - 1].stage) {
      curves.emplace_back().name = trace[k].stage;
      if (k > 0 && !back) add_row(curves.back(), trace[k - 1], figure);
    }
    add_row(curves.back(), trace[k], figure);
  }
  return curves;
}

Figure course(const Summary& summary, std::span<const TraceRow> trace) {
  Figure figure{.id = "course", .title = "How it went", .caption = {}, .x = {}, .y = {}, .series = {}};
  for (const Quantity& quantity : across()) {
    figure.x.push_back(quantity.axis);
    figure.x.back().logarithmic = false;
  }
  for (const Quantity& quantity : up())
    if (std::any_of(trace.begin(), trace.end(), [&](const TraceRow& row) { return std::isfinite(quantity.of(row)); }))
      figure.y.push_back(quantity.axis);
  figure.series = curves_of(trace, figure);
  figure.caption = "A curve for each stage. The clock stands still while objectives are evaluated.";
  if (summary.graph_seconds > 0) figure.marks.push_back({summary.graph_seconds, "graph built", "wall_seconds"});
  return figure;
}

Table stages_table(const Summary& summary) {
  Table table{.title = "Stages", .columns = {{"stage", true}, {"time"}, {"iterations"}, {"ended", true}}};
  for (const Stage& stage : summary.stages)
    table.rows.push_back(
        {stage.name, seconds_text(stage.seconds), count_text(static_cast<double>(stage.iterations)), stage.ended});
  return table;
}

}  // namespace

Document train_document(const Summary& summary, std::span<const TraceRow> trace, const TrainPage& about) {
  Document document{.title = "A model by " + summary.solver, .subtitle = about.source};
  const Certificate& certificate = summary.certificate;
  document.parts.push_back(
      Facts{.list = {{"status", spaced(name_of(summary.status))},
                     {"objective", number(summary.objective)},
                     {certificate.kind == Certificate::Kind::duality_gap ? "above the optimum at most, relatively"
                                                                         : "prox-gradient norm",
                      fmt::format("{:.2g}", certificate.relative_gap)}},
            .headline = true});
  for (const Advice& advice : summary.advice)
    document.parts.push_back(Text{.body = "Advice: " + advice.sentence(about.words)});
  if (!trace.empty()) document.parts.push_back(course(summary, trace));
  document.parts.push_back(stages_table(summary));
  document.parts.push_back(Facts{.title = "Settings and times", .list = about.facts});
  return document;
}

}  // namespace s3gd::report
