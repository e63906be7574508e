#include "reproduce/criteria.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>

#include "s3gd/error.hpp"

namespace s3gd::reproduce {

const char* name_of(Outcome outcome) {
  constexpr std::array kNames{"confirmed", "partly", "not confirmed", "not measured", "described"};
  return kNames[static_cast<std::size_t>(outcome)];
}

namespace {

criteria::Strings absent_sets(const Claim& claim, const Evidence& evidence) {
  criteria::Strings absent;
  for (const std::string& name : criteria::strings_of(claim.criterion, "sets"))
    if (evidence.results.find(name) == nullptr) absent.push_back(name);
  return absent;
}

// A claim about sets that are not all there is confirmed in part at best.
void say_what_is_missing(const Claim& claim, const Evidence& evidence, Finding& finding) {
  const std::string absent = join(absent_sets(claim, evidence));
  if (finding.outcome != Outcome::not_measured) {
    if (absent.empty()) return;
    finding.in_short += " (not run: " + absent + ")";
    finding.measured += ". Not run: " + absent;
    if (finding.outcome == Outcome::confirmed) finding.outcome = Outcome::partly;
  } else if (finding.measured.empty()) {
    finding.in_short = absent.empty() ? "no runs to judge by" : "not run: " + absent;
    finding.measured =
        finding.in_short + (evidence.missing.empty() ? "" : ". Of the runs it needs: " + evidence.missing);
  }
}

}  // namespace

Finding judge(const Claim& claim, const Evidence& evidence) {
  const std::string kind = claim.criterion.at("kind").get<std::string>();
  for (const auto* table : {&criteria::of_speed(), &criteria::of_steps(), &criteria::of_cost(),
                            &criteria::of_gradients(), &criteria::of_curves()})
    for (const criteria::Entry& entry : *table) {
      if (kind != entry.kind) continue;
      Finding finding = entry.judge(claim.criterion, evidence);
      finding.says = claim.says;
      say_what_is_missing(claim, evidence, finding);
      return finding;
    }
  throw Error("there is no criterion '" + kind + "'", "see src/compare/criteria_*.cpp");
}

namespace criteria {

Outcome grade(double value, double full, double part) {
  if (std::isnan(value)) return Outcome::not_measured;
  return value >= full ? Outcome::confirmed : value >= part ? Outcome::partly : Outcome::not_confirmed;
}

void conclude(Finding& finding, Outcome outcome, const std::string& in_short, const std::string& details) {
  finding.outcome = outcome;
  if (outcome == Outcome::not_measured) return;
  finding.in_short = in_short;
  finding.measured = in_short + (details.empty() ? "" : ". " + details);
}

void leave_open(Finding& finding, const std::string& why) {
  finding.outcome = Outcome::not_measured;
  finding.in_short = finding.measured = why;
}

Strings strings_of(const Json& rule, const char* key) { return rule.value(key, Strings{}); }

std::string brief(double number) {
  if (std::isnan(number)) return "-";
  return std::isinf(number) ? "never" : fmt::format("{:.3g}", number);
}

std::string duration(double seconds) {
  if (!std::isfinite(seconds)) return brief(seconds);
  if (std::abs(seconds) < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  if (std::abs(seconds) < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} s", seconds);
}

SetList sets_of(const Json& rule, const Results& results) {
  SetList list;
  if (!rule.contains("sets")) {
    for (const ResultSet& set : results.sets) list.push_back(&set);
    return list;
  }
  for (const std::string& name : strings_of(rule, "sets"))
    if (const ResultSet* set = results.find(name)) list.push_back(set);
  return list;
}

double number_in_label(const std::string& label, const std::string& name) {
  const std::string key = name + " = ";
  std::size_t at = label.find(key);
  while (at != std::string::npos && at > 0 && label[at - 1] != '(' && label[at - 1] != ' ')
    at = label.find(key, at + 1);
  return at == std::string::npos ? std::nan("") : std::stod(label.substr(at + key.size()));
}

}  // namespace criteria
}  // namespace s3gd::reproduce
