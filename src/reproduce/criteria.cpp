#include "reproduce/criteria.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "s3gd/error.hpp"

namespace s3gd::reproduce {

const char* name_of(Outcome outcome) {
  constexpr std::array kNames{"confirmed", "partly", "not confirmed", "not measured", "described"};
  return kNames[static_cast<std::size_t>(outcome)];
}

namespace {

// A claim about sets that are not all there is confirmed in part at best.
void say_what_is_missing(const criteria::Question& ask, const Evidence& evidence, Finding& finding) {
  criteria::Strings names = ask.list("sets");
  std::erase_if(names, [&](const std::string& name) { return evidence.results.find(name) != nullptr; });
  const std::string absent = join(names);
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
  const criteria::Question ask{claim.criterion, evidence.results, evidence.sets};
  const std::string kind = ask.text("kind");
  for (const auto& table :
       {criteria::of_speed, criteria::of_steps, criteria::of_cost, criteria::of_gradients, criteria::of_curves})
    for (const criteria::Entry& entry : table()) {
      if (kind != entry.kind) continue;
      Finding finding = entry.judge(ask);
      finding.says = claim.says;
      say_what_is_missing(ask, evidence, finding);
      return finding;
    }
  throw Error("there is no criterion '" + kind + "'", "see src/reproduce/criteria_*.cpp");
}

namespace criteria {

std::vector<const ResultSet*> Question::sets() const {
  std::vector<const ResultSet*> sets;
  if (!rule.contains("sets"))
    for (const ResultSet& set : results.sets) sets.push_back(&set);
  for (const std::string& name : list("sets"))
    if (const ResultSet* set = results.find(name)) sets.push_back(set);
  return sets;
}

void Tally::take(bool as_claimed, std::string words) {
  judged += 1;
  good += as_claimed ? 1 : 0;
  said.push_back(std::move(words));
}

std::string Tally::of_sets() const { return fmt::format("on {:g} of {:g} sets", good, judged); }

Outcome grade(double value, double full, double part) {
  if (std::isnan(value)) return Outcome::not_measured;
  return value >= full ? Outcome::confirmed : value >= part ? Outcome::partly : Outcome::not_confirmed;
}

Finding found(std::string criterion, Outcome outcome, const std::string& in_short, const std::string& details) {
  Finding finding{.says = {}, .criterion = std::move(criterion), .in_short = {}, .measured = {}, .outcome = outcome};
  if (outcome == Outcome::not_measured) return finding;
  finding.in_short = in_short;
  finding.measured = in_short + (details.empty() ? "" : ". " + details);
  return finding;
}

Finding left_open(std::string criterion, const std::string& why) {
  return {.says = {}, .criterion = std::move(criterion), .in_short = why, .measured = why};
}

bool lists(const Strings& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

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

double number_in_label(const std::string& label, const std::string& name) {
  const std::string key = name + " = ";
  std::size_t at = label.find(key);
  while (at != std::string::npos && at > 0 && label[at - 1] != '(' && label[at - 1] != ' ')
    at = label.find(key, at + 1);
  return at == std::string::npos ? std::nan("") : std::stod(label.substr(at + key.size()));
}

}  // namespace criteria
}  // namespace s3gd::reproduce
