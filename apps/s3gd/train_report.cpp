#include "train_report.hpp"

#include <fmt/core.h>

#include "base/file.hpp"
#include "base/memory.hpp"
#include "output.hpp"
#include "report/fit_pages.hpp"

namespace s3gd::app {
namespace {

constexpr std::size_t kMostClassesShown = 20;  // in text

std::string certificate_text(const Certificate& certificate) {
  return certificate.kind == Certificate::Kind::duality_gap
             ? fmt::format("within {:.2g} of the optimum, relatively (duality gap)", certificate.relative_gap)
             : fmt::format("prox-gradient norm {:.2g}", certificate.relative_gap);
}

std::string multiclass_text(const Fit& fit) {
  if (fit.task.kind() == Outputs::one_vs_rest)
    return fmt::format(
        "{}, one-vs-rest: objective and times are sums over the classes, the certificate is of the worst",
        fit.task.outputs());
  return fmt::format("{}, softmax{}", fit.task.outputs(),
                     fit.rank ? fmt::format(", weights of rank {}", *fit.rank) : "");
}

std::string validation_text(const Validation& seen) {
  return fmt::format("mean loss {:.6g} over {} rows{}", seen.loss, format_count(seen.rows),
                     seen.left_out == 0 ? "" : fmt::format(" ({} left out)", format_count(seen.left_out)));
}

std::string calibration_text(const Calibration& calibration) {
  const std::string rows = "fitted on " + format_count(calibration.rows) + " rows held out";
  if (calibration.sigmoids.size() != 2) return "a sigmoid for each class, " + rows;
  return fmt::format("1 / (1 + exp(a m + b)) with a {:.6g} and b {:.6g}, {}", calibration.sigmoids[0],
                     calibration.sigmoids[1], rows);
}

using Fields = std::vector<std::pair<std::string, std::string>>;

Fields fields_of(const TrainReport& report) {
  const Fit& fit = report.fit;
  const Summary& summary = fit.summary;
  const Dataset& data = fit.task.data();
  std::string stages;
  for (const Stage& stage : summary.stages)
    stages += fmt::format("{}{} {} ({})", stages.empty() ? "" : ", then ", stage.name, format_seconds(stage.seconds),
                          stage.ended);
  Fields fields{
      {"minimised", fit.task.formula()},
      {"data", fmt::format("{} rows x {} columns, {} entries {}", format_count(data.rows()), format_count(data.cols()),
                           format_count(data.x.stored()), data.x.is_dense() ? "dense" : "sparse")},
      {"status", name_of(summary.status)},
      {"objective", fmt::format("{:.9g}", summary.objective)},
      {"certificate", certificate_text(summary.certificate)},
      {"stages", stages},
      {"passes", fmt::format("{:.4g} in {} iterations, step {:.4g}", summary.passes, format_count(summary.iterations),
                             summary.step)},
      {"time", fmt::format("{} (load {}, graph {}, solve {}, evaluate {})", format_seconds(report.run.total_seconds),
                           format_seconds(report.run.load_seconds), format_seconds(summary.graph_seconds),
                           format_seconds(summary.solve_seconds), format_seconds(summary.evaluate_seconds))},
      {"memory", format_bytes(static_cast<std::uint64_t>(peak_memory_bytes())) + " at most"},
  };
  if (fit.calibration) fields.insert(fields.begin() + 5, {"probabilities", calibration_text(*fit.calibration)});
  if (fit.validation) fields.insert(fields.begin() + 5, {"validation", validation_text(*fit.validation)});
  if (fit.task.kind() != Outputs::one) fields.insert(fields.begin() + 2, {"classes", multiclass_text(fit)});
  return fields;
}

void write_page(const TrainReport& report) {
  const report::TrainPage about{report.fit.task.data().source, fields_of(report), program_words};
  const std::string page = report::html(report::train_document(report.fit.summary, report.fit.trace, about));
  write_atomically(report.page_path, [&](std::ostream& out) { out << page; });
}

std::string class_table(const Fit& fit) {
  const std::vector<Summary>& summaries = fit.summary.classes;
  if (summaries.empty()) return {};
  const std::vector<std::string> names = fit.task.classes();
  std::vector<std::vector<std::string>> table{{"class", "status", "objective", "gap", "passes", "cpu"}};
  const std::size_t shown = std::min(kMostClassesShown, summaries.size());
  for (std::size_t k = 0; k < shown; ++k) {
    const Summary& one = summaries[k];
    table.push_back({names[k], name_of(one.status), fmt::format("{:.6g}", one.objective),
                     fmt::format("{:.1e}", one.certificate.relative_gap), fmt::format("{:.3g}", one.passes),
                     format_seconds(one.cpu_seconds)});
  }
  std::string text = "\n" + format_table(table);
  if (shown < summaries.size()) text += fmt::format("and {} more (--json lists all)\n", summaries.size() - shown);
  return text;
}

}  // namespace

int print_report(const TrainReport& report, const Common& common) {
  const Summary& summary = report.fit.summary;
  if (const auto& seen = report.fit.validation; seen && seen->left_out > 0)
    remark(common, format_count(seen->left_out) + " of " + format_count(seen->rows + seen->left_out) +
                       " rows to validate on have classes that were not trained on: they are left out");
  if (!report.page_path.empty()) write_page(report);
  if (common.json)
    print_json(to_json(report.fit, report.run));
  else
    print(format_fields(fields_of(report)) + class_table(report.fit));
  print_advice(summary.advice, common);
  if (!report.model_path.empty()) remark(common, "model written to " + report.model_path);
  if (!report.page_path.empty()) remark(common, "page written to " + report.page_path);
  return exit_code(summary.status);
}

}  // namespace s3gd::app
