// Many classes by one-vs-rest: for each class k one binary problem over the same rows,
//
//     F_k(w, b) = sum_i q_i psi(w.x_i + b, y_i) + R(w, b),      y_i = +1 for the rows of class k, -1 for all others.
//
// The rows are shared by all of them, never copied; so is the graph where a solver works with a complete one.
//
// auto fits smooth problems of moderate width together: every pass reads a row once for all classes, each of which has its own
// steps and its own certificate, and stops on its own. Each ends at the optimum of its problem to the tolerance, as a call of
// solve() would, but not with the same bits. Everything else (other penalties, wide sparse rows, solvers asked for by name,
// early stopping, checkpoints) is K calls of solve(), bit for bit: classes side by side, each on one thread, when there are
// at least as many as threads; otherwise one after the other, each on all threads. Either way the bits do not depend
// on the number of threads.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "s3gd/model.hpp"
#include "s3gd/softmax.hpp"
#include "s3gd/solve.hpp"

namespace s3gd {

struct OneVsRest {
  std::vector<std::string> classes;      // as written in the data, in the order of their values
  std::vector<std::vector<double>> w;    // the parameters of each class, as solve() gives them
  std::vector<Summary> class_summaries;  // one for each class

  // Of the whole. Objective, primal and dual are sums over the classes, relative_gap is that of the worst class; passes,
  // iterations and the seconds of the stages are sums, other seconds are what the clock of the wall showed. The status is
  // that of the class that went worst, and so are step and inner.
  Summary summary;
  std::vector<TraceRow> trace;  // "CLASS: " stands before the stage
};

struct OneVsRestInput {
  const Graph* graph = nullptr;  // used instead of building one, where one is; must be of these rows
  // For test_objective, which is NaN for a class that has no rows there; such a class does not stop early either.
  const Dataset* test = nullptr;
  // Where each class begins, in their order: dim() numbers each, or none for the solver's own start. Empty: none at all.
  std::vector<std::vector<double>> starts;
  // Called when a class has ended, one call at a time; false: classes that have not begun are left out (interrupted). Classes
  // fitted together end together.
  std::function<bool(const std::string& name, const Summary&)> watch;
};

// `spec.positive` must be empty: every class is positive once. options.seconds is the time of all classes together and is
// shared out among them, other limits hold for each. A class whose turn never came (time used up, interrupt) gets the
// best model without features, so that it does not win over those that were fitted.
OneVsRest solve_one_vs_rest(const Dataset& data, const ProblemSpec& spec, const SolveOptions& options = {},
                            const OneVsRestInput& input = {});

// What Problem::formula() of the first class lacks.
inline constexpr const char* kForEachClass = " for each class, with y_i = 1 for its rows and -1 for all others";

// Models of K classes: parameters as solve_one_vs_rest() and solve_softmax() give them.
Model one_vs_rest_model(const Dataset& data, const ProblemSpec& spec, const std::vector<std::string>& classes,
                        std::span<const std::vector<double>> parameters, const Scaling& scaling,
                        const Certificate& certificate);
Model softmax_model(const SoftmaxProblem& problem, std::span<const double> w, const Scaling& scaling,
                    const Certificate& certificate);

}  // namespace s3gd
