// The table of options: every line sets its own member, says what it is, and is refused where it would do nothing.
#include <gtest/gtest.h>

#include <set>

#include "exact/finisher.hpp"
#include "s3gd/error.hpp"
#include "solve/options/table.hpp"
#include "stochastic/control.hpp"
#include "support/problems.hpp"
#include "support/softmax_sample.hpp"

namespace s3gd {
namespace {

using testing::small_data;
using testing::SmallData;

// Every member another than by itself.
OptionValues all_changed() {
  OptionValues v;
  v.load = {.format = "csv",
            .precision = Precision::float64,
            .layout = Layout::sparse,
            .index_base = IndexBase::zero,
            .index_order = IndexOrder::merge,
            .label_column = "a",
            .usual_label_column = {},
            .weight_column = "b",
            .header = true,
            .missing = Missing::mean,
            .labels_path = "c"};
  v.scale = Scale::standard;
  v.problem = {{LossKind::squared, 3, 0.5},
               {PenaltyKind::l1, 0.25, 0.125, {1, 2}, {}},
               Intercept::none,
               ClassWeight::balanced,
               "x",
               3};
  v.solve.solver = "gd";
  v.solve.step = 0.5;
  v.solve.decay = 7;
  v.solve.batch = v.solve.inner = v.solve.iterations = v.solve.patience = v.solve.trace_every = 3;
  v.solve.order = RowOrder::shuffled;
  v.solve.average_snapshot = v.solve.accelerated = v.solve.stop_at_plateau = v.solve.resume = true;
  v.solve.trace_gradients = true;
  v.solve.graph = {.anchors = 9, .neighbours = 2, .kernel = Kernel::scaled};
  v.solve.graph_mode = GraphMode::full;
  v.solve.control = ControlMode::paper;
  v.solve.propagation = Propagation::linear;
  v.solve.passes = v.solve.seconds = v.solve.checkpoint_every = 2.5;
  v.solve.tol = 0.1 + 0.2;  // all digits count
  v.solve.seed = 11;
  v.solve.start = {1};
  v.solve.checkpoint = "file";
  v.outputs = Outputs::softmax;
  v.c = v.calibrate = 0.5;
  v.sample_weight = v.validate = v.graph = "file";
  v.early_stop = v.paper = true;
  v.reading = ClassWeight::balanced;
  return v;
}

TEST(Options, EveryLineSetsAMemberOfItsOwn) {
  const OptionValues changed = all_changed();
  for (const OptionRow& row : option_table()) {
    OptionValues values;
    row.copy(values, changed);
    EXPECT_TRUE(is_changed(row, values)) << row.name;
    for (const OptionRow& other : option_table())
      EXPECT_TRUE(other.name == row.name || !is_changed(other, values)) << row.name << " sets " << other.name;
    if (!row.set) continue;
    OptionValues read;
    row.set(read, row.get(changed));
    EXPECT_EQ(row.get(read), row.get(changed)) << row.name;
  }
}

TEST(Options, EveryLineSaysWhatItIs) {
  std::set<std::string> names;
  for (const OptionRow& row : option_table()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(find_option(row.name), &row);
    EXPECT_FALSE(row.group.empty() || (row.help.empty() && row.choices.empty())) << row.name;
    EXPECT_TRUE(row.about.ends_with('.')) << row.name;
    EXPECT_FALSE(reach_of(row).empty()) << row.name;
  }
}

TEST(Options, WordsThatAreNoValuesAreRefused) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"lambda", "-1"},      {"lambda", "nan"}, {"lambda", "1x"},   {"alpha", "1.5"},   {"beta", "0"},
      {"batch", "0"},        {"batch", "1.5"},  {"passes", "0"},    {"step", "-1"},     {"step", "decay:1"},
      {"step", "decay:1,0"}, {"order", "up"},   {"loss", "log"},    {"penalty", "l1+"}, {"average", "maybe"},
      {"header", "perhaps"}, {"seed", "-1"},    {"anchors", "1e3"}, {"tol", "inf"},     {"decay", "0"}};
  for (const auto& [name, word] : mistakes) {
    OptionValues values;
    try {
      find_option(name)->set(values, word);
      ADD_FAILURE() << name << " takes " << word;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_value) << name;
      EXPECT_FALSE(is_changed(*find_option(name), values) && std::string(name) != "step") << name;
    }
  }
}

TEST(Options, AStepThatDecaysIsTwoNumbers) {
  OptionValues values;
  find_option("step")->set(values, "decay:0.5,20");
  EXPECT_EQ(values.solve.step, 0.5);
  EXPECT_EQ(values.solve.decay, 20);
}

TEST(Options, StrengthsHoldForAllTermsInWhateverOrderTheyAreSaid) {
  for (const bool first : {false, true}) {
    OptionValues values;
    if (first) find_option("lambda")->set(values, "0.5");
    find_option("penalty")->set(values, "l1+elastic-net");
    if (!first) find_option("lambda")->set(values, "0.5");
    EXPECT_EQ(values.problem.penalty.lambda, 0.5);
    EXPECT_EQ(values.problem.penalty.also.at(0).lambda, 0.5);
  }
}

Problem small_problem() {
  SmallData shape;
  shape.rows = 60;
  return Problem(small_data<double>(shape, false), {});
}

// What solve() says to one option changed; empty where it takes it.
std::string refusal(const Problem& problem, const std::string& solver, const OptionRow& row) {
  OptionValues values{.solve = all_changed().solve};
  OptionValues one;
  one.solve.solver = solver;
  one.solve.passes = 2;
  row.copy(one, values);
  try {
    solve(problem, one.solve);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::idle_option) << error.what();
    EXPECT_EQ(error.option(), row.name);
    return error.what();
  }
  return {};
}

