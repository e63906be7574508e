// Claims judged by numbers: each criterion is a rule stated in words, evaluated on the runs.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/text.hpp"
#include "compare/results.hpp"
#include "reproduce/experiments.hpp"
#include "reproduce/paper_sets.hpp"

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
  std::vector<FoundSet> sets;  // of the paper
  std::string missing = {};    // runs that are planned but not done, in words
};

// Throws an Error for a kind of criterion that does not exist.
Finding judge(const Claim& claim, const Evidence& evidence);

// What criteria_*.cpp share.
namespace criteria {

using Criterion = Finding (*)(const Json& rule, const Evidence& evidence);
struct Entry {
  const char* kind;
  Criterion judge;
};
const std::vector<Entry>& of_speed();
const std::vector<Entry>& of_steps();
const std::vector<Entry>& of_cost();
const std::vector<Entry>& of_gradients();
const std::vector<Entry>& of_curves();

using Strings = std::vector<std::string>;
Outcome grade(double value, double full, double part);  // not measured for NaN
// Where it was not measured, nothing is told: judge() says what is missing.
void conclude(Finding& finding, Outcome outcome, const std::string& in_short, const std::string& details);
// There are runs, but they say nothing: why.
void leave_open(Finding& finding, const std::string& why);
Strings strings_of(const Json& rule, const char* key);  // a list of words; empty where there is none
std::string brief(double number);                       // three digits; "-" for NaN
std::string duration(double seconds);                   // "1.23 ms"
// "IJCNN" of a set, "WebSpam (stand-in)" where it is not the paper's.
using SetList = std::vector<const ResultSet*>;
SetList sets_of(const Json& rule, const Results& results);  // those of "sets", or all
// The number behind "NAME = " in a label; NaN where there is none.
double number_in_label(const std::string& label, const std::string& name);

}  // namespace criteria
}  // namespace s3gd::reproduce
