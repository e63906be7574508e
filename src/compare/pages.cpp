#include "compare/pages.hpp"

#include "base/file.hpp"
#include "report/figures.hpp"
#include "report/run_document.hpp"

namespace s3gd {

void write_pages(const Json& run, const RunFolder& folder) {
  const report::Document document = report::document_of_run(run);
  write_atomically(folder.path("report.html"), [&](std::ostream& out) { out << report::html(document); });
  report::write_figures(document, folder.path("figures"));
}

}  // namespace s3gd
