#include "train_report.hpp"

#include <fmt/format.h>

#include "base/memory.hpp"
#include "fit_options.hpp"
#include "output.hpp"

namespace s3gd::app {
namespace {

constexpr std::size_t kMostClassesShown = 20;  // in text

Json to_json(const Certificate& certificate) {
  return {{"primal", certificate.primal},
          {"dual", certificate.dual},
          {"relative_gap", certificate.relative_gap},
          {"kind", certificate.kind == Certificate::Kind::duality_gap ? "duality_gap" : "prox_gradient"}};
}

Json to_json(const std::string& name, const Summary& summary) {
  return {{"class", name},
          {"status", name_of(summary.status)},
          {"objective", summary.objective},
          {"certificate", to_json(summary.certificate)},
          {"passes", summary.passes},
          {"iterations", summary.iterations},
          {"cpu_seconds", summary.cpu_seconds}};
}

Json to_json(const TrainReport& report, const Common& common) {
  const Summary& summary = report.summary;
  Json stages = Json::array();
  for (const Stage& stage : summary.stages)
    stages.push_back(
        {{"name", stage.name}, {"seconds", stage.seconds}, {"iterations", stage.iterations}, {"ended", stage.ended}});
  Json json{{"status", name_of(summary.status)},
            {"objective", summary.objective},
            {"certificate", to_json(summary.certificate)},
            {"formula", report.formula},
            {"seconds",
             {{"load", report.load_seconds},
              {"graph", summary.graph_seconds},
              {"solve", summary.solve_seconds},
              {"evaluate", summary.evaluate_seconds},
              {"total", report.total_seconds}}},
            {"cpu_seconds", summary.cpu_seconds},
            {"passes", summary.passes},
            {"iterations", summary.iterations},
            {"step", summary.step},
            {"inner", summary.inner},
            {"solver", summary.solver},
            {"surrogate_gap", summary.surrogate_gap},
            {"stages", stages},
            {"rows", report.data.rows()},
            {"cols", report.data.cols()},
            {"nonzeros", report.data.x.stored()},
            {"classes", report.classes},
            {"peak_memory_bytes", peak_memory_bytes()},
            {"seed", common.seed},
            {"advice", summary.advice}};
  if (!report.multiclass.empty()) json["multiclass"] = report.multiclass;
  if (report.rank) json["rank"] = *report.rank;
  for (std::size_t k = 0; k < report.class_summaries.size(); ++k)
    json["class_fits"].push_back(to_json(report.class_names[k], report.class_summaries[k]));
  return json;
}

std::string certificate_text(const Certificate& certificate) {
  return certificate.kind == Certificate::Kind::duality_gap
             ? fmt::format("within {:.2g} of the optimum, relatively (duality gap)", certificate.relative_gap)
             : fmt::format("prox-gradient norm {:.2g}", certificate.relative_gap);
}

std::string multiclass_text(const TrainReport& report) {
  if (report.multiclass == "ovr")
    return fmt::format(
        "{}, one-vs-rest: objective and times are sums over the classes, the certificate is of the worst",
        report.classes);
  return fmt::format("{}, softmax{}", report.classes,
                     report.rank ? fmt::format(", weights of rank {}", *report.rank) : "");
}

std::string to_text(const TrainReport& report) {
  const Summary& summary = report.summary;
  std::string stages;
  for (const Stage& stage : summary.stages)
    stages += fmt::format("{}{} {} ({})", stages.empty() ? "" : ", then ", stage.name, format_seconds(stage.seconds),
                          stage.ended);
  std::vector<std::pair<std::string, std::string>> fields{
      {"minimised", report.formula},
      {"data", fmt::format("{} rows x {} columns, {} entries {}", format_count(report.data.rows()),
                           format_count(report.data.cols()), format_count(report.data.x.stored()),
                           report.data.x.is_dense() ? "dense" : "sparse")},
      {"status", name_of(summary.status)},
      {"objective", fmt::format("{:.9g}", summary.objective)},
      {"certificate", certificate_text(summary.certificate)},
      {"stages", stages},
      {"passes", fmt::format("{:.4g} in {} iterations, step {:.4g}", summary.passes, format_count(summary.iterations),
                             summary.step)},
      {"time", fmt::format("{} (load {}, graph {}, solve {}, evaluate {})", format_seconds(report.total_seconds),
                           format_seconds(report.load_seconds), format_seconds(summary.graph_seconds),
                           format_seconds(summary.solve_seconds), format_seconds(summary.evaluate_seconds))},
      {"memory", format_bytes(static_cast<std::uint64_t>(peak_memory_bytes())) + " at most"},
  };
  if (!report.multiclass.empty()) fields.insert(fields.begin() + 2, {"classes", multiclass_text(report)});
  return format_fields(fields);
}

std::string class_table(const TrainReport& report) {
  if (report.class_summaries.empty()) return {};
  std::vector<std::vector<std::string>> table{{"class", "status", "objective", "gap", "passes", "cpu"}};
  const std::size_t shown = std::min(kMostClassesShown, report.class_summaries.size());
  for (std::size_t k = 0; k < shown; ++k) {
    const Summary& one = report.class_summaries[k];
    table.push_back({report.class_names[k], name_of(one.status), fmt::format("{:.6g}", one.objective),
                     fmt::format("{:.1e}", one.certificate.relative_gap), fmt::format("{:.3g}", one.passes),
                     format_seconds(one.cpu_seconds)});
  }
  std::string text = "\n" + format_table(table);
  if (shown < report.class_summaries.size())
    text += fmt::format("and {} more (--json lists all)\n", report.class_summaries.size() - shown);
  return text;
}

}  // namespace

int print_report(const TrainReport& report, const Common& common) {
  if (common.json)
    print_json(to_json(report, common));
  else
    print(to_text(report) + class_table(report));
  for (const std::string& advice : report.summary.advice) remark(common, "advice: " + advice);
  if (!report.model_path.empty()) remark(common, "model written to " + report.model_path);
  return exit_code(report.summary.status);
}

}  // namespace s3gd::app
