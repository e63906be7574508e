// Options of the solvers, of when a run stops, what it keeps and what it tells.
#include <algorithm>

#include "solve/options/make_row.hpp"

namespace s3gd {
namespace {

using S = SolveOptions;

OptionRow solver_row() {
  OptionRow made = row("solver", &S::solver, "",
                       "auto is meant to be right. Others are there for comparisons, and for who knows the shape of a "
                       "problem better: stochastic ones have an approximate model after a pass, exact ones end at tol.",
                       {.takes = "NAME", .plan = false});
  for (const auto& list : {solvers(), softmax_solvers()})
    for (const SolverInfo& solver : list)
      if (std::find(made.choices.begin(), made.choices.end(), solver.name) == made.choices.end())
        made.choices.push_back(solver.name);
  return made;
}

// "decay:STEP,T0" sets two members at once.
OptionRow step_row() {
  OptionRow made =
      row("step", &S::step, "auto, a NUMBER, or decay:STEP,T0",
          "auto is 1/L(p), which does not diverge, and a few times smaller than what would do. A larger one is faster "
          "until it diverges; a constant one ends at a floor that falls with it, but for s3gd, svrg and saga.",
          {.need = &OptionScene::steps, .takes = "STEP", .plan = false});
  made.expects = "auto, a positive NUMBER, or decay:STEP,T0";
  made.get = [](const V& v) { return v.solve.step == 0 ? "auto" : fmt::format("{}", v.solve.step); };
  made.set = [expected = made.expects](V& v, const std::string& text) {
    constexpr std::string_view kDecay = "decay:";
    std::string_view step = text;
    if (text.starts_with(kDecay)) {
      step.remove_prefix(kDecay.size());
      const std::size_t comma = step.find(',');
      if (comma == std::string_view::npos) refuse_value("step", text, expected);
      v.solve.decay = parse_number<double>("step", step.substr(comma + 1), kPositive, expected);
      step = step.substr(0, comma);
    }
    v.solve.step = step == "auto" ? 0 : parse_number<double>("step", step, kPositive, expected);
  };
  return made;
}

// Rows are drawn by the weights of the paper's Eqn. pw and averaged uniformly. As a sum that is its gradient, times the
// total weight of 2; as a mean, half of it: the gradient of the balanced objective, whose penalty is as large.
OptionRow reading_row() {
  OptionRow made{
      {.takes = "NAME", .excludes = "class-weight", .beside = "paper", .identity = false, .python = false},
      "reading",
      {},
      "the paper's two classes: their means added up, or averaged",
      "sum is its formula as printed. mean is its text, rows drawn by weight and averaged uniformly: half of "
      "that loss beside the same penalty, so that steps twice as large are stable."};
  made.choices = {"sum", "mean"};
  made.copy = [](V& to, const V& from) { to.reading = from.reading; };
  made.get = [](const V& v) { return v.reading == ClassWeight::balanced ? "mean" : "sum"; };
  made.set = [choices = made.choices](V& v, const std::string& text) {
    if (text != "sum" && text != "mean") throw_unknown_name("reading", text, choices);
    v.reading = text == "mean" ? ClassWeight::balanced : ClassWeight::paper;
  };
  return made;
}

std::vector<OptionRow> solver_rows() {
  const OptionFacts of_program{.identity = false, .python = false, .plan = false};
  OptionFacts of_graph = of_program;
  of_graph.need = &OptionScene::graphs;
  of_graph.takes = "FILE";
  return in_group(
      kSolverOptions,
      {solver_row(), step_row(),
       row("decay", &S::decay, "the step is STEP / (1 + iteration / T0)",
           "Lets steps with noise (sgd) go below their floor, slowly. It holds up those whose noise vanishes by "
           "itself: svrg, saga, sag.",
           {.need = &OptionScene::decays, .takes = "T0", .plan = false}, kPositive),
       row("batch", &S::batch, "rows a step",
           "More rows have less noise and allow longer steps, up to a point: past it, each of them counts less. 10 is "
           "the paper's; wide sparse rows like fewer, many cores do not matter.",
           {.need = &OptionScene::batches}, {.least = 1}),
       row("inner", &S::inner, "steps between snapshots (default 20; svrg 50)",
           "Few keep the correction fresh and cost a snapshot each: for svrg a pass over all rows, so that n / batch "
           "or more is usual there; for s3gd m anchors.",
           {.need = &OptionScene::snapshots}, {.least = 0}),
       row("order", &S::order, "of the rows",
           "shuffled sees each row once a pass, which is faster in practice; weighted is what theory and the paper "
           "have, and builds the whole graph first for s3gd.",
           {.need = &OptionScene::orders}),
       row("average", &S::average_snapshot, "snapshot = mean of the inner iterates",
           "Prox-SVRG's theory has it so. With the noise of large steps it helps; otherwise it lags behind the last "
           "iterate.",
           {.need = &OptionScene::averages}),
       row("accelerated", &S::accelerated, "gd only",
           "Momentum with restarts: many times fewer passes where the problem is badly conditioned, none more "
           "elsewhere.",
           {.need = &OptionScene::accelerates}),
       row("graph-mode", &S::graph_mode, "",
           "streaming starts at once and grows the graph as rows come. full pays for all of it first, and then for "
           "nothing: for many passes, or several runs over one graph.",
           {.need = &OptionScene::graphs}),
       row("control", &S::control, "",
           "adaptive subtracts no more than past batches found of use, so that a poor graph does no harm. paper "
           "subtracts all of it, which is worse than plain SGD where anchors (scv: the classes' moments) mislead.",
           {.need = &OptionScene::learns}),
       row("propagation", &S::propagation, "",
           "With slope or linear a row also brings what it was like at a reference point: far less noise near the "
           "solution, for a second product with each row. constant is cheaper, and enough for a first glance.",
           {.need = &OptionScene::anchors}),
       row("paper", &V::paper, "the paper's setting (docs/solvers.md)",
           "For its experiments: class weights, a regularised intercept, the largest class against the rest, s3gd with "
           "a graph built at once. auto is faster and has a certificate.",
           {.identity = false, .python = false}),
       reading_row(),
       row("graph", &V::graph, "made by `s3gd graph`",
           "Saves building it again for several runs over the same rows, scaled alike. A streaming graph is there as "
           "soon, and costs one run less to make.",
           of_graph)});
}

std::vector<OptionRow> graph_rows() {
  const OptionFacts facts{.need = &OptionScene::anchors};
  return in_group(
      kGraphOptions,
      {row("anchors", &GraphOptions::anchors, "anchor rows m",
           "More of them predict slopes better and cost more: m products for each row once, m columns at each "
           "snapshot. Where rows have no neighbourhoods (wide text), none help.",
           facts, {.least = 1}),
       row("neighbours", &GraphOptions::neighbours, "anchors each row is tied to",
           "1 is a partition; a few smooth its borders. More than ten or so blur what the anchors know.", facts,
           {.least = 1}),
       row("kernel", &GraphOptions::kernel, "",
           "paper is as printed and changes with the scale of the features: far from 1 it ties a row to one anchor, or "
           "to all alike. scaled does not.",
           facts)});
}

std::vector<OptionRow> stop_rows() {
  return in_group(
      kStopOptions,
      {row("tol", &S::tol, "relative duality gap",
           "1e-4 is more than predictions can show; 1e-8 is for comparing coefficients. Exact solvers get there in a "
           "few more passes, s3gd and svrg in some more, stochastic ones with a floor never.",
           {}, {.least = 0}),
       row("iterations", &S::iterations, "at most so many steps",
           "For comparisons by steps. Steps of exact solvers read all rows, those of stochastic ones a batch: passes "
           "bound both alike.",
           {}, {.least = 1}),
       row("passes", &S::passes, "at most so many passes (default 20; s3gd 1000)",
           "A bound on work that does not depend on the machine. Exact solvers rarely need 20; stochastic ones at "
           "their floor gain little after a few. s3gd as it is by itself has no floor, and 1000.",
           {}, kPositive),
       row("seconds", &S::seconds, "at most so long",
           "A bound on time: where it ends a run, the same seed no longer gives the same bits.", {.identity = false},
           kPositive),
       row("stop-at-plateau", &S::stop_at_plateau, "end when the losses of batches no longer fall",
           "Saves passes of stochastic solvers at their floor. Losses of batches are noisy: with small ones it may end "
           "a run that was still getting better.",
           {.need = &OptionScene::plateaus}),
       row("early-stop", &V::early_stop, "end when the loss on the rows of " + opt("validate") + " no longer falls",
           "A model from before it fits noise, whatever lambda is. With a lambda that suits it is not needed, and the "
           "model is no optimum that others could find again.",
           {.need = &OptionScene::validates, .identity = false, .python = false}),
       row("patience", &S::patience, "looks at held-out rows without progress before the run ends early (default 5)",
           "More bear with a plateau on the way and cost passes; few may stop at one. Early stopping is a penalty of "
           "its own: with a lambda that suits, it is not needed.",
           {.need = &OptionScene::validates, .beside = "early-stop"}, {.least = 1})});
}

std::vector<OptionRow> state_rows() {
  const OptionFacts keeps{.need = &OptionScene::keeps, .identity = false};
  return in_group(
      kStateOptions,
      {row("seed", &S::seed, "the same seed gives the same bits",
           "Several of them show how much of a result is chance.", {}, {.least = 0}),
       row("threads", &ProblemSpec::threads, "0 = all of the machine's",
           "The result is the same for any number. Fewer leave room for others; more than the machine's are slower.",
           {.identity = false}, {.least = 0, .most = 4096}),
       row("warm-start", &S::start, "a model whose weights are where the fit begins",
           "Saves passes where the rows or lambda have changed a little. From far away it costs some; the optimum is "
           "the same.",
           {.takes = "MODEL"}),
       row("checkpoint", &S::checkpoint, "keeps the state of the run, for " + opt("resume"),
           "For runs of hours on machines that may stop. Runs with it are done in segments, and end with the bits of "
           "one another, not with those of a run without.",
           {.takes = "FILE", .identity = false}),
       row("checkpoint-every", &S::checkpoint_every, "seconds between two writes of it",
           "What may be lost at most. A write costs what the state weighs: a number for each feature, for saga and "
           "svrg one for each row.",
           keeps, {.least = 0}),
       row("resume", &S::resume, "go on from the checkpoint, if there is one",
           "To the same bits as a run that was never cut. Another problem, other rows or options are "
           "refused.",
           keeps)});
}

std::vector<OptionRow> trace_rows() {
  return in_group(kTraceOptions,
                  {row("trace-every", &S::trace_every, "iterations between rows of the trace (default: growing)",
                       "A look costs a pass, off the clock. Even distances show the end of a run well, growing ones "
                       "its start.",
                       {}, {.least = -1}),
                   row("trace-gradients", &S::trace_gradients, "also correlation and variance of the gradient",
                       "Shows why a method is fast or slow on these rows; two passes more for each look.",
                       {.need = &OptionScene::gradients})});
}

}  // namespace

std::vector<OptionRow> run_rows() {
  std::vector<OptionRow> rows = solver_rows();
  for (OptionRow& one : graph_rows()) rows.push_back(std::move(one));
  for (const auto& part : {stop_rows(), state_rows(), trace_rows()})
    for (OptionRow one : part) {
      one.plan = false;  // which has limits of its own
      rows.push_back(std::move(one));
    }
  return rows;
}

}  // namespace s3gd
