#include "report/fit_pages.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "report/run_record.hpp"

namespace s3gd::report {
namespace {

struct Quantity {
  Axis axis;
  Points column = nullptr;  // null: the iterations, which are whole numbers

  explicit Quantity(const char* key) : axis(quantity(key)) {
    if (axis.key != "iteration") column = axis.key == "gap" ? &TraceRow::gap : points_of(axis.key);
  }
  double of(const TraceRow& row) const { return column ? row.*column : static_cast<double>(row.iteration); }
};

const std::vector<Quantity>& across() {
  static const std::vector<Quantity> list{Quantity("cpu_seconds"), Quantity("wall_seconds"), Quantity("passes"),
                                          Quantity("iteration")};
  return list;
}

const std::vector<Quantity>& up() {
  static const std::vector<Quantity> list{Quantity("objective"), Quantity("gap"), Quantity("test_objective"),
                                          Quantity("correlation"), Quantity("variance_ratio")};
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

constexpr std::size_t kNamedCurves = 9, kMostCurves = 200;  // as many as there are colours

std::string name_of_feature(const PathPage& about, std::size_t j) {
  return about.feature_names.empty() ? fmt::format("column {}", j) : about.feature_names[j];
}

// Folds that a run which was cut short does not judge by have no scores.
std::string folds_text(const std::vector<double>& scores) {
  const auto missing =
      static_cast<std::size_t>(std::count_if(scores.begin(), scores.end(), [](double s) { return std::isnan(s); }));
  const std::string all = std::to_string(scores.size());
  return missing == 0 ? all : fmt::format("{} of {}", scores.size() - missing, all);
}

const Axis kLambda{"lambda", "lambda, weaker to the right", true, true};

Figure over_lambda(const std::string& id, const std::string& title, const Axis& y) {
  return {.id = id, .title = title, .caption = {}, .x = {kLambda}, .y = {y}, .series = {}};
}

template <class Value>
Series series_of(const std::string& name, const std::string& y_key, const Path& path, Value&& value) {
  Series series;
  series.name = name;
  for (const PathPoint& point : path.points) {
    series.x[kLambda.key].push_back(point.lambda);
    series.y[y_key].middle.push_back(value(point));
  }
  return series;
}

// The weight of a feature; with several outputs the length of its weights.
double weight_of(const PathPoint& point, const PathPage& about, std::size_t j) {
  if (about.outputs == 1) return point.w[j];
  const std::size_t dim = point.w.size() / static_cast<std::size_t>(about.outputs);
  double squares = 0;
  for (std::size_t at = j; at < point.w.size(); at += dim) squares += point.w[at] * point.w[at];
  return std::sqrt(squares);
}

// Features by how far their weight ever is from zero, farthest first; those that never leave it are left out.
std::vector<std::size_t> leading_features(const Path& path, const PathPage& about) {
  const auto cols = static_cast<std::size_t>(about.cols);
  std::vector<double> reach(cols, 0.0);
  for (const PathPoint& point : path.points)
    for (std::size_t j = 0; j < cols; ++j) reach[j] = std::max(reach[j], std::abs(weight_of(point, about, j)));
  std::vector<std::size_t> order(cols);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t kept = std::min(cols, kMostCurves);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(),
                    [&](std::size_t a, std::size_t b) { return reach[a] != reach[b] ? reach[a] > reach[b] : a < b; });
  order.resize(kept);
  order.erase(std::find_if(order.begin(), order.end(), [&](std::size_t j) { return reach[j] == 0; }), order.end());
  return order;
}

Figure weight_curves(const Path& path, const PathPage& about) {
  const std::vector<std::size_t> features = leading_features(path, about);
  Figure figure =
      over_lambda("weights", about.outputs == 1 ? "Weights" : "Length of each feature's weights over the classes",
                  {"weight", about.outputs == 1 ? "weight" : "length of the weights"});
  const auto add = [&](std::size_t rank, bool quiet) {
    const std::size_t feature = features[rank];
    figure.series.push_back(series_of(name_of_feature(about, feature), "weight", path,
                                      [&](const PathPoint& point) { return weight_of(point, about, feature); }));
    figure.series.back().quiet = quiet;
  };
  for (std::size_t rank = features.size(); rank-- > kNamedCurves;) add(rank, true);  // below the named ones
  for (std::size_t rank = 0; rank < std::min(kNamedCurves, features.size()); ++rank) add(rank, false);
  figure.marks.push_back({path.points[about.chosen].lambda, "chosen"});
  return figure;
}

template <class Value>
Figure curve(const std::string& id, const std::string& title, const std::string& label, const Path& path,
             const PathPage& about, Value&& value) {
  Figure figure = over_lambda(id, title, {id, label});
  figure.series = {series_of(title, id, path, value)};
  figure.series.front().dots = true;
  figure.marks.push_back({path.points[about.chosen].lambda, "chosen"});
  return figure;
}

void add_path_figures(Document& document, const Path& path, const PathPage& about) {
  document.parts.push_back(weight_curves(path, about));
  document.parts.push_back(curve("objective", "Objective", "objective F", path, about,
                                 [](const PathPoint& point) { return point.certificate.primal; }));
  document.parts.push_back(curve("nonzeros", "Non-zero weights", "weights that are not zero", path, about,
                                 [](const PathPoint& point) { return static_cast<double>(point.nonzeros); }));
}

std::string gap_text(const Certificate& certificate) { return fmt::format("{:.3g}", certificate.relative_gap); }

std::vector<Cell> cells_of(const PathPoint& point, const std::string& note) {
  return {number(point.lambda),
          number(point.certificate.primal),
          gap_text(point.certificate),
          count_text(static_cast<double>(point.nonzeros)),
          spaced(name_of(point.status)),
          seconds_text(point.seconds),
          note};
}

Facts common_facts(const PathPage& about, const std::string& status, std::size_t points) {
  return {.list = {{"data", about.source},
                   {"minimised", about.formula},
                   {"status", spaced(status)},
                   {"lambdas", std::to_string(points)},
                   {"time", seconds_text(about.seconds)}}};
}

// What to remember of the page.
Facts path_headline(const Path& path, const PathPage& about) {
  const PathPoint& chosen = path.points[about.chosen];
  return {.list = {{"lambda chosen", fmt::format("{:.3g}", chosen.lambda)},
                   {"non-zero weights there", count_text(static_cast<double>(chosen.nonzeros))},
                   {fmt::format("for {} lambdas", path.points.size()), seconds_text(about.seconds)}},
          .headline = true};
}

std::string metric_name(ScoreKind metric) {
  static const std::map<ScoreKind, const char*> kNames{{ScoreKind::log_loss, "Log-loss"},
                                                       {ScoreKind::accuracy, "Accuracy"},
                                                       {ScoreKind::balanced_accuracy, "Balanced accuracy"},
                                                       {ScoreKind::average_precision, "Average precision"},
                                                       {ScoreKind::mae, "Mean absolute error"},
                                                       {ScoreKind::r2, "R\u00b2"},
                                                       {ScoreKind::auc, "Area under the ROC curve"},
                                                       {ScoreKind::rmse, "Root mean squared error"},
                                                       {ScoreKind::deviance, "Poisson deviance"},
                                                       {ScoreKind::d2, "D\u00b2"}};
  return kNames.at(metric);
}

Figure metric_curve(const CrossValidation& result) {
  const std::string name = metric_name(result.metric);
  Series series;
  series.name = "mean of the folds";
  series.dots = true;
  Series::Band& band = series.y["metric"];
  for (const ScoredLambda& point : result.points) {
    series.x[kLambda.key].push_back(point.lambda);
    band.middle.push_back(point.mean);
    band.low.push_back(point.mean - point.standard_error);
    band.high.push_back(point.mean + point.standard_error);
  }
  Figure figure = over_lambda("metric", name + " on held-out rows", {"metric", name + ", \u00b1 one standard error"});
  figure.series = {std::move(series)};
  figure.marks.push_back({result.points[result.best].lambda, "best"});
  if (result.one_standard_error != result.best)
    figure.marks.push_back({result.points[result.one_standard_error].lambda, "one standard error"});
  return figure;
}

std::string note_of(const CrossValidation& result, std::size_t k, std::size_t chosen) {
  std::string note;
  for (const auto& [row, said] :
       {std::pair(result.best, "best"), {result.one_standard_error, "one standard error"}, {chosen, "chosen"}})
    if (row == k) note += (note.empty() ? "" : ", ") + std::string(said);
  return note;
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

std::string path_page(const Path& path, const PathPage& about) {
  Document document{.title = "Regularisation path", .subtitle = about.source};
  document.parts.push_back(path_headline(path, about));
  document.parts.push_back(common_facts(about, name_of(path.status), path.points.size()));
  add_path_figures(document, path, about);
  Table list{
      .title = "Every lambda",
      .columns = {{"lambda"}, {"objective"}, {"relative gap"}, {"non-zeros"}, {"status", true}, {"time"}, {"", true}},
      .outstanding = {about.chosen}};
  for (std::size_t k = 0; k < path.points.size(); ++k)
    list.rows.push_back(cells_of(path.points[k], k == about.chosen ? "chosen" : ""));
  document.parts.push_back(std::move(list));
  return html(document);
}

std::string cross_validation_page(const CrossValidation& result, const PathPage& about) {
  const auto lambda_of = [&](std::size_t k) { return fmt::format("lambda {}", number(result.points[k].lambda)); };
  Document document{.title = "Cross-validation", .subtitle = about.source};
  Facts headline = path_headline(result.path, about);
  const ScoredLambda& chosen = result.points[about.chosen];
  const std::string score = std::isfinite(chosen.mean)
                                ? fmt::format("{:.4g} \u00b1 {:.1g}", chosen.mean, chosen.standard_error)
                                : number(chosen.mean);
  headline.list.insert(headline.list.begin(), {metric_name(result.metric) + " on held-out rows", score});
  document.parts.push_back(std::move(headline));
  Facts facts = common_facts(about, name_of(result.status), result.points.size());
  facts.list.insert(facts.list.end(), {{"folds", folds_text(result.points.front().scores)},
                                       {"best", lambda_of(result.best)},
                                       {"one standard error", lambda_of(result.one_standard_error)}});
  document.parts.push_back(std::move(facts));
  document.parts.push_back(metric_curve(result));
  add_path_figures(document, result.path, about);
  Table list{.title = "Every lambda",
             .columns = {{"lambda"},
                         {"mean"},
                         {"standard error"},
                         {"non-zeros"},
                         {"objective on all rows"},
                         {"relative gap"},
                         {"", true}},
             .outstanding = {result.best, result.one_standard_error, about.chosen}};
  for (std::size_t k = 0; k < result.points.size(); ++k) {
    const ScoredLambda& point = result.points[k];
    const PathPoint& whole = result.path.points[k];
    list.rows.push_back({number(point.lambda), number(point.mean), number(point.standard_error),
                         count_text(static_cast<double>(whole.nonzeros)), number(whole.certificate.primal),
                         gap_text(whole.certificate), note_of(result, k, about.chosen)});
  }
  document.parts.push_back(std::move(list));
  return html(document);
}

}  // namespace s3gd::report
