// s3gd export MODEL --format FORMAT [-o FILE]
#include <filesystem>
#include <memory>

#include "base/file.hpp"
#include "options.hpp"
#include "output.hpp"
#include "s3gd/model_use.hpp"

namespace s3gd::app {
namespace {

struct ExportOptions {
  std::string model, format, output;
};

int run(const ExportOptions& options, const Common& common) {
  const bool to_file = !options.output.empty() && options.output != "-";
  if (common.json && !to_file)
    throw UsageError("--json and the exported model both want standard output: give -o a file");
  refuse_clashes(common, {{"MODEL", options.model}}, {{"--output", options.output}});
  const Model model = load_model(options.model);
  const std::string name = to_file ? std::filesystem::path(options.output).stem().string() : "model";
  const Exported exported = export_model(model, options.format, name);
  if (to_file)
    write_atomically(options.output, [&](std::ostream& out) { out << exported.bytes; });
  else
    print(exported.bytes);
  for (const std::string& text : exported.remarks) remark(common, text);
  if (to_file) remark(common, "model written to " + options.output);
  if (common.json)
    print_json({{"format", options.format},
                {"path", options.output},
                {"bytes", exported.bytes.size()},
                {"features", model.features()},
                {"outputs", model.outputs()},
                {"classes", model.classes},
                {"remarks", exported.remarks}});
  return kGood;
}

}  // namespace

std::function<int()> setup_export(Arguments& app, const Common& common) {
  auto options = std::make_shared<ExportOptions>();
  std::vector<std::string> names;
  for (const ExportFormat& format : export_formats()) names.push_back(format.name);
  app.add("MODEL", &options->model, "a model saved by `s3gd train -o`", {.required = true});
  app.add("--format", &options->format, "", {.choices = names, .required = true});
  app.add("-o,--output", &options->output, "where it goes; standard output when left out", {.takes = "FILE"});
  return [options, &common] { return run(*options, common); };
}

}  // namespace s3gd::app
