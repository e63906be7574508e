#include "report/path_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/chart.hpp"
#include "report/page.hpp"

namespace s3gd::report {
namespace {

constexpr std::size_t kNamedCurves = 10, kMostCurves = 200;
constexpr const char* kLambda = "lambda, weaker to the right";

std::string name_of_feature(const PathPage& about, std::size_t j) {
  return about.feature_names.empty() ? fmt::format("column {}", j) : about.feature_names[j];
}

Chart over_lambda(const std::string& title, const std::vector<double>& lambdas) {
  Chart chart;
  chart.title = title;
  chart.x_name = kLambda;
  chart.x = lambdas;
  chart.log_x = chart.falling_x = true;
  return chart;
}

std::vector<double> lambdas_of(const Path& path) {
  std::vector<double> lambdas;
  for (const PathPoint& point : path.points) lambdas.push_back(point.lambda);
  return lambdas;
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

std::string weight_curves(const Path& path, const PathPage& about) {
  const std::vector<std::size_t> features = leading_features(path, about);
  Chart chart = over_lambda(about.outputs == 1 ? "Weights" : "Length of each feature's weights over the classes",
                            lambdas_of(path));
  for (std::size_t rank = features.size(); rank-- > kNamedCurves;) {  // quiet ones first: named ones lie on top
    Line line{.name = name_of_feature(about, features[rank]), .quiet = true};
    for (const PathPoint& point : path.points) line.y.push_back(weight_of(point, about, features[rank]));
    chart.lines.push_back(std::move(line));
  }
  for (std::size_t rank = 0; rank < std::min(kNamedCurves, features.size()); ++rank) {
    Line line{.name = name_of_feature(about, features[rank])};
    for (const PathPoint& point : path.points) line.y.push_back(weight_of(point, about, features[rank]));
    chart.lines.push_back(std::move(line));
  }
  chart.marks.push_back({path.points[about.chosen].lambda, "chosen"});
  return draw(chart);
}

template <class Value>
std::string curve(const std::string& title, const Path& path, const PathPage& about, Value&& value) {
  Chart chart = over_lambda(title, lambdas_of(path));
  Line line{.name = title, .dots = true};
  for (const PathPoint& point : path.points) line.y.push_back(value(point));
  chart.lines.push_back(std::move(line));
  chart.marks.push_back({path.points[about.chosen].lambda, "chosen"});
  return draw(chart);
}

std::vector<std::string> path_figures(const Path& path, const PathPage& about) {
  return {weight_curves(path, about),
          curve("Objective", path, about, [](const PathPoint& point) { return point.certificate.primal; }),
          curve("Non-zero weights", path, about,
                [](const PathPoint& point) { return static_cast<double>(point.nonzeros); })};
}

std::vector<std::string> cells_of(const PathPoint& point) {
  return {number(point.lambda),
          number(point.certificate.primal),
          number(point.certificate.relative_gap),
          std::to_string(point.nonzeros),
          name_of(point.status),
          number(point.seconds)};
}

const std::vector<std::string> kPathHead{"lambda", "objective", "relative gap", "non-zeros", "status", "seconds"};

std::string common_facts(const PathPage& about, const std::string& status, std::size_t points) {
  return facts({{"data", about.source},
                {"minimised", about.formula},
                {"status", status},
                {"lambdas", std::to_string(points)},
                {"time", fmt::format("{:.3g} s", about.seconds)}});
}

std::string metric_name(ScoreKind metric) {
  switch (metric) {
    case ScoreKind::log_loss:
      return "Log-loss";
    case ScoreKind::accuracy:
      return "Accuracy";
    case ScoreKind::balanced_accuracy:
      return "Balanced accuracy";
    case ScoreKind::auc:
      return "Area under the ROC curve";
    case ScoreKind::average_precision:
      return "Average precision";
    case ScoreKind::rmse:
      return "Root mean squared error";
    case ScoreKind::mae:
      return "Mean absolute error";
    case ScoreKind::r2:
      return "R\u00b2";
  }
  return {};
}

std::string metric_curve(const CrossValidation& result) {
  std::vector<double> lambdas;
  Line line{.name = "mean of the folds", .dots = true};
  for (const ScoredLambda& point : result.points) {
    lambdas.push_back(point.lambda);
    line.y.push_back(point.mean);
    line.half.push_back(point.standard_error);
  }
  Chart chart = over_lambda(metric_name(result.metric) + " on held-out rows, \u00b1 one standard error", lambdas);
  chart.lines.push_back(std::move(line));
  chart.marks.push_back({lambdas[result.best], "best"});
  if (result.one_standard_error != result.best)
    chart.marks.push_back({lambdas[result.one_standard_error], "one standard error"});
  return draw(chart);
}

}  // namespace

std::string path_page(const Path& path, const PathPage& about) {
  Table list{.head = kPathHead, .notes = {{about.chosen, "chosen"}}};
  for (const PathPoint& point : path.points) list.rows.push_back(cells_of(point));
  return page("Regularisation path", {common_facts(about, name_of(path.status), path.points.size()),
                                      figures(path_figures(path, about)), table(list)});
}

std::string cross_validation_page(const CrossValidation& result, const PathPage& about) {
  Table list{
      .head = {"lambda", "mean", "standard error", "non-zeros", "objective on all rows", "relative gap"},
      .notes = {{result.best, "best"}, {result.one_standard_error, "one standard error"}, {about.chosen, "chosen"}}};
  for (std::size_t k = 0; k < result.points.size(); ++k) {
    const ScoredLambda& point = result.points[k];
    const PathPoint& whole = result.path.points[k];
    list.rows.push_back({number(point.lambda), number(point.mean), number(point.standard_error),
                         std::to_string(whole.nonzeros), number(whole.certificate.primal),
                         number(whole.certificate.relative_gap)});
  }
  std::vector<std::string> drawings = path_figures(result.path, about);
  drawings.insert(drawings.begin(), metric_curve(result));
  return page("Cross-validation",
              {common_facts(about, name_of(result.status), result.points.size()),
               facts({{"folds", std::to_string(result.points.front().scores.size())},
                      {"best", fmt::format("lambda {}", number(result.points[result.best].lambda))},
                      {"one standard error",
                       fmt::format("lambda {}", number(result.points[result.one_standard_error].lambda))}}),
               figures(drawings), table(list)});
}

}  // namespace s3gd::report
