// Claims judged by numbers: each criterion is a rule stated in words, evaluated on the runs.
#pragma once

#include <cmath>
#include <functional>

#include "base/text.hpp"
#include "compare/results.hpp"
#include "reproduce/experiments.hpp"

namespace s3gd::reproduce {

enum class Outcome { confirmed, partly, not_confirmed, not_measured, described };
// "confirmed", "partly", "not confirmed", "not measured"; "described" is what holds no claim to judge.
const char* name_of(Outcome outcome);

struct Finding {
  std::string says;       // the claim
  std::string criterion;  // when it counts as confirmed
  std::string in_short;   // what was found, in a line
  std::string measured;   // the same with all its numbers
  Outcome outcome = Outcome::not_measured;
  std::string word = {};  // instead of the outcome's name, where there is a better one

  std::string outcome_in_words() const { return word.empty() ? name_of(outcome) : word; }
};

struct Evidence {
  Results results;
  std::vector<FoundSet> sets;            // of the paper
  std::vector<std::string> absent = {};  // sets that the claims are about and that were not run
  std::string missing = {};              // runs that are planned but not done, in words
};

// Throws an Error for a kind of criterion that does not exist.
Finding judge(const Claim& claim, const Evidence& evidence);

// Exponents of the time of an iteration in n, d, m, p and k_in: fitted to runs, and as the paper's Table 1 has them.
struct Shape {
  double n = 0, d = 0, m = 100, p = 10, k = 5, k_in = 20;
};
// Table 1's formula with every constant 1. NaN for a solver that is not in it.
double formula_cost(const std::string& solver, const Shape& shape);

struct FittedExponent {
  std::string solver, by;  // by: n, d, m, p or k_in
  double formula = 0;      // fitted to formula_cost on the grid of the runs
  double measured = 0;     // NaN where there are no runs
  std::vector<double> at, seconds;
};
// rule: {"vary": [{"by": "n", "solvers": [..], "at_most": largest n that counts}, ..]}. n and d are those of the sets; the others stand in the labels,
// as in "s3gd (m = 50)".
std::vector<FittedExponent> fit_exponents(const Json& rule, const Results& results);

// What criteria_*.cpp share.
namespace criteria {

using Strings = std::vector<std::string>;

// How many of those looked at are as claimed, and what is said of each. Sets that were not run count against the claim.
struct Tally {
  double good = 0, judged = 0, absent = 0;
  Strings said = {};

  void take(bool as_claimed, std::string words);
  double all() const { return judged + absent; }
  double share() const { return good / (judged > 0 ? all() : 0); }  // NaN where nothing was judged
  std::string of_sets() const;                                      // "on 3 of 5 sets"
};

// The rule of a criterion, and what there is to judge by.
struct Question {
  const Json& rule;
  const Results& results;
  const std::vector<FoundSet>& paper_sets;
  Strings absent;  // sets that the claim is about and that were not run

  std::string text(const char* key) const { return rule.at(key).get<std::string>(); }
  double number(const char* key) const { return rule.at(key).get<double>(); }
  Strings list(const char* key) const { return rule.value(key, Strings{}); }  // empty where there is none
  std::vector<const ResultSet*> sets() const;                                 // those of "sets", or all
  Tally tally() const;                                                        // of sets
};

struct Entry {
  const char* kind;
  Finding (*judge)(const Question& ask);
  bool counts_sets = false;  // those not run among them; other claims are then confirmed in part at best
};
const std::vector<Entry>& of_speed();
const std::vector<Entry>& of_measures();
const std::vector<Entry>& of_steps_and_curves();

Outcome grade(double value, double full, double part);  // not measured for NaN
inline Outcome grade(bool measured, bool confirmed, bool partly) {
  return grade(!measured ? std::nan("") : confirmed ? 1 : partly ? 0.5 : 0, 1, 0.5);
}
// Where it was not measured, nothing is told but the criterion: judge() says what is missing.
Finding found(std::string criterion, Outcome outcome, const std::string& in_short, const std::string& details = "");
bool lists(const Strings& list, const std::string& word);
// (anchors, value) for each label that has a number of them, ascending.
using ByAnchors = std::vector<std::pair<double, double>>;
ByAnchors by_anchors(const Results& results, const std::function<double(const std::string& label)>& value_of);
// Variance over that of SGD: mean over the last looks of a run, and over its trials.
inline constexpr std::size_t kLastLooks = 5;
double last_variance(const Results& results, const ResultSet& set, const std::string& label);
std::string brief(double number);      // three digits; "-" for NaN
std::string duration(double seconds);  // "1.23 ms"
// The number behind "NAME = " in a label; NaN where there is none.
double number_in_label(const std::string& label, const std::string& name);

}  // namespace criteria
}  // namespace s3gd::reproduce
