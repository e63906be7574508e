#include "train_report.hpp"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/memory.hpp"
#include "fit/fit_json.hpp"
#include "fit_options.hpp"
#include "output.hpp"
#include "report/train_page.hpp"

namespace s3gd::app {
namespace {

constexpr std::size_t kMostClassesShown = 20;  // in text

FitFacts facts_of(const TrainReport& report, const Common& common) {
  return {report.data,          report.formula,    report.summary,    report.classes,     report.load_seconds,
          report.total_seconds, common.seed,       report.multiclass, report.class_names, report.class_summaries,
          report.rank,          report.validation, report.calibration};
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

std::string validation_text(const ValidationFacts& facts) {
  return fmt::format("mean loss {:.6g} over {} rows{}", facts.loss, format_count(facts.rows),
                     facts.left_out == 0 ? "" : fmt::format(" ({} left out)", format_count(facts.left_out)));
}

std::string calibration_text(const CalibrationFacts& facts) {
  const std::string rows = "fitted on " + format_count(facts.rows) + " rows held out";
  if (facts.sigmoids.size() != 2) return "a sigmoid for each class, " + rows;
  return fmt::format("1 / (1 + exp(a m + b)) with a {:.6g} and b {:.6g}, {}", facts.sigmoids[0], facts.sigmoids[1],
                     rows);
}

using Fields = std::vector<std::pair<std::string, std::string>>;

Fields fields_of(const TrainReport& report) {
  const Summary& summary = report.summary;
  std::string stages;
  for (const Stage& stage : summary.stages)
    stages += fmt::format("{}{} {} ({})", stages.empty() ? "" : ", then ", stage.name, format_seconds(stage.seconds),
                          stage.ended);
  Fields fields{
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
  if (report.calibration) fields.insert(fields.begin() + 5, {"probabilities", calibration_text(*report.calibration)});
  if (report.validation) fields.insert(fields.begin() + 5, {"validation", validation_text(*report.validation)});
  if (!report.multiclass.empty()) fields.insert(fields.begin() + 2, {"classes", multiclass_text(report)});
  return fields;
}

void write_page(const TrainReport& report) {
  const report::TrainPage about{report.data.source, fields_of(report)};
  const std::string page = report::html(report::train_document(report.summary, report.trace, about));
  write_atomically(report.page_path, [&](std::ostream& out) { out << page; });
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
  if (!report.page_path.empty()) write_page(report);
  if (common.json)
    print_json(to_json(facts_of(report, common)));
  else
    print(format_fields(fields_of(report)) + class_table(report));
  for (const std::string& advice : report.summary.advice) remark(common, "advice: " + advice);
  if (!report.model_path.empty()) remark(common, "model written to " + report.model_path);
  if (!report.page_path.empty()) remark(common, "page written to " + report.page_path);
  return exit_code(report.summary.status);
}

}  // namespace s3gd::app
