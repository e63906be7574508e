// s3gd report RUN.json -o FILE.html
#include <fmt/core.h>

#include <filesystem>
#include <memory>

#include "base/file.hpp"
#include "options.hpp"
#include "output.hpp"
#include "report/document.hpp"
#include "report/run_rows.hpp"
#include "s3gd/error.hpp"

namespace s3gd::app {
namespace {

struct Options {
  std::string run, page, figures;
};

// The file, or the run.json of a folder that `s3gd compare` has written.
std::string run_file(const std::string& given) {
  return std::filesystem::is_directory(given) ? given + "/run.json" : given;
}

Json read_run(const std::string& path) {
  const std::string text = MappedFile(path).text();
  try {
    return Json::parse(text);
  } catch (const JsonParseError& error) {
    throw Error(fmt::format("{} is not JSON: byte {}", path, error.byte),
                "give the run.json that s3gd compare has written");
  }
}

int run(const Options& options, const Common& common) {
  refuse_standard_output(options.page, "--output");
  if (options.page.empty() && options.figures.empty())
    throw UsageError("nothing to write: give -o FILE.html, --figures FOLDER, or both");
  refuse_clashes(common, {{"RUN", run_file(options.run)}}, {{"--output", options.page}});
  const report::Document document = report::document_of_run(read_run(run_file(options.run)));
  Json json{{"title", document.title}};
  if (!options.page.empty()) {
    const std::string page = report::html(document);
    write_atomically(options.page, [&](std::ostream& out) { out << page; });
    json["page"] = options.page;
    json["bytes"] = page.size();
    remark(common, fmt::format("page written to {} ({})", options.page, format_bytes(page.size())));
  }
  if (!options.figures.empty()) {
    const report::FiguresWritten written = report::write_figures(document, options.figures);
    json["figures"] = written.files;
    json["png"] = written.png;
    remark(common, fmt::format("{} pictures written to {}{}", written.files.size(), options.figures,
                               written.png ? "" : " (SVG only: PNG needs librsvg)"));
  }
  if (common.json) print_json(json);
  return kGood;
}

}  // namespace

std::function<int()> setup_report(Arguments& app, const Common& common) {
  auto options = std::make_shared<Options>();
  app.add("RUN", &options->run, "the run.json of a comparison, or its folder", {.required = true});
  app.add("-o,--output", &options->page, "the page", {.takes = "FILE.html"});
  app.add("--figures", &options->figures, "also every figure as SVG, and as PNG where the program can",
          {.takes = "FOLDER"});
  return [options, &common] { return run(*options, common); };
}

}  // namespace s3gd::app
