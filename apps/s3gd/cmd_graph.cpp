// s3gd graph DATA -o FILE
#include <fmt/core.h>

#include <memory>

#include "base/json.hpp"
#include "command.hpp"
#include "file_use.hpp"
#include "fit_options.hpp"
#include "output.hpp"
#include "s3gd/graph.hpp"

namespace s3gd::app {
namespace {

struct Options {
  std::string data;
  std::string output;
  LoadOptions load;
  Scale scale = Scale::none;
  GraphOptions graph;
};

int build(const Options& options, const Common& common) {
  refuse_standard_output(options.output, "--output");
  refuse_clashes(common, {{"DATA", file_of_source(options.data)}, {"--labels", options.load.labels_path}},
                 {{"--output", options.output}});
  LoadOptions load_options = options.load;
  load_options.threads = common.threads;
  Dataset data = load(options.data, load_options);
  data = apply_scaling(data, learn_scaling(data, options.scale, common.threads), common.threads);
  GraphOptions graph_options = options.graph;
  graph_options.seed = common.seed;
  graph_options.threads = common.threads;
  const Graph graph = build_graph(data.x, graph_options);
  save_graph(graph, data.x, options.output);
  if (common.json) {
    print_json({{"rows", graph.rows()},
                {"anchors", graph.anchors()},
                {"neighbours", graph.neighbours_per_row()},
                {"kernel", name_of(graph.options.kernel)},
                {"seconds", graph.seconds},
                {"seed", common.seed}});
  } else {
    print(format_fields({{"rows", format_count(graph.rows())},
                         {"anchors", format_count(graph.anchors())},
                         {"neighbours", format_count(graph.neighbours_per_row())},
                         {"kernel", name_of(graph.options.kernel)},
                         {"built in", format_seconds(graph.seconds)},
                         {"written to", options.output}}));
  }
  return kGood;
}

}  // namespace

std::function<int()> setup_graph(Arguments& app, const Common& common) {
  auto options = std::make_shared<Options>();
  app.add_option("DATA", options->data, "the rows to build the graph of")->required();
  app.add_option("-o,--output", options->output, "where the graph goes")->required()->type_name("FILE");
  add_graph_options(app, options->graph);
  add_choice(app, "--scale", options->scale, "the same as for train, or the graph will not fit");
  add_load_options(app, options->load);
  return [options, &common] { return build(*options, common); };
}

}  // namespace s3gd::app
