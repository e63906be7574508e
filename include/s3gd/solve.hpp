// solve(): fits the parameters of a Task and says how well it went.
//
//     Task + SolveOptions --solve--> parameters + Summary (+ Trace rows as it goes)
//
// A Problem or a SoftmaxProblem is a Task. Of one-vs-rest, auto fits smooth problems of moderate width together: every pass
// reads a row once for all classes, each of which has its own steps and its own certificate, and stops on its own. Each ends
// at the optimum of its problem to the tolerance, as if it were solved alone, but not with the same bits. Everything else
// (other penalties, wide sparse rows, solvers asked for by name, early stopping, checkpoints) is K separate fits, bit for
// bit: classes side by side, each on one thread, when there are at least as many as threads; otherwise one after the other,
// each on all threads. Either way the bits do not depend on the number of threads.
//
// Wrong options throw an Error before anything runs. A run that does not reach its tolerance is not an error: the best
// parameters are returned with the status, the certificate and advice.
#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "s3gd/advice.hpp"
#include "s3gd/graph.hpp"
#include "s3gd/task.hpp"

namespace s3gd {

// How a step draws its rows: by weight with replacement (the paper), in a fresh random order every pass, or as the
// solver does by itself (weighted; strata for ssgd; importance for is-sgd).
enum class RowOrder : std::uint8_t { solver, weighted, shuffled };

struct SolveOptions {
  // auto: a stochastic start where it pays, then the exact finisher that suits. Others: `solvers()`, of softmax
  // `softmax_solvers()`.
  std::string solver = "auto";

  double step = 0;   // 0 = 1/L(p) from the expected smoothness of a mini-batch; larger is faster until it diverges
  double decay = 0;  // T0 > 0: the step is step / (1 + iteration / T0), changed at snapshots; 0 = constant
  Index batch = 10;  // rows a step
  Index inner = 0;   // steps between snapshots; 0 = the solver's own (20; svrg 50)
  RowOrder order = RowOrder::solver;
  bool average_snapshot = false;  // snapshot = mean of the inner iterates instead of the last one
  bool accelerated = false;       // gd only

  // s3gd only. A graph that is given, and rows drawn by weight (RowOrder::weighted), make the mode full.
  GraphOptions graph;  // anchors, neighbours, kernel
  GraphMode graph_mode = GraphMode::streaming;
  ControlMode control = ControlMode::adaptive;
  Propagation propagation = Propagation::automatic;  // constant where the control is the paper's

  // The run ends at the first of these; 0 = no such limit. Without any, 20 passes (s3gd with its
  // reference, which converges: 1,000). One-vs-rest: the seconds are those of
  // all classes together and are shared out among them, other limits hold for each.
  Index iterations = 0;
  double passes = 0;
  double seconds = 0;
  double tol = 1e-4;  // relative duality gap (prox-gradient norm where there is none)
  // Stochastic solvers: also end when the losses of batches, before their steps, have stopped falling (the stage then
  // ended by "plateau"; the status is out_of_passes).
  bool stop_at_plateau = false;

  // Also end when the mean loss over SolveInput::test has not fallen for so many looks in a row (status early_stopped);
  // 0 = never. A run that did not converge then ends with the parameters that did best on those rows.
  Index patience = 0;

  std::uint64_t seed = 0;
  std::vector<double> start;  // parameters as in Solution; empty = zero

  // A file that keeps the state of the run, written about every `checkpoint_every` seconds and at an interrupt; empty =
  // none. With `resume` the run goes on from it (from the beginning where there is none yet), and ends with the same bits
  // as one that was never cut, at any number of threads. See docs/checkpoints.md.
  std::string checkpoint;
  double checkpoint_every = 30;
  bool resume = false;

