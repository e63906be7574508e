// s3gd inspect DATA: what is in a dataset, and what to look out for before training on it; or in a model.
#include <fmt/core.h>

#include <memory>

#include "base/clock.hpp"
#include "base/memory.hpp"
#include "command.hpp"
#include "data/summary.hpp"
#include "inspect_model.hpp"
#include "inspect_theory.hpp"
#include "options.hpp"
#include "output.hpp"
#include "s3gd/model.hpp"
#include "saved/inspect.hpp"

namespace s3gd::app {
namespace {

constexpr std::size_t kClassesShown = 12;  // to people; JSON holds all

struct Options {
  std::string source;
  LoadOptions load;
  TheoryOptions theory;
  Index top = 10;
};

std::string describe_labels(const Dataset& data, const DataSummary& summary) {
  if (data.y.kind == LabelKind::none) return "none";
  if (data.y.kind == LabelKind::real)
    return fmt::format("real numbers from {:.6g} to {:.6g}, mean {:.6g}", summary.label_least, summary.label_largest,
                       summary.label_mean);
  std::string text = format_count(static_cast<Index>(summary.classes.size())) + " classes: ";
  for (std::size_t k = 0; k < summary.classes.size() && k < kClassesShown; ++k) {
    const ClassCount& entry = summary.classes[k];
    text += fmt::format("{}{} ({:.3g} %)", k == 0 ? "" : ", ", entry.name,
                        100.0 * static_cast<double>(entry.rows) / static_cast<double>(data.rows()));
  }
  return summary.classes.size() > kClassesShown ? text + ", .." : text;
}

std::string describe_norms(const DataSummary& summary) {
  std::string text;
  for (std::size_t k = 0; k < summary.norm_quantiles.size(); ++k)
    text += (k == 0 ? "" : "  ") + fmt::format("{:.4g}", summary.norm_quantiles[k]);
  return text + "  (min 5 25 50 75 95 max)";
}

std::string to_text(const Dataset& data, const DataSummary& summary, double load_seconds) {
  const char* layout = data.x.is_dense() ? "dense" : "sparse";
  return format_fields({
      {"source", data.source},
      {"rows", format_count(data.rows())},
      {"columns", format_count(data.cols()) + (data.feature_names.empty() ? "" : ", named")},
      {"non-zeros", fmt::format("{} ({:.3g} %)", format_count(summary.nonzeros), 100 * summary.density)},
      {"held as", fmt::format("{}, {}, {}{}", layout, name_of(data.x.precision()), format_bytes(summary.memory_bytes),
                              has_checksums(data) ? ", mapped; checksums verified"
                              : data.verifier     ? ", mapped"
                                                  : "")},
      {"labels", describe_labels(data, summary)},
      {"row weights", data.weights.empty() ? "none" : "yes"},
      {"values", fmt::format("from {:.6g} to {:.6g}", summary.least, summary.largest)},
      {"column scales", fmt::format("from {:.6g} to {:.6g}; {} zero columns, {} constant", summary.least_column_scale,
                                    summary.largest_column_scale, format_count(summary.zero_columns),
                                    format_count(summary.constant_columns))},
      {"row norms", describe_norms(summary)},
      {"zero rows", format_count(summary.zero_rows)},
      {"read in", format_seconds(load_seconds) + ", peak memory " + format_bytes(peak_memory_bytes())},
  });
}

std::string notes(const Dataset& data, const DataSummary& summary) {
  std::string text;
  for (const Advice& advice : advice_on(data, summary))
    text += "\n" + wrap("Note: " + advice.sentence(program_words), 80, 6) + "\n";
  return text;
}

int run(Options options, const Common& common) {
  if (is_model_file(options.source)) {
    inspect_model(options.source, options.top, common);
    return kGood;
  }
  options.load.threads = common.threads;
  const double start = wall_now();
  const Dataset data = load(options.source, options.load);
  const double load_seconds = wall_now() - start;
  const DataSummary summary = summarise(data, common.threads);
  const TheoryReport theory = report_theory(data, options.theory, common);
  if (common.json) {
    Json json = to_json(data, summary, program_words);
    json["seconds"] = {{"load", load_seconds}};
    json["theory"] = theory.json;
    print_json(json);
  } else {
    print(to_text(data, summary, load_seconds) + (theory.text.empty() ? "" : "\n" + theory.text) +
          notes(data, summary));
  }
  return kGood;
}

}  // namespace

std::function<int()> setup_inspect(Arguments& app, const Common& common) {
  auto options = std::make_shared<Options>();
  app.add_option("DATA", options->source,
                 "file, - for standard input, name of a known dataset, or gen:KIND?..; or a MODEL saved by train")
      ->required();
  app.add_option("--top", options->top, "MODEL: how many of the largest weights are shown, of each class")
      ->check(whole_number(0))
      ->type_name("N");
  add_theory_options(app, options->theory);
  add_load_options(app, options->load);
  return [options, &common] { return run(*options, common); };
}

}  // namespace s3gd::app
