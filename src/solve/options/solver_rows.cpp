// Options of the solvers.
#include <algorithm>

#include "solve/options/make_row.hpp"

namespace s3gd {
namespace {

OptionRow solver_row() {
  OptionRow row = text_row(
      {.name = "solver",
       .takes = "NAME",
       .about = "auto is meant to be right. Others are there for comparisons, and for who knows the shape of a "
                "problem better: stochastic ones have an approximate model after a pass, exact ones end at tol."},
      [](V& v) -> std::string& { return v.solve.solver; });
  for (const SolverInfo& solver : solvers()) row.choices.push_back(solver.name);
  for (const SolverInfo& solver : softmax_solvers())
    if (std::find(row.choices.begin(), row.choices.end(), solver.name) == row.choices.end())
      row.choices.push_back(solver.name);
  return row;
}

// "decay:STEP,T0" sets two members at once.
OptionRow step_row() {
  OptionRow row{
      .name = "step",
      .takes = "STEP",
      .help = "auto, a NUMBER, or decay:STEP,T0",
      .about =
          "auto is 1/L(p), which does not diverge, and a few times smaller than what would do. A larger one is faster "
          "until it diverges; a constant one ends at a floor that falls with it.",
      .need = &OptionScene::steps};
  row.expects = "auto, a positive NUMBER, or decay:STEP,T0";
  hold<double>(row, [](V& v) -> double& { return v.solve.step; });
  row.get = [](const V& v) { return v.solve.step == 0 ? "auto" : fmt::format("{}", v.solve.step); };
  row.set = [expected = row.expects](V& v, const std::string& text) {
    constexpr std::string_view kDecay = "decay:";
    const Range positive{.least = 0, .open = true};
    std::string_view step = text;
    if (text.starts_with(kDecay)) {
      step.remove_prefix(kDecay.size());
      const std::size_t comma = step.find(',');
      if (comma == std::string_view::npos) refuse_value("step", text, expected);
      v.solve.decay = parse_number<double>("step", step.substr(comma + 1), positive, expected);
      step = step.substr(0, comma);
    }
    v.solve.step = step == "auto" ? 0 : parse_number<double>("step", step, positive, expected);
  };
  return row;
}

std::vector<OptionRow> graph_rows() {
  std::vector<OptionRow> rows{
      number_row<Index>(
          {.name = "anchors",
           .help = "anchor rows m",
           .about = "More of them predict slopes better and cost more: m products for each row once, m columns at each "
                    "snapshot. Where rows have no neighbourhoods (wide text), none help."},
          [](V& v) -> Index& { return v.solve.graph.anchors; }, {.least = 1}),
      number_row<Index>(
          {.name = "neighbours",
           .help = "anchors each row is tied to",
           .about = "1 is a partition; a few smooth its borders. More than ten or so blur what the anchors know."},
          [](V& v) -> Index& { return v.solve.graph.neighbours; }, {.least = 1}),
      name_row<Kernel>(
          {.name = "kernel",
           .about = "paper is as printed and changes with the scale of the features: far from 1 it ties a row to one "
                    "anchor, or to all alike. scaled does not."},
          [](V& v) -> Kernel& { return v.solve.graph.kernel; }),
  };
  for (OptionRow& row : rows) {
    row.group = kGraphOptions;
    row.need = &OptionScene::anchors;
  }
  return rows;
}

}  // namespace

std::vector<OptionRow> solver_rows() {
  std::vector<OptionRow> rows{
      solver_row(),
      step_row(),
      number_row<double>(
          {.name = "decay",
           .takes = "T0",
           .help = "the step is STEP / (1 + iteration / T0)",
           .about =
               "Lets steps with noise (sgd) go below their floor, slowly. It holds up those whose noise vanishes by "
               "itself: svrg, saga, sag.",
           .need = &OptionScene::decays},
          [](V& v) -> double& { return v.solve.decay; }, {.least = 0, .open = true}),
      number_row<Index>(
          {.name = "batch",
           .help = "rows a step",
           .about =
               "More rows have less noise and allow longer steps, up to a point: past it, each of them counts less. "
               "10 is the paper's; wide sparse rows like fewer, many cores do not matter.",
           .need = &OptionScene::batches},
          [](V& v) -> Index& { return v.solve.batch; }, {.least = 1}),
      number_row<Index>(
          {.name = "inner",
           .help = "steps between snapshots (default 20; svrg 50)",
           .about =
               "Few keep the correction fresh and cost a snapshot each: for svrg a pass over all rows, so that n / "
               "batch or more is usual there; for s3gd m anchors.",
           .need = &OptionScene::snapshots},
          [](V& v) -> Index& { return v.solve.inner; }, {.least = 0}),
      name_row<RowOrder>(
          {.name = "order",
           .help = "of the rows",
           .about = "shuffled sees each row once a pass, which is faster in practice; weighted is what theory and the "
                    "paper have, and builds the whole graph first for s3gd.",
           .need = &OptionScene::orders},
          [](V& v) -> RowOrder& { return v.solve.order; }),
      flag_row({.name = "average",
                .help = "snapshot = mean of the inner iterates",
                .about = "Prox-SVRG's theory has it so. With the noise of large steps it helps; otherwise it lags "
                         "behind the last iterate.",
                .need = &OptionScene::averages},
               [](V& v) -> bool& { return v.solve.average_snapshot; }),
      flag_row({.name = "accelerated",
                .help = "gd only",
                .about = "Momentum with restarts: many times fewer passes where the problem is badly conditioned, none "
                         "more elsewhere.",
                .need = &OptionScene::accelerates},
               [](V& v) -> bool& { return v.solve.accelerated; }),
      name_row<GraphMode>(
          {.name = "graph-mode",
           .about =
               "streaming starts at once and grows the graph as rows come. full pays for all of it first, and then "
               "for nothing: for many passes, or several runs over one graph.",
           .need = &OptionScene::graphs},
          [](V& v) -> GraphMode& { return v.solve.graph_mode; }),
      name_row<ControlMode>(
          {.name = "control",
           .about =
               "adaptive subtracts no more than past batches found of use, so that a poor graph does no harm. paper "
               "subtracts all of it, which is worse than plain SGD where anchors mislead.",
           .need = &OptionScene::anchors},
          [](V& v) -> ControlMode& { return v.solve.control; }),
  };
  for (OptionRow& row : rows) row.group = kSolverOptions;
  for (OptionRow& row : graph_rows()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace s3gd
