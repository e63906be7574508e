// Task: what is to be fitted, stated once: rows, and one problem over them or one for each class.
//
//   one           one Problem: two classes, one class against all others, or regression
//   one_vs_rest   for each class k one Problem over the same rows, y_i = +1 for those of class k and -1 for all others
//   softmax       one SoftmaxProblem: all classes together
//
// Parameters of a task are outputs() vectors one after the other, each of dim() numbers: the weights, then (unless
// Intercept::none) the intercept.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "s3gd/model.hpp"
#include "s3gd/softmax.hpp"

namespace s3gd {

// automatic: one for two classes, for one class against all others (ProblemSpec::positive) and for regression. More classes
// are softmax, as users of other libraries expect, where the loss is logistic and softmax has penalty, class weights and
// solver; one_vs_rest otherwise.
enum class Outputs : std::uint8_t { automatic, one, one_vs_rest, softmax };

struct TaskSpec {
  ProblemSpec problem;
  Outputs outputs = Outputs::automatic;
  // group_lasso or nuclear, in place of the kind of problem.penalty: of all classes together, hence softmax.
  std::optional<MatrixPenaltyKind> matrix_penalty;
};

// Every class against the rest. Immutable; cheap to copy; shares the rows.
class OneVsRestProblem {
 public:
  // `spec.positive` must be empty: every class is positive once.
  OneVsRestProblem(Dataset data, const ProblemSpec& spec);

  const Dataset& data() const { return state_->data; }
  const ProblemSpec& spec() const { return state_->spec; }
  const std::vector<std::string>& classes() const { return state_->classes; }  // as written, by their values
  Problem of(Index k) const { return on(k, data()); }                          // of class k: made anew, a target a row
  Problem on(Index k, const Dataset& rows) const;                              // the same over other rows
  OneVsRestProblem with_penalty(const PenaltySpec& penalty) const;

 private:
  struct State {
    Dataset data;
    ProblemSpec spec;
    std::vector<std::string> classes;
  };
  std::shared_ptr<const State> state_;
};

// Rows that a fit is judged by.
struct JudgedRows {
  Dataset rows;
  Index left_out = 0;  // rows of classes that were not trained on
};

// Immutable; cheap to copy; shares the rows.
class Task {
 public:
  using Stated = std::variant<Problem, OneVsRestProblem, SoftmaxProblem>;

  Task(const Problem& problem) : stated_(problem) {}           // NOLINT: a problem is a task
  Task(const OneVsRestProblem& problem) : stated_(problem) {}  // NOLINT
  Task(const SoftmaxProblem& problem) : stated_(problem) {}    // NOLINT
  // As `spec` asks. `solver` is the one that will be asked for: it has a say in what Outputs::automatic is.
  Task(const Dataset& data, const TaskSpec& spec, const std::string& solver = "auto");

  Outputs kind() const;  // never automatic
  const Dataset& data() const;
  int threads() const;
  std::vector<std::string> classes() const;  // as a Model has them; empty: regression
  Index outputs() const;                     // 1, or one for each class
  bool has_intercept() const;
  Index dim() const { return data().cols() + (has_intercept() ? 1 : 0); }  // of one output
  std::string formula() const;
  Model model(std::span<const double> w, const Scaling& scaling = {}, const Certificate& certificate = {}) const;
  // The same rows and the same problem at another lambda; further terms of a penalty keep their ratios to the first.
  Task with_lambda(double lambda) const;
  // Of other rows, those whose class it knows: every row, for regression and for one class against all others. Throws where
  // there is none. They may lack some of its classes.
  JudgedRows judged(Dataset rows) const;
  // The mean loss over such rows, without the penalty; one_vs_rest: summed over the classes.
  double mean_loss(const Dataset& rows, std::span<const double> w) const;

  const Stated& stated() const { return stated_; }

 private:
  Stated stated_;
};

Problem with_lambda(const Problem& problem, double lambda);
OneVsRestProblem with_lambda(const OneVsRestProblem& problem, double lambda);
SoftmaxProblem with_lambda(const SoftmaxProblem& problem, double lambda);

}  // namespace s3gd
