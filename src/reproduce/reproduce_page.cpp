#include "reproduce/reproduce.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>

namespace s3gd::reproduce {
namespace {

using report::Cell;

constexpr std::array kOutcomes{Outcome::confirmed, Outcome::partly, Outcome::not_confirmed, Outcome::not_measured,
                               Outcome::described};
using Counts = std::array<int, kOutcomes.size()>;

Cell outcome_cell(const Finding& finding) {
  const Outcome outcome = finding.outcome;
  const Cell::Look look = outcome == Outcome::confirmed       ? Cell::Look::best
                          : outcome == Outcome::not_confirmed ? Cell::Look::poor
                          : outcome == Outcome::not_measured  ? Cell::Look::faint
                                                              : Cell::Look::plain;
  return {finding.outcome_in_words(), look};
}

// How many claims of a side (of the paper, of its other reading, beyond it) ended in each way.
Counts tally(const Reproduction& done, const std::string& side) {
  Counts counts{};
  for (const FigureResult& figure : done.figures)
    for (const Finding& finding : figure.findings)
      if (figure.experiment->side() == side) ++counts[static_cast<std::size_t>(finding.outcome)];
  return counts;
}

// What is confirmed, of how many, and what became of the others; nothing where there are none.
std::vector<std::pair<std::string, std::string>> counts_in_words(const Counts& counts, const std::string& confirmed) {
  int all = 0;
  for (const Outcome outcome : kOutcomes)
    if (outcome != Outcome::described) all += counts[static_cast<std::size_t>(outcome)];
  if (all == 0) return {};
  std::vector<std::pair<std::string, std::string>> list{
      {confirmed, fmt::format("{} of {}", counts[static_cast<std::size_t>(Outcome::confirmed)], all)}};
  for (const Outcome outcome : {Outcome::partly, Outcome::not_confirmed, Outcome::not_measured})
    if (const int count = counts[static_cast<std::size_t>(outcome)]; count > 0)
      list.emplace_back(name_of(outcome), std::to_string(count));
  return list;
}

std::string stand_ins(const Reproduction& done) {
  std::vector<std::string> names;
  for (const FoundSet& set : done.sets)
    if (!set.data.stand_in.empty()) names.push_back(set.data.name);
  return names.empty() ? "none" : join(names);
}

report::Table summary_table(const Reproduction& done) {
  report::Table table{.title = "Claims",
                      .columns = {{"figure", true}, {"what the paper says", true}, {"found", true}, {"in short", true}},
                      .grouped = true};
  for (const FigureResult& figure : done.figures)
    for (const Finding& finding : figure.findings)
      table.rows.push_back({Cell(figure.experiment->name, Cell::Look::plain, figure.experiment->paper), finding.says,
                            outcome_cell(finding), finding.in_short});
  return table;
}

report::Table findings_table(const FigureResult& figure) {
  report::Table table{
      .columns = {{"claim", true}, {"found", true}, {"measured", true}, {"counts as confirmed when", true}}};
  for (const Finding& finding : figure.findings)
    table.rows.push_back({finding.says, outcome_cell(finding), finding.measured, finding.criterion});
  return table;
}

report::Facts machine_facts(const Json& machine) {
  report::Facts facts{.title = "Machine"};
  for (const auto& [key, value] : machine.items())
    if (key == "memory_bytes" && value.is_number())
      facts.list.emplace_back("memory", fmt::format("{:.3g} GB", value.get<double>() / 1e9));
    else
      facts.list.emplace_back(report::spaced(key), value.is_string() ? value.get<std::string>() : value.dump());
  return facts;
}

std::string course_in_words(const Reproduction& done) {
  if (done.status == Status::converged) return {};
  if (done.status == Status::early_stopped) return "\n\nMade from the runs that were there: not all are done.";
  return fmt::format("\n\n{}: not all runs are done. The same command goes on where this one stopped.",
                     done.status == Status::interrupted ? "Interrupted" : "The time given was up");
}

// " 120 of 180 runs are done: 5 of 5 trials on IJCNN; not run: MED11. .."
std::string lacking_in_words(const FigureResult& figure) {
  const Coverage& coverage = figure.coverage;
  if (coverage.complete()) return {};
  return fmt::format(" {} of {} runs are done: {}. Sets that not every method was run on at every step are left out.",
                     coverage.runs(), coverage.planned(), coverage.words());
}

}  // namespace

report::Document document_of(const Reproduction& done, const std::vector<Evidence>& evidence, const Json& machine) {
  report::Document document{
      .title = "The paper, repeated",
      .subtitle =
          "Mu, Liu and Fan: Stochastic Gradient Made Stable (S3GD). What it says beside what was measured here."};
  report::Facts headline{.list = counts_in_words(tally(done, "paper"), "claims of the paper confirmed"),
                         .headline = true};
  for (const auto& [side, words] :
       {std::pair("the other reading", "confirmed with rows averaged"), {"beyond", "questions beyond it: yes"}})
    if (const auto counts = counts_in_words(tally(done, side), words); !counts.empty())
      headline.list.push_back(counts.front());
  document.parts.emplace_back(headline);
  document.parts.emplace_back(report::Text{
      "Summary",
      "Every outcome is computed by the program from the runs, by the criterion beside it. Times are processor seconds "
      "of one thread; clocks stand still while objectives are evaluated.\n\nSets that are not the paper's: " +
          stand_ins(done) + "." + course_in_words(done)});
  document.parts.emplace_back(summary_table(done));
  for (std::size_t k = 0; k < done.figures.size(); ++k) {
    const FigureResult& figure = done.figures[k];
    document.parts.emplace_back(report::Text{
        figure.experiment->title,
        fmt::format("{} ({}).{}", figure.experiment->paper, figure.experiment->name, lacking_in_words(figure))});
    document.parts.emplace_back(findings_table(figure));
    for (auto& part : parts_of(*figure.experiment, evidence[k])) document.parts.push_back(std::move(part));
  }
  std::string left_out;
  for (const std::string& line : done.left_out) left_out += line + ".\n\n";
  document.parts.emplace_back(
      report::Text{"What was left out", left_out.empty() ? "Nothing: the paper's trials and iterations." : left_out});
  document.parts.emplace_back(machine_facts(machine));
  return document;
}

Json results_json(const Reproduction& done, const std::vector<Evidence>& evidence, const Json& machine,
                  const Settings& settings, const std::vector<std::string>& command) {
  Json json{{"s3gd_reproduction", 1},  {"version", S3GD_VERSION},    {"created", utc_now()},
            {"command", command},      {"quick", settings.quick},    {"status", s3gd::name_of(done.status)},
            {"seconds", done.seconds}, {"failed_runs", done.failed}, {"left_out", done.left_out},
            {"machine", machine},      {"sets", Json::array()},      {"figures", Json::array()}};
  for (const char* side : {"paper", "the other reading", "beyond"}) {
    const auto counts = tally(done, side);
    for (const Outcome outcome : kOutcomes)
      json["summary"][side][name_of(outcome)] = counts[static_cast<std::size_t>(outcome)];
  }
  for (const FoundSet& set : done.sets) {
    const ResultSet* ours = nullptr;
    for (const Evidence& one : evidence)
      if (ours == nullptr) ours = one.results.find(set.data.name);
    json["sets"].push_back(
        {{"paper_name", set.name},
         {"name", set.data.name},
         {"source", set.data.source},
         {"stand_in", set.data.stand_in.empty() ? Json(nullptr) : Json(set.data.stand_in)},
         {"differs", set.differs},
         {"paper", {{"train", set.train}, {"test", set.test}, {"cols", set.cols}, {"classes", set.classes}}}});
    if (ours != nullptr)
      json["sets"].back()["ours"] = {{"train", ours->rows},
                                     {"test", ours->test_rows},
                                     {"cols", ours->cols},
                                     {"classes", ours->classes},
                                     {"optimum", std::isfinite(ours->optimum) ? Json(ours->optimum) : Json(nullptr)}};
  }
  for (const FigureResult& figure : done.figures) {
    Json claims = Json::array();
    for (const Finding& finding : figure.findings)
      claims.push_back({{"says", finding.says},
                        {"criterion", finding.criterion},
                        {"in_short", finding.in_short},
                        {"measured", finding.measured},
                        {"outcome", name_of(finding.outcome)},
                        {"outcome_in_words", finding.outcome_in_words()}});
    json["figures"].push_back({{"name", figure.experiment->name},
                               {"title", figure.experiment->title},
                               {"paper", figure.experiment->paper},
                               {"complete", figure.coverage.complete()},
                               {"runs", figure.coverage.runs()},
                               {"planned", figure.coverage.planned()},
                               {"lacking", figure.coverage.words()},
                               {"claims", claims}});
  }
  return json;
}

namespace {

std::string without_bars(std::string words) {
  for (std::size_t at = 0; (at = words.find('|', at)) != std::string::npos; at += 2) words.insert(at, "\\");
  return words;
}

std::string bullets(const std::string& heading, const std::vector<std::string>& lines) {
  if (lines.empty()) return {};
  std::string text = "\n" + heading + "\n\n";
  for (const std::string& line : lines) text += "- " + line + "\n";
  return text;
}

}  // namespace

// Short rows to read first, everything measured below them.
std::string markdown_table(const Json& results) {
  const auto text_at = [](const Json& object, const char* key) { return object.at(key).get<std::string>(); };
  const Json machine = results.value("machine", Json::object());
  std::string text = fmt::format("`{}`, version {}, {}, {} with {} cores.\n\n",
                                 join(results.at("command").get<std::vector<std::string>>(), " "),
                                 text_at(results, "version"), text_at(results, "created").substr(0, 10),
                                 machine.value("cpu", "an unknown processor"), machine.value("cores", 0));
  text += "| figure | the paper | found | in short |\n|---|---|---|---|\n";
  std::vector<std::string> details;
  std::vector<std::pair<std::string, std::string>> lacking;  // figures that lack the same runs, and those
  for (const Json& figure : results.at("figures")) {
    const std::string name = text_at(figure, "name"), paper = text_at(figure, "paper");
    for (const Json& claim : figure.at("claims")) {
      const std::string says = text_at(claim, "says"), in_short = text_at(claim, "in_short"),
                        measured = text_at(claim, "measured");
      text += fmt::format("| `{}` | {} | **{}** | {} |\n", name, without_bars(says), text_at(claim, "outcome_in_words"),
                          without_bars(in_short));
      if (measured != in_short) details.push_back(fmt::format("`{}` ({}). *{}* {}.", name, paper, says, measured));
    }
    if (const std::string words = figure.value("lacking", ""); !words.empty()) {
      const std::string runs =
          fmt::format("{} of {} runs: {}", figure.at("runs").get<Index>(), figure.at("planned").get<Index>(), words);
      if (lacking.empty() || lacking.back().second != runs) lacking.emplace_back("", runs);
      lacking.back().first += (lacking.back().first.empty() ? "`" : ", `") + name + "`";
    }
  }
  std::vector<std::string> sets;
  for (const Json& set : results.at("sets"))
    if (const std::string differs = text_at(set, "differs"); !differs.empty())
      sets.push_back(text_at(set, "name") + ": " + differs);
  std::vector<std::string> not_run;
  for (const auto& [figures, runs] : lacking) not_run.push_back(figures + ": " + runs);
  return text + bullets("Not all was run:", not_run) + bullets("The numbers behind it:", details) +
         bullets("Sets that are not exactly the paper's:", sets) +
         bullets("Left out:", results.at("left_out").get<std::vector<std::string>>());
}

}  // namespace s3gd::reproduce