const std::vector<std::string> kOfSolvers{"step",        "decay",      "batch",   "inner",   "order",      "average",
                                          "accelerated", "graph-mode", "control", "anchors", "neighbours", "kernel"};

TEST(Options, ExactSolversRefuseWhatTheyWouldNotLookAt) {
  const Problem problem = small_problem();
  for (const Finisher& finisher : finisher_table())
    if (finisher.suits(problem))
      for (const std::string& name : kOfSolvers) {
        const std::string said = refusal(problem, finisher.name, *find_option(name));
        EXPECT_TRUE(said.starts_with(name + " changes nothing with solver " + finisher.name)) << said;
        EXPECT_NE(said.find("leave it out, or use solver "), std::string::npos) << said;
      }
}

// The proof by running: where the table takes an option, other bits come out; where it refuses one, it is right to.
TEST(Options, WhatAppliesToASolverChangesItsPath) {
  const Problem problem = small_problem();
  for (const Estimator& estimator : estimator_table())
    for (const std::string& name : kOfSolvers) {
      SolveOptions plain;
      plain.solver = estimator.name;
      plain.iterations = 60;
      plain.tol = 0;
      plain.step = 0.1;
      plain.decay = 30;  // steps change at snapshots, so that it matters when these are
      if (estimator.needs_graph) {
        plain.graph = {.anchors = 12, .neighbours = 4};
        plain.graph_mode = name == "graph-mode" ? GraphMode::streaming : GraphMode::full;
        plain.control = name == "control" ? ControlMode::adaptive : ControlMode::paper;
      }
      OptionValues changed{.solve = plain};
      const OptionRow& row = *find_option(name);
      row.copy(changed, all_changed());
      const OptionScene scene = scene_of(problem.spec(), estimator.name, Outputs::one);
      if (scene.*row.need)
        EXPECT_NE(solve(problem, plain).w, solve(problem, changed.solve).w) << estimator.name << " " << name;
      else
        EXPECT_THROW(solve(problem, changed.solve), Error) << estimator.name << " " << name;
    }
}

TEST(Options, ThePapersControlHasNoReferenceToPropagate) {
  const Problem problem = small_problem();
  SolveOptions options;
  options.solver = "s3gd";
  options.control = ControlMode::paper;
  options.iterations = 20;
  for (const Propagation idle : {Propagation::slope, Propagation::linear}) {
    options.propagation = idle;
    EXPECT_THROW(solve(problem, options), Error);
  }
  options.propagation = Propagation::automatic;
  const std::vector<double> by_itself = solve(problem, options).w;
  options.propagation = Propagation::constant;
  EXPECT_EQ(solve(problem, options).w, by_itself);
  options.control = ControlMode::adaptive;
  const std::vector<double> constant = solve(problem, options).w;
  options.propagation = Propagation::slope;
  EXPECT_NE(solve(problem, options).w, constant);
}

TEST(Options, OptionsOfTheProblemThatWouldDoNothingAreRefused) {
  const auto said = [](const ProblemSpec& spec) -> std::string {
    try {
      check_given({.problem = spec}, scene_of(spec, "auto", Outputs::one));
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  };
  ProblemSpec spec;
  spec.loss.beta = 3;
  EXPECT_EQ(said(spec), "beta changes nothing with loss logistic (leave it out, or give loss smooth-hinge)");
  spec.loss.kind = LossKind::smooth_hinge;
  EXPECT_EQ(said(spec), "");
  spec.penalty.alpha = 0.2;
  EXPECT_EQ(said(spec), "alpha changes nothing with penalty l2 (leave it out, or give penalty elastic-net)");
  spec.penalty.also.push_back({PenaltyKind::l1_l2norm, 0.1, 0.2, {}, {}});
  EXPECT_EQ(said(spec), "");
  ProblemSpec bare;
  bare.penalty.kind = PenaltyKind::none;
  bare.penalty.lambda = 0;
  EXPECT_EQ(said(bare), "");  // that is no penalty either
  bare.penalty.lambda = 0.1;
  EXPECT_EQ(said(bare), "lambda changes nothing with penalty none (leave it out, or give penalty l2)");
}

TEST(Options, SoftmaxRefusesWhatItsSolversDoNotHave) {
  const testing::SoftmaxSample sample = testing::softmax_sample(80, 4, 3, 7);
  const SoftmaxProblem problem(sample.data(sample.table.dense<double>(), false), {});
  for (const char* name : {"accelerated", "inner", "order"}) {
    OptionValues values;
    values.solve.solver = "quasi-newton";
    find_option(name)->copy(values, all_changed());
    try {
      solve(problem, values.solve);
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_TRUE(std::string(error.what())
                      .starts_with(std::string(name) + " changes nothing with solver quasi-newton for softmax"));
    }
  }
  SolveOptions unknown;
  unknown.solver = "dual";
  EXPECT_THROW(solve(problem, unknown), Error);
}

TEST(Options, WhatDoesNotApplyIsDroppedAndNothingElse) {
  for (const Estimator& estimator : estimator_table()) {
    OptionValues values{.solve = all_changed().solve};
    values.solve.solver = estimator.name;
    const OptionScene scene = scene_of(values.problem, estimator.name, Outputs::one);
    drop_idle_options(values, scene);
    for (const std::string& name : kOfSolvers) {
      const OptionRow& row = *find_option(name);
      EXPECT_EQ(is_changed(row, values), scene.*row.need) << estimator.name << " " << name;
    }
  }
}

}  // namespace
}  // namespace s3gd
