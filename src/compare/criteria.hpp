// Claims judged by numbers: each criterion is a rule stated in words, evaluated on the runs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "compare/experiments.hpp"
#include "compare/paper_sets.hpp"
#include "compare/results.hpp"

namespace s3gd::reproduce {

enum class Outcome { confirmed, partly, not_confirmed, not_measured };
const char* name_of(Outcome outcome);  // "confirmed", "partly", "not confirmed", "not measured"

struct Finding {
  std::string says;       // the claim
  std::string criterion;  // when it counts as confirmed
  std::string measured;   // what was found, with numbers
  Outcome outcome = Outcome::not_measured;
};

struct Evidence {
  Results results;
  std::vector<FoundSet> sets;  // of the paper
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
const std::vector<Entry>& of_cost();
const std::vector<Entry>& of_gradients();
const std::vector<Entry>& of_curves();

using Strings = std::vector<std::string>;
Outcome grade(double value, double full, double part);  // not measured for NaN
Strings strings_of(const Json& rule, const char* key);  // a list of words; empty where there is none
std::string join(const Strings& words, const char* between = ", ");
std::string brief(double number);      // three digits; "-" for NaN
std::string duration(double seconds);  // "1.23 ms"
// "IJCNN" of a set, "WebSpam (stand-in)" where it is not the paper's.
using SetList = std::vector<const ResultSet*>;
SetList sets_of(const Json& rule, const Results& results);  // those of "sets", or all
// The number behind "NAME = " in a label; NaN where there is none.
double number_in_label(const std::string& label, const std::string& name);

}  // namespace criteria
}  // namespace s3gd::reproduce
