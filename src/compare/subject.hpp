// Who and what is compared: the options a contender or a plan can set, by the names they have on the command line, and a
// dataset, read and stated as a problem.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "s3gd/compare.hpp"
#include "s3gd/error.hpp"

namespace s3gd {

// A number that a plan has beside the options of problem, solvers and reading; also an option of `s3gd compare`.
struct PlanKey {
  const char* name;
  const char* help;  // null: every command has it
  std::variant<Index Plan::*, int Plan::*, std::uint64_t Plan::*, double Plan::*> member;
  int least = 0;
};
const std::vector<PlanKey>& plan_keys();

// Whether there is such an option: batch, inner, order, anchors ..
bool is_solve_option(const std::string& name);
std::vector<std::string> solve_option_names(const std::vector<std::string>& more = {});  // and behind them, those
// What is wrong with an option that a contender, or a plan, does not have: it is another's, or nobody's.
Error unknown_in(const std::string& where, const std::string& name, const std::vector<std::string>& known);
// Throws an Error for a value that is not one of its.
void set_solve_option(SolveOptions& options, const std::string& name, const std::string& value);

// Exact solvers have no step and end at a tolerance.
bool is_exact(const std::string& solver);

// A label for a variant: "s3gd (anchors=50, graph-mode=full)".
std::string label_of(const std::string& solver, const std::vector<std::string>& changes);

// Throws an Error where it has options that mean nothing to its solver.
void check_contender(const Contender& contender);

// Throws an Error unless there is such a solver.
void check_solver_name(const std::string& solver);

struct Subject {
  std::string name;
  std::string source;
  std::string stand_in;
  std::string content;  // of rows, labels and weights, test rows included: checksums
  Index classes = 0;    // 0: regression
  Problem problem;      // as it is measured, on the plan's threads
  Problem judge;        // the same, evaluated on all threads
  std::optional<Problem> test;
  Index test_left_out = 0;      // rows whose class the training rows do not have
  std::vector<StepRule> steps;  // the plan's, or the default that suits the data
  double unit_step = 0;         // 1/L(p); 0 where no step needs it
};

// Reads, holds out, scales. Throws what load() and Problem do.
Subject read_subject(const Plan& plan, const CompareData& data);

// What a dataset is called when nobody says: a known name, or the file's name without folder and extensions.
std::string name_for(const CompareData& data);

}  // namespace s3gd
