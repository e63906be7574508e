#include "report/page.hpp"

#include <fmt/format.h>

#include <cmath>

namespace s3gd::report {
namespace {

// Dark colours follow the reader's setting; paper is white.
constexpr const char* kStyle = R"(
:root { --paper: #fff; --ink: #1a1a1a; --soft: #595959; --line: #d0d0d0; --shade: #f2f2f2;
  --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #cc79a7; --c4: #8a6d00; --c5: #56b4e9; --c6: #e69f00; --c7: #000 }
@media screen and (prefers-color-scheme: dark) {
  :root { --paper: #15181c; --ink: #e8e8e8; --soft: #a8a8a8; --line: #3c4148; --shade: #20252b;
    --c0: #56b4e9; --c1: #ff8a3d; --c2: #2fc79b; --c3: #e6a5c9; --c4: #f0e442; --c5: #7fb7ff; --c6: #e69f00; --c7: #fff }
}
* { box-sizing: border-box }
body { margin: 0 auto; padding: 1rem; max-width: 70rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif }
h1 { font-size: 1.4rem; margin: 0 0 .5rem } figure { margin: 0 }
p { margin: .5rem 0; overflow-wrap: anywhere }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: .5rem 0 1rem }
dt { color: var(--soft) } dd { margin: 0; overflow-wrap: anywhere }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 1.5rem }
svg { display: block; width: 100%; height: auto; overflow: visible }
svg text { font: 13px system-ui, sans-serif; fill: var(--ink) } svg .soft { fill: var(--soft) }
svg .title { font-weight: 600; font-size: 14px }
.wide { overflow-x: auto; margin-top: 1.5rem }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem }
th, td { padding: .15rem .7rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line) }
th { color: var(--soft); font-weight: 500 } tr.note { background: var(--shade); font-weight: 600 }
@media print { body { max-width: none; padding: 0; font-size: 11px } .figures { grid-template-columns: 1fr 1fr }
  figure, tr { break-inside: avoid } .wide { overflow: visible } }
)";

}  // namespace

std::string escape(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

std::string number(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : "\u2014"; }

std::string page(const std::string& title, const std::vector<std::string>& parts) {
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}</style>\n</head>\n<body>\n<h1>{0}</h1>\n",
      escape(title), kStyle);
  for (const std::string& part : parts) text += part;
  return text + "</body>\n</html>\n";
}

std::string paragraph(const std::string& text) { return "<p>" + escape(text) + "</p>\n"; }

std::string facts(const std::vector<std::pair<std::string, std::string>>& list) {
  std::string text = "<dl>\n";
  for (const auto& [name, value] : list) text += "<dt>" + escape(name) + "</dt><dd>" + escape(value) + "</dd>\n";
  return text + "</dl>\n";
}

std::string figures(const std::vector<std::string>& drawings) {
  std::string text = "<div class=\"figures\">\n";
  for (const std::string& drawing : drawings) text += "<figure>\n" + drawing + "</figure>\n";
  return text + "</div>\n";
}

std::string table(const Table& table) {
  std::string text = "<div class=\"wide\">\n<table>\n<thead><tr>";
  for (const std::string& cell : table.head) text += "<th>" + escape(cell) + "</th>";
  text += "<th></th></tr></thead>\n<tbody>\n";
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    std::string note;
    for (const auto& [row, said] : table.notes)
      if (row == r) note += (note.empty() ? "" : ", ") + said;
    text += note.empty() ? "<tr>" : "<tr class=\"note\">";
    for (const std::string& cell : table.rows[r]) text += "<td>" + escape(cell) + "</td>";
    text += "<td>" + escape(note) + "</td></tr>\n";
  }
  return text + "</tbody>\n</table>\n</div>\n";
}

}  // namespace s3gd::report