  // When to look: every so many iterations; 0 = rarely, as the tolerance needs; -1 = at growing intervals, for a trace.
  Index trace_every = 0;
  bool trace_gradients = false;  // also measure correlation and variance ratio (two more passes each time)
};

struct TraceRow {
  Index iteration = 0;
  double passes = 0;
  double cpu_seconds = 0;  // clocks stand still during evaluation and include the graph
  double wall_seconds = 0;
  double train_objective = 0;
  double test_objective = 0;  // NaN without test data
  double gap = 0;             // relative, as in the certificate; NaN where it was not evaluated
  double step = 0;
  double correlation = 0;     // Pearson, estimated against exact gradient; NaN unless asked for
  double variance_ratio = 0;  // variance of the estimate over that of plain SGD with the same batch; likewise
  std::string stage;
};

enum class Status : std::uint8_t { converged, out_of_passes, out_of_time, early_stopped, interrupted, diverged };
const char* name_of(Status status);

struct Stage {
  std::string name;
  double seconds = 0;
  Index iterations = 0;
  std::string ended;  // why
};

struct Summary {
  Status status = Status::out_of_passes;
  std::string solver;
  double objective = 0;
  Certificate certificate;
  double graph_seconds = 0;
  double solve_seconds = 0;  // wall, graph and evaluation not included
  double evaluate_seconds = 0;
  double cpu_seconds = 0;  // graph and solve
  double passes = 0;
  Index iterations = 0;
  double step = 0;
  Index inner = 0;
  double moment_left = std::nan("");  // share of the second moment of SGD's estimate that S3GD's anchors leave
  double surrogate_gap = 0;           // the paper's Delta_{H,P} as seen along the run; 0 unless gradients were traced
  std::vector<Stage> stages;
  std::vector<Advice> advice;
  // One-vs-rest: one for each of Task::classes(). In the one of the whole, objective, primal and dual are sums over them,
  // relative_gap is that of the worst; passes, iterations and the seconds of the stages are sums, other seconds are what the
  // clock of the wall showed. The status is that of the class that went worst, and so are step and inner.
  std::vector<Summary> classes;
};

struct Solution {
  std::vector<double> w;  // as a Task has its parameters
  Summary summary;
  std::vector<TraceRow> trace;  // one-vs-rest: "CLASS: " stands before the stage
  std::optional<Index> rank;    // of the matrix of weights, where the penalty is the nuclear norm
};

struct SolveInput {
  const Graph* graph = nullptr;  // used instead of building one; must be of these rows
  // For test_objective and early stopping. Rows of classes the task does not know are left out. One-vs-rest: NaN for a class
  // that has no rows there, which does not stop early either.
  const Dataset* test = nullptr;
  // Called with every trace row as it is made; return false to stop (status interrupted).
  std::function<bool(const TraceRow&)> watch;
  // One-vs-rest, in place of that: called when a class has ended, one call at a time; false: classes that have not begun are
  // left out (interrupted). Classes fitted together end together.
  std::function<bool(const std::string& name, const Summary&)> watch_class;
};

// A class of one-vs-rest whose turn never came (time used up, interrupt) gets the best model without features, so that it
// does not win over those that were fitted.
Solution solve(const Task& task, const SolveOptions& options = {}, const SolveInput& input = {});

struct SolverInfo {
  std::string name;
  std::string summary;
};
std::vector<SolverInfo> solvers();
std::vector<SolverInfo> softmax_solvers();  // auto, the stochastic ones and the finishers of its own

// Variance of each estimator's mini-batch gradient at w (snapshot = w) over that of plain SGD; exact. An adaptive
// control's share is the one it settles on at w.
struct EstimatorVariance {
  std::string solver;
  double ratio = 0;
};
std::vector<EstimatorVariance> estimator_variances(const Problem& problem, const Graph& graph,
                                                   std::span<const double> w, Index batch = 10,
                                                   ControlMode mode = ControlMode::adaptive);

// The paper's setting as one switch: lambda 1e-3, p 10, k_in 20 (SVRG 50), m 100, class weights as in its Eqn. pw,
// largest class against the rest, regularised intercept, snapshot = last iterate, constant step.
void apply_paper_setting(ProblemSpec& problem, SolveOptions& options);

}  // namespace s3gd
