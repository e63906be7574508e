#include "report/run_document.hpp"

#include <fmt/core.h>

#include <cmath>

#include "report/run_rows.hpp"
#include "s3gd/error.hpp"

namespace s3gd::report {
namespace {

std::string counted(double number, const char* what) {
  return fmt::format("{} {}{}", count_text(number), what, number == 1 ? "" : "s");
}

std::string subtitle_of(const RunRows& rows) {
  const Json& machine = rows.json().value("machine", Json::object());
  std::string text = counted(static_cast<double>(rows.datasets().size()), "dataset") + ", " +
                     counted(static_cast<double>(rows.labels().size()), "contender");
  if (rows.json().contains("protocol"))
    if (const double trials = number_at(rows.json()["protocol"], "trials"); std::isfinite(trials))
      text += ", " + counted(trials, "trial");
  if (const std::string created = text_at(rows.json(), "created"); !created.empty())
    text += " \u00b7 " + created.substr(0, 10);
  if (const std::string cpu = text_at(machine, "cpu"); !cpu.empty()) text += " \u00b7 " + cpu;
  return text;
}

void add_curves(Document& document, const RunRows& rows) {
  document.parts.push_back(
      Text{.heading = "Curves",
           .body = "Each contender at its chosen step: the mean of its trials, and in the band all of them. Of "
                   "distances from F* the line is the lowest so far, faint what was seen. The clock "
                   "stands still while objectives are evaluated."});
  for (const std::string& dataset : rows.datasets()) document.parts.push_back(curves_of(rows, dataset));
}

Document compose(const Json& run) {
  const RunRows rows(run);
  const std::string title = text_at(run, "title");
  Document document{.title = title.empty() ? "Comparison" : title, .subtitle = subtitle_of(rows)};
  add_verdicts(document, rows);
  add_curves(document, rows);
  add_reasons(document, rows);
  add_steps(document, rows);
  add_failures(document, rows);
  add_settings(document, rows);
  return document;
}

}  // namespace

Document document_of_run(const Json& run) {
  if (!run.is_object() || run.value("s3gd_run", Json()) != 1)
    throw Error("this is no run of a comparison (\"s3gd_run\": 1 is missing)",
                "give the run.json that s3gd compare has written");
  try {
    return compose(run.sorted());
  } catch (const JsonError& error) {
    throw Error(fmt::format("the run cannot be read: {}", error.what()), "write it again with s3gd compare");
  }
}

}  // namespace s3gd::report
