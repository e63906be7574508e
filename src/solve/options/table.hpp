// The one table of the options that state a problem and a run: what each is called, the member it sets, what it takes, to
// what it applies, and when it helps or harms. The program's flags and help, Python's checks, plan files, the checks of
// solve(), the identity of a run and the tables of docs/cli.md come from it.
//
// To add an option: a member in SolveOptions, ProblemSpec or LoadOptions, and one row in *_rows.cpp. Parameters of losses come from
// their traits.
#pragma once

#include <charconv>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "s3gd/scale.hpp"
#include "s3gd/softmax.hpp"
#include "s3gd/solve.hpp"

namespace s3gd {

// What the options set.
struct OptionValues {
  LoadOptions load = {};
  Scale scale = Scale::none;
  ProblemSpec problem = {};
  SolveOptions solve = {};

  // What becomes known with the rows: as it was given.
  Outputs outputs = Outputs::automatic;
  double c = 0;          // LIBLINEAR's, instead of lambda; 0: lambda counts
  double calibrate = 0;  // the share of the rows that probabilities are fitted on
  std::string sample_weight = {}, validate = {}, graph = {};
  bool early_stop = false, paper = false;
  ClassWeight reading = ClassWeight::paper;  // the class weights of the paper's setting, as its sampling is read
};

// What an option may need in order to have an effect.
struct OptionScene {
  Outputs outputs = Outputs::one;
  std::string solver = {}, loss = {}, penalty = {};  // their names

  bool penalised = false, mixes = false, weighs = false;      // the penalty: any, two norms, by feature ..
  bool liblinear = false;                                     // .. one that LIBLINEAR has
  bool calibrates = false;                                    // margins of classes, without probabilities of their own
  bool steps = false, decays = false, batches = false;        // the solver takes steps, draws batches ..
  bool snapshots = false, averages = false, orders = false;   // .. looks back now and then, in an order of its own
  bool anchors = false, graphs = false, accelerates = false;  // .. has anchors, a graph built at once ..
  bool learns = false;                                        // .. how much of its controls to subtract
  bool gradients = false, plateaus = false;                   // .. and what can be watched
  bool validates = false, keeps = false;                      // there are rows to judge by, a checkpoint
};
using OptionNeed = bool OptionScene::*;

// What a number may be.
struct Range {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool open = false;  // larger than the least, not equal
  bool whole = false;

  bool holds(double value) const;
  std::string text() const;  // "a whole number from 1 up"
};
[[noreturn]] void refuse_value(const std::string& name, const std::string& text, const std::string& expected);
// An Index, std::uint64_t, int or double. Throws the Error that it is none of the range; `expected`: in other words.
template <class T>
T parse_number(const std::string& name, std::string_view text, const Range& range, const std::string& expected = {}) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !range.holds(static_cast<double>(value)))
    refuse_value(name, std::string(text), expected.empty() ? range.text() : expected);
  return value;
}

struct OptionFacts {
  OptionNeed need = nullptr;        // without which it has no effect; null: it always has one
  std::string takes = {};           // the name of its value; empty: a flag
  std::string of_loss = {};         // the one loss that has it as its parameter
  std::string harmless = {};        // a value that says nothing else without it either
  std::string excludes = {};        // the option it stands in place of
  std::string beside = {};          // the flag that people have to give as well
  bool identity = true;             // whether a run goes another way with another value
  bool python = true, plan = true;  // whether Python's core and plan files know it, too, or have something in its place
};

struct OptionRow : OptionFacts {
  std::string name = {};     // "graph-mode": so in plans and, after two dashes, in the program; graph_mode in Python
  std::string group = {};    // of the help
  std::string help = {};     // one line
  std::string about = {};    // when it helps, and when it harms
  std::string expects = {};  // what its value must be, in words
  std::vector<std::string> choices = {};                                 // or one of these
  Range range = {};                                                      // of a number
  std::function<std::string(const OptionValues&)> get = {};              // as `set` takes it
  std::function<void(OptionValues&, const std::string& text)> set = {};  // throws an Error; null: a file says it
  std::function<void(OptionValues& to, const OptionValues& from)> copy = {};
};

OptionValues values_of(const ProblemSpec& problem, const SolveOptions& options);

const std::vector<OptionRow>& option_table();
const OptionRow* find_option(const std::string& name);  // null: there is none
inline constexpr const char* kDataOptions = "Data";
inline constexpr const char* kReadingOptions = "Reading";
inline constexpr const char* kProblemOptions = "Problem";
inline constexpr const char* kSolverOptions = "Solver";
inline constexpr const char* kGraphOptions = "Graph (s3gd)";
inline constexpr const char* kForAllSolvers = "For all solvers";  // of a comparison
inline constexpr const char* kStopOptions = "Stop";
inline constexpr const char* kStateOptions = "State";
inline constexpr const char* kTraceOptions = "Trace";

// Whether it has any in this scene.
bool has_effect(const OptionRow& row, const OptionScene& scene);
// Whether the value is another than what it is by itself.
bool is_changed(const OptionRow& row, const OptionValues& values);

// The problem, and what a solver has for that many outputs; all is false for one that is not known.
OptionScene scene_of(const ProblemSpec& spec, const std::string& solver, Outputs outputs);
OptionScene scene_of(const SoftmaxSpec& spec, const std::string& solver);
OptionScene scene_of(const TaskSpec& spec, const std::string& solver);  // automatic: as one output
// Names of the solvers for which the need is met.
std::vector<std::string> solvers_with(OptionNeed need, Outputs outputs);
// To what an option applies, in words: "all", "loss smooth-hinge", "auto, s3gd, sgd".
std::string reach_of(const OptionRow& row);
// The option without which it has no effect, or whose value decides that; empty: the solver does, or nothing.
std::string decided_by(const OptionRow& row);

// Throws one Error where the solver is not known, a value is not one of its option's, or an option that was changed has no
// effect in this scene. Numbers of losses and penalties that a kind does not have are for check_given(): code goes through
// kinds with the same numbers.
void check_options(const OptionValues& values, const OptionScene& scene);
// The same of options as people give them, whatever the solver is.
void check_given(const OptionValues& values, const OptionScene& scene);
// Options that have no effect in this scene, back to what they are by themselves.
void drop_idle_options(OptionValues& values, const OptionScene& scene);

}  // namespace s3gd
