// Options of when a run stops, what it keeps and what it tells.
#include "base/checksum.hpp"
#include "solve/options/make_row.hpp"

namespace s3gd {
namespace {

std::vector<OptionRow> in_group(const char* group, std::vector<OptionRow> rows) {
  for (OptionRow& row : rows) row.group = group;
  return rows;
}

std::vector<OptionRow> stop_rows() {
  const Range positive{.least = 0, .open = true};
  return in_group(
      kStopOptions,
      {number_row<double>(
           {.name = "tol",
            .help = "relative duality gap",
            .about = "1e-4 is more than predictions can show; 1e-8 is for comparing coefficients. Exact solvers get "
                     "there in a few more passes, stochastic ones with constant steps never."},
           [](V& v) -> double& { return v.solve.tol; }, {.least = 0}),
       number_row<Index>(
           {.name = "iterations",
            .help = "at most so many steps",
            .about =
                "For comparisons by steps. Steps of exact solvers read all rows, those of stochastic ones a batch: "
                "passes bound both alike."},
           [](V& v) -> Index& { return v.solve.iterations; }, {.least = 1}),
       number_row<double>(
           {.name = "passes",
            .help = "at most so many passes (default 20)",
            .about =
                "A bound on work that does not depend on the machine. Exact solvers rarely need 20; stochastic ones "
                "gain little after a few."},
           [](V& v) -> double& { return v.solve.passes; }, positive),
       number_row<double>(
           {.name = "seconds",
            .help = "at most so long",
            .about = "A bound on time: where it ends a run, the same seed no longer gives the same bits.",
            .identity = false},
           [](V& v) -> double& { return v.solve.seconds; }, positive),
       flag_row({.name = "stop-at-plateau",
                 .help = "end when the losses of batches no longer fall",
                 .about = "Saves passes of stochastic solvers at their floor. Losses of batches are noisy: with small "
                          "ones it may end a "
                          "run that was still getting better.",
                 .need = &OptionScene::plateaus},
                [](V& v) -> bool& { return v.solve.stop_at_plateau; }),
       number_row<Index>({.name = "patience",
                          .help = "looks at held-out rows without progress before the run ends early",
                          .about = "More bear with a plateau on the way and cost passes; few may stop at one. Early "
                                   "stopping is a penalty of "
                                   "its own: with a lambda that suits, it is not needed.",
                          .need = &OptionScene::validates},
                         [](V& v) -> Index& { return v.solve.patience; }, {.least = 1})});
}

OptionRow start_row() {
  OptionRow row{.name = "warm-start",
                .takes = "MODEL",
                .help = "a model whose weights are where the fit begins",
                .about =
                    "Saves passes where the rows or lambda have changed a little. From far away it costs some; the "
                    "optimum is the "
                    "same."};
  hold<std::vector<double>>(row, [](V& v) -> std::vector<double>& { return v.solve.start; });
  row.get = [](const V& v) {
    return v.solve.start.empty() ? "" : fmt::format("{:016x}", checksum(std::as_bytes(std::span(v.solve.start))));
  };
  return row;
}

std::vector<OptionRow> state_rows() {
  std::vector<OptionRow> rows = in_group(
      kStateOptions,
      {text_row({.name = "checkpoint",
                 .takes = "FILE",
                 .help = "keeps the state of the run, for " + opt("resume"),
                 .about = "For runs of hours on machines that may stop. Runs with it are done in segments, and end "
                          "with the bits of one "
                          "another, not with those of a run without."},
                [](V& v) -> std::string& { return v.solve.checkpoint; }),
       number_row<double>(
           {.name = "checkpoint-every",
            .help = "seconds between two writes of it",
            .about =
                "What may be lost at most. A write costs what the state weighs: a number for each feature, for saga "
                "and svrg one for each row.",
            .need = &OptionScene::keeps},
           [](V& v) -> double& { return v.solve.checkpoint_every; }, {.least = 0}),
       flag_row(
           {.name = "resume",
            .help = "go on from the checkpoint, if there is one",
            .about =
                "To the same bits as a run that was never cut. Another problem, other rows or options are refused.",
            .need = &OptionScene::keeps},
           [](V& v) -> bool& { return v.solve.resume; })});
  for (OptionRow& row : rows) row.identity = false;
  return rows;
}

std::vector<OptionRow> trace_rows() {
  return in_group(
      kTraceOptions,
      {number_row<Index>({.name = "trace-every",
                          .help = "iterations between rows of the trace (default: growing)",
                          .about = "A look costs a pass, off the clock. Even distances show the end of a run well, "
                                   "growing ones its start."},
                         [](V& v) -> Index& { return v.solve.trace_every; }, {.least = -1}),
       flag_row({.name = "trace-gradients",
                 .help = "also correlation and variance of the gradient",
                 .about = "Shows why a method is fast or slow on these rows; two passes more for each look.",
                 .need = &OptionScene::gradients},
                [](V& v) -> bool& { return v.solve.trace_gradients; })});
}

}  // namespace

std::vector<OptionRow> run_rows() {
  std::vector<OptionRow> rows = stop_rows();
  OptionRow seed = number_row<std::uint64_t>({.name = "seed",
                                              .group = kStateOptions,
                                              .help = "the same seed gives the same bits",
                                              .about = "Several of them show how much of a result is chance."},
                                             [](V& v) -> std::uint64_t& { return v.solve.seed; }, {.least = 0});
  rows.push_back(std::move(seed));
  rows.push_back(start_row());
  rows.back().group = kStateOptions;
  for (auto more : {state_rows(), trace_rows()}) rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

}  // namespace s3gd
