#include "multiclass_options.hpp"

#include <algorithm>

#include "s3gd/error.hpp"

namespace s3gd::app {
namespace {

bool is_matrix_penalty(const std::string& name) {
  return name == "group" || name == "group-lasso" || name == "nuclear";
}

// What the options ask for together. --loss softmax and penalties of the whole matrix of weights mean softmax.
Outputs asked_outputs(const MulticlassOptions& options, const ProblemOptions& problem) {
  const bool matrix = is_matrix_penalty(problem.penalty);
  if (!options.softmax_loss && !matrix && options.multiclass != "softmax")
    return options.multiclass == "ovr" ? Outputs::one_vs_rest : Outputs::automatic;
  const std::string what = matrix ? "--penalty " + problem.penalty : "softmax";
  if (options.multiclass == "ovr") throw UsageError(what + " fits all classes together: leave out --multiclass ovr");
  if (!problem.spec.positive.empty()) throw UsageError(what + " fits all classes together: leave out --binary");
  if (matrix && problem.c) throw UsageError("--C goes with --penalty l2 or l1; give --lambda");
  if (problem.spec.loss.kind != LossKind::logistic)
    throw UsageError(what + " has the softmax loss: leave out --loss, or " +
                     (matrix ? "take --penalty l2, l1 or elastic-net" : "use --multiclass ovr"));
  return Outputs::softmax;
}

}  // namespace

std::vector<SolverInfo> softmax_only_solvers() {
  const std::vector<SolverInfo> usual = solvers();
  std::vector<SolverInfo> list;
  for (const SolverInfo& solver : softmax_solvers())
    if (std::none_of(usual.begin(), usual.end(), [&](const SolverInfo& one) { return one.name == solver.name; }))
      list.push_back(solver);
  return list;
}

void MulticlassOptions::add(Arguments& app) {
  Option* loss = app.get_option("--loss");
  loss->description(loss->get_description() + ", softmax");
  loss->transform([this](std::string& word) {
    softmax_loss = word == "softmax";
    if (softmax_loss) word = "logistic";
  });
  Option* penalty = app.get_option("--penalty");
  penalty->description(penalty->get_description() + "; all classes together: group, nuclear");
  add_word(app, "--multiclass", multiclass, {"ovr", "softmax"},
           "more than two classes (default: softmax for logistic and auto, else ovr)")
      ->excludes("--binary")
      ->group("Problem");
}

TaskSpec task_spec(const MulticlassOptions& options, ProblemOptions problem, const Dataset& data,
                   const Common& common) {
  TaskSpec spec;
  spec.outputs = asked_outputs(options, problem);
  if (is_matrix_penalty(problem.penalty)) {
    spec.matrix_penalty = problem.penalty == "nuclear" ? MatrixPenaltyKind::nuclear : MatrixPenaltyKind::group_lasso;
    problem.penalty = "l2";  // lambda and factors are read as l2's
  }
  spec.problem = problem_spec(problem, data, common);
  return spec;
}

}  // namespace s3gd::app
