// s3gd graph DATA -o FILE
#include <memory>

#include "options.hpp"
#include "output.hpp"
#include "problem/names.hpp"
#include "s3gd/graph.hpp"

namespace s3gd::app {
namespace {

struct Options {
  std::string data, output;
  OptionValues values;
};

int build(const Options& options, const Common& common) {
  refuse_standard_output(options.output, "--output");
  refuse_clashes(common, {{"DATA", file_of_source(options.data)}, {"--labels", options.values.load.labels_path}},
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

std::function<int()> setup_graph(Arguments& app, const Common& common) {
  auto options = std::make_shared<Options>();
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
