#include "multiclass_options.hpp"

#include <algorithm>

#include "model/targets.hpp"
#include "s3gd/error.hpp"

namespace s3gd::app {
namespace {

bool softmax_has(const ProblemSpec& spec) {
  return spec.penalty.kind != PenaltyKind::l1_l2norm && spec.penalty.also.empty() &&
         spec.class_weight != ClassWeight::paper;
}

void check_softmax_solver(const std::string& solver) {
  std::string names;
  for (const SolverInfo& one : softmax_solvers()) {
    if (one.name == solver) return;
    names += (names.empty() ? "" : ", ") + one.name;
  }
  throw UsageError("softmax has no solver '" + solver + "': use one of " + names +
                   ", or --multiclass ovr, which has all others");
}

}  // namespace

bool is_matrix_penalty(const std::string& name) {
  return name == "group" || name == "group-lasso" || name == "nuclear";
}

std::vector<SolverInfo> softmax_only_solvers() {
  const std::vector<SolverInfo> usual = solvers();
  std::vector<SolverInfo> list;
  for (const SolverInfo& solver : softmax_solvers())
    if (std::none_of(usual.begin(), usual.end(), [&](const SolverInfo& one) { return one.name == solver.name; }))
      list.push_back(solver);
  return list;
}

std::vector<std::string> solver_names() {
  std::vector<std::string> names;
  for (const SolverInfo& solver : solvers()) names.push_back(solver.name);
  for (const SolverInfo& solver : softmax_only_solvers()) names.push_back(solver.name);
  return names;
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

std::string asked_multiclass(const MulticlassOptions& options, const ProblemOptions& problem) {
  const bool matrix = is_matrix_penalty(problem.penalty);
  if (!options.softmax_loss && !matrix && options.multiclass != "softmax") return options.multiclass;
  const std::string what = matrix ? "--penalty " + problem.penalty : "softmax";
  if (options.multiclass == "ovr") throw UsageError(what + " fits all classes together: leave out --multiclass ovr");
  if (!problem.spec.positive.empty()) throw UsageError(what + " fits all classes together: leave out --binary");
  if (matrix && problem.c) throw UsageError("--C goes with --penalty l2 or l1; give --lambda");
  if (problem.spec.loss.kind != LossKind::logistic)
    throw UsageError(what + " has the softmax loss: leave out --loss, or " +
                     (matrix ? "take --penalty l2, l1 or elastic-net" : "use --multiclass ovr"));
  return "softmax";
}

std::string multiclass_kind(const std::string& asked, const ProblemSpec& spec, const std::string& solver,
                            const Dataset& data) {
  if (!spec.positive.empty()) return {};
  const bool regression = spec.loss.kind == LossKind::squared && data.y.class_names.empty();
  if (asked.empty() && (regression || data.y.kind != LabelKind::classes)) return {};
  if (asked == "softmax") {
    check_softmax_solver(solver);
    return asked;
  }
  if (classes_of(data, spec.loss.kind).size() == 2) return {};
  if (asked == "ovr") return asked;
  const std::vector<SolverInfo> own = softmax_only_solvers();
  const bool suits = solver == "auto" ||
                     std::any_of(own.begin(), own.end(), [&](const SolverInfo& one) { return one.name == solver; });
  return spec.loss.kind == LossKind::logistic && suits && softmax_has(spec) ? "softmax" : "ovr";
}

SoftmaxSpec softmax_spec(const ProblemSpec& stated, const std::string& penalty) {
  SoftmaxSpec spec;
  if (is_matrix_penalty(penalty)) {
    spec.penalty.kind = penalty == "nuclear" ? MatrixPenaltyKind::nuclear : MatrixPenaltyKind::group_lasso;
    spec.penalty.lambda = stated.penalty.lambda;
    spec.penalty.factors = stated.penalty.factors;
  } else {
    try {
      spec.penalty = matrix_penalty(stated.penalty);
    } catch (const Error& error) {
      throw UsageError(error.what());
    }
  }
  spec.intercept = stated.intercept;
  spec.class_weight = stated.class_weight;
  spec.threads = stated.threads;
  return spec;
}

}  // namespace s3gd::app
