// s3gd convert IN OUT: from any format to any other, by extension; scaled and split on the way when asked. And s3gd graph DATA -o
// FILE: what is made of the same rows for train.
#include <memory>

#include "base/clock.hpp"
#include "base/interrupt.hpp"
#include "data/format.hpp"
#include "data/generate.hpp"
#include "options.hpp"
#include "output.hpp"
#include "problem/names.hpp"
#include "s3gd/error.hpp"
#include "s3gd/graph.hpp"
#include "s3gd/scale.hpp"

namespace s3gd::app {
namespace {

struct Options {
  std::string in, out, second_out, out_format;
  double split = 0;
  OptionValues values;
};

// What was written, for the summary.
struct Written {
  std::string path;
  Index rows = 0;
};

const Format& format_of_output(const Options& options) {
  return format_for_writing(options.out, {.format = options.out_format});
}

// Generated rows go to the file block by block: their number is not bounded by memory.
bool is_streamed(const Options& options) {
  return is_generated(options.in) && options.values.scale == Scale::none && options.second_out.empty() &&
         format_of_output(options).stream != nullptr;
}

Written stream(const Options& options, const Common& common) {
  const auto generator = RowGenerator::from_spec(options.in);
  const Index rows = generator->shape().rows;
  Progress progress(common, "writing");
  Index done = 0;
  format_of_output(options).stream(options.out, [&](const RowSink& take) {
    stream_rows(*generator, options.values.load, [&](const Dataset& block) {
      take(block);
      done += block.rows();
      progress.show(format_count(done) + " of " + format_count(rows) + " rows");
    });
  });
  return {options.out, rows};
}

std::vector<Written> convert(const Options& options, const Common& common) {
  if (is_streamed(options)) return {stream(options, common)};
  Dataset data = load(options.in, options.values.load);
  data.verify(common.threads);
  const SaveOptions save_options{options.out_format, common.threads};
  const auto put = [&](const Dataset& part, const std::string& path) -> Written {
    if (interrupted()) throw Interrupted();
    save(part, path, save_options);
    return {path, part.rows()};
  };
  if (options.second_out.empty()) {
    const Scaling scaling = learn_scaling(data, options.values.scale, common.threads);
    return {put(apply_scaling(data, scaling, common.threads), options.out)};
  }
  const Split split = split_rows(data, options.split, common.seed);
  const Dataset train = take_rows(data, split.train);
  const Dataset test = take_rows(data, split.test);
  // Learnt on the first part alone: the second must not leak into it.
  const Scaling scaling = learn_scaling(train, options.values.scale, common.threads);
  return {put(apply_scaling(train, scaling, common.threads), options.out),
          put(apply_scaling(test, scaling, common.threads), options.second_out)};
}

int run(Options options, const Common& common) {
  if ((options.split > 0) != !options.second_out.empty())
    throw UsageError("--split FRACTION and --split-out FILE go together");
  check_files(common, {{"IN", file_of_source(options.in)}, {"--labels", options.values.load.labels_path}},
              {{"OUT", options.out}, {"--split-out", options.second_out}});
  options.values.load.threads = common.threads;
  const double start = wall_now();
  const std::vector<Written> files = convert(options, common);
  Json json{{"files", Json::array()}};
  for (const Written& file : files) {
    json["files"].push_back({{"path", file.path}, {"rows", file.rows}});
    remark(common, file.path + ": " + format_count(file.rows) + " rows");
  }
  json["seconds"] = wall_now() - start;
  if (common.json) print_json(json);
  return kGood;
}

struct GraphToBuild {
  std::string data, output;
  OptionValues values;
};

int build(const GraphToBuild& options, const Common& common) {
  check_files(common, {{"DATA", file_of_source(options.data)}, {"--labels", options.values.load.labels_path}},
              {{"--output", options.output}});
  LoadOptions load_options = options.values.load;
  load_options.threads = common.threads;
  Dataset data = load(options.data, load_options);
  data = apply_scaling(data, learn_scaling(data, options.values.scale, common.threads), common.threads);
  GraphOptions graph_options = options.values.solve.graph;
  graph_options.seed = common.seed;
  graph_options.threads = common.threads;
  const Graph graph = build_graph(data.x, graph_options);
  save_graph(graph, data.x, options.output);
  print_result(common,
               {{"rows", graph.rows()},
                {"anchors", graph.anchors()},
                {"neighbours", graph.neighbours_per_row()},
                {"kernel", name_of(graph.options.kernel)},
                {"seconds", graph.seconds},
                {"seed", common.seed}},
               format_fields({{"rows", format_count(graph.rows())},
                              {"anchors", format_count(graph.anchors())},
                              {"neighbours", format_count(graph.neighbours_per_row())},
                              {"kernel", name_of(graph.options.kernel)},
                              {"built in", format_seconds(graph.seconds)},
                              {"written to", options.output}}));
  return kGood;
}

}  // namespace

std::function<int()> setup_convert(Arguments& app, const Common& common) {
  auto options = std::make_shared<Options>();
  app.add("IN", &options->in, "file, - for standard input, name of a known dataset, or gen:KIND?..",
          {.required = true});
  app.add("OUT", &options->out, "file; its extension says the format (.s3d .svm .csv .npz .. also .gz .zst)",
          {.required = true});
  app.in_group("Writing");
  add_table_options(app, options->values, {"scale"});
  app.get_option("--scale").group = "Writing";
  app.add("--split", &options->split, "share of the rows that goes to --split-out, class by class",
          {.takes = "FRACTION", .check = in_range({.least = 0, .most = 1})});
  app.add("--split-out", &options->second_out, "the second part's file", {.takes = "FILE"});
  std::vector<std::string> writable;
  for (const FormatInfo& format : formats())
    if (format.writable) writable.push_back(format.name);
  app.add("--out-format", &options->out_format, "instead of by extension", {.choices = writable});
  add_table_options(app, options->values, names_in(kReadingOptions));
  return [options, &common] { return run(*options, common); };
}

std::function<int()> setup_graph(Arguments& app, const Common& common) {
  auto options = std::make_shared<GraphToBuild>();
  app.add("DATA", &options->data, "the rows to build the graph of", {.required = true});
  app.add("-o,--output", &options->output, "where the graph goes", {.takes = "FILE", .required = true});
  add_table_options(app, options->values, names_in(kGraphOptions));
  add_table_options(app, options->values, {"scale"});
  Option& scale = app.get_option("--scale");
  scale.help = "the same as for train, or the graph will not fit: " + scale.help;
  scale.group = app.get_option("--output").group;
  add_table_options(app, options->values, names_in(kReadingOptions));
  return [options, &common] { return build(*options, common); };
}

}  // namespace s3gd::app
