#include "compare/reproduce_page.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <ctime>

#include "compare/reproduce_parts.hpp"

namespace s3gd::reproduce {
namespace {

using report::Cell;

constexpr std::array kOutcomes{Outcome::confirmed, Outcome::partly, Outcome::not_confirmed, Outcome::not_measured};

Cell outcome_cell(Outcome outcome) {
  const Cell::Look look = outcome == Outcome::confirmed       ? Cell::Look::best
                          : outcome == Outcome::not_confirmed ? Cell::Look::poor
                          : outcome == Outcome::not_measured  ? Cell::Look::faint
                                                              : Cell::Look::plain;
  return Cell(name_of(outcome), look);
}

// How many claims of the paper (or, with `beyond`, questions of ours) ended in each way.
std::array<int, 4> tally(const Reproduction& done, bool beyond) {
  std::array<int, 4> counts{};
  for (const FigureResult& figure : done.figures)
    for (const Finding& finding : figure.findings)
      if (figure.experiment->beyond_paper() == beyond) ++counts[static_cast<std::size_t>(finding.outcome)];
  return counts;
}

std::string tally_text(const std::array<int, 4>& counts) {
  std::string text;
  for (const Outcome outcome : kOutcomes)
    if (const int count = counts[static_cast<std::size_t>(outcome)]; count > 0)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name_of(outcome));
  return text.empty() ? "none" : text;
}

std::string stand_ins(const Reproduction& done) {
  std::string text;
  for (const FoundSet& set : done.sets)
    if (!set.data.stand_in.empty()) text += (text.empty() ? "" : ", ") + set.data.name;
  return text.empty() ? "none" : text;
}

report::Table summary_table(const Reproduction& done) {
  report::Table table;
  table.title = "Claims";
  table.columns = {{"figure", true}, {"in the paper", true}, {"what it says", true}, {"found", true}};
  for (const FigureResult& figure : done.figures)
    for (const Finding& finding : figure.findings)
      table.rows.push_back({Cell(figure.experiment->name), Cell(figure.experiment->paper), Cell(finding.says),
                            outcome_cell(finding.outcome)});
  return table;
}

report::Table findings_table(const FigureResult& figure) {
  report::Table table;
  table.columns = {{"claim", true}, {"counts as confirmed when", true}, {"measured", true}, {"found", true}};
  for (const Finding& finding : figure.findings)
    table.rows.push_back(
        {Cell(finding.says), Cell(finding.criterion), Cell(finding.measured), outcome_cell(finding.outcome)});
  return table;
}

std::string now() {
  const std::time_t seconds = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

report::Facts machine_facts(const Json& machine) {
  report::Facts facts;
  facts.title = "Machine";
  for (const auto& [key, value] : machine.items())
    facts.list.emplace_back(key, value.is_string() ? value.get<std::string>() : value.dump());
  return facts;
}

}  // namespace

report::Document document_of(const Reproduction& done, const std::vector<Evidence>& evidence, const Json& machine) {
  report::Document document;
  document.title = "The paper, repeated";
  document.subtitle =
      "Mu, Liu and Fan: Stochastic Gradient Made Stable (S3GD). What it says beside what was measured here.";
  report::Facts headline;
  headline.headline = true;
  headline.list = {{"claims of the paper", tally_text(tally(done, false))},
                   {"questions beyond it", tally_text(tally(done, true))}};
  document.parts.emplace_back(headline);
  std::string notes =
      "Every outcome is computed by the program from the runs, by the criterion beside it. Times are processor seconds "
      "of one thread; clocks stand still while objectives are evaluated.";
  notes += "\n\nSets that are not the paper's: " + stand_ins(done) + ".";
  if (done.status == Status::interrupted) notes += "\n\nInterrupted: not all runs are done. The same command goes on.";
  document.parts.emplace_back(report::Text{"Summary", notes});
  document.parts.emplace_back(summary_table(done));
  for (std::size_t k = 0; k < done.figures.size(); ++k) {
    const FigureResult& figure = done.figures[k];
    document.parts.emplace_back(report::Text{
        figure.experiment->title, fmt::format("{} ({}).{}", figure.experiment->paper, figure.experiment->name,
                                              figure.complete ? "" : " Not all of its runs are done.")});
    document.parts.emplace_back(findings_table(figure));
    for (PagePart& part : parts_of(*figure.experiment, evidence[k])) document.parts.push_back(std::move(part));
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
  Json json{{"s3gd_reproduction", 1},  {"version", S3GD_VERSION},    {"created", now()},
            {"command", command},      {"quick", settings.quick},    {"status", s3gd::name_of(done.status)},
            {"seconds", done.seconds}, {"failed_runs", done.failed}, {"left_out", done.left_out},
            {"machine", machine},      {"sets", Json::array()},      {"figures", Json::array()}};
  for (const bool beyond : {false, true}) {
    const auto counts = tally(done, beyond);
    for (const Outcome outcome : kOutcomes)
      json["summary"][beyond ? "beyond" : "paper"][name_of(outcome)] = counts[static_cast<std::size_t>(outcome)];
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
                        {"measured", finding.measured},
                        {"outcome", name_of(finding.outcome)}});
    json["figures"].push_back({{"name", figure.experiment->name},
                               {"title", figure.experiment->title},
                               {"paper", figure.experiment->paper},
                               {"complete", figure.complete},
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

std::string markdown_table(const Json& results) {
  const Json machine = results.value("machine", Json::object());
  std::string text = fmt::format(
      "`{}`, version {}, {}, {} with {} cores, {:.0f} s.\n\n",
      fmt::join(results.at("command").get<std::vector<std::string>>(), " "), results.at("version").get<std::string>(),
      results.at("created").get<std::string>().substr(0, 10), machine.value("cpu", "an unknown processor"),
      machine.value("cores", 0), results.at("seconds").get<double>());
  text += "| figure | the paper | found | measured |\n|---|---|---|---|\n";
  for (const Json& figure : results.at("figures"))
    for (const Json& claim : figure.at("claims"))
      text += fmt::format("| `{}` ({}) | {} | **{}** | {} |\n", figure.at("name").get<std::string>(),
                          figure.at("paper").get<std::string>(), without_bars(claim.at("says")),
                          claim.at("outcome").get<std::string>(), without_bars(claim.at("measured")));
  std::vector<std::string> sets;
  for (const Json& set : results.at("sets"))
    if (const std::string differs = set.at("differs"); !differs.empty())
      sets.push_back(set.at("name").get<std::string>() + ": " + differs);
  return text + bullets("Sets that are not exactly the paper's:", sets) +
         bullets("Left out:", results.at("left_out").get<std::vector<std::string>>());
}

}  // namespace s3gd::reproduce
