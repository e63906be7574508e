#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/json.hpp"
#include "report/drawing.hpp"

namespace s3gd::report {
namespace {

// Each {{name}} of the skeleton by its text. One walk from left to right: what is put in is not looked at again.
std::string filled(std::string_view skeleton, const std::map<std::string, std::string, std::less<>>& parts) {
  std::string text;
  while (true) {
    const std::size_t open = skeleton.find("{{");
    if (open == std::string_view::npos) break;
    const std::size_t close = skeleton.find("}}", open);
    text += skeleton.substr(0, open);
    text += parts.find(skeleton.substr(open + 2, close - open - 2))->second;
    skeleton.remove_prefix(close + 2);
  }
  return text += skeleton;
}

std::string tagged(const char* tag, const std::string& text) {
  return text.empty() ? std::string() : fmt::format("<{0}>{1}</{0}>\n", tag, escape(text));
}

std::string paragraphs(const std::string& body) {
  std::string text;
  for (std::size_t at = 0; at < body.size();) {
    const std::size_t end = std::min(body.find("\n\n", at), body.size());
    text += tagged("p", body.substr(at, end - at));
    at = end + 2;
  }
  return text;
}

std::string facts(const Facts& facts) {
  std::string text = tagged("h3", facts.title);
  text += facts.headline ? "<dl class=\"headline\">\n" : "<dl class=\"facts\">\n";
  for (const auto& [name, value] : facts.list)
    text += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escape(name), escape(value));
  return text + "</dl>\n";
}

std::string cell(const Cell& cell, bool words, bool heading, std::size_t rows = 1) {
  constexpr const char* kLooks[] = {"", "best", "poor", "faint"};
  std::string classes = kLooks[static_cast<std::size_t>(cell.look)];
  if (words) classes += classes.empty() ? "words" : " words";
  std::string attributes = heading ? rows > 1 ? " scope=\"rowgroup\"" : " scope=\"row\"" : "";
  if (rows > 1) attributes += fmt::format(" rowspan=\"{}\"", rows);
  if (!classes.empty()) attributes += fmt::format(" class=\"{}\"", classes);
  if (!cell.hint.empty()) attributes += fmt::format(" title=\"{}\"", escape(cell.hint));
  return fmt::format("<{0}{1}>{2}</{0}>", heading ? "th" : "td", attributes, escape(cell.text));
}

// Behind the last row whose first cell says the same.
std::size_t end_of_group(const Table& table, std::size_t row) {
  std::size_t end = row + 1;
  while (end < table.rows.size() && table.rows[end].front().text == table.rows[row].front().text) ++end;
  return end;
}

std::string table(const Table& table) {
  const std::string name = escape(table.title.empty() ? "table" : table.title);
  std::string text = table.folded ? "<details>\n<summary>" + name + "</summary>\n" : tagged("h3", table.title);
  if (!table.caption.empty()) text += "<p class=\"caption\">" + escape(table.caption) + "</p>\n";
  text +=
      fmt::format("<div class=\"wide\" role=\"region\" aria-label=\"{}\" tabindex=\"0\">\n<table>\n<thead><tr>", name);
  for (const Column& column : table.columns)
    text += fmt::format("<th scope=\"col\"{}>{}</th>", column.words ? " class=\"words\"" : "", escape(column.name));
  text += "</tr></thead>\n<tbody>\n";
  for (std::size_t r = 0, group_end = 0; r < table.rows.size(); ++r) {
    const bool stands_out = std::count(table.outstanding.begin(), table.outstanding.end(), r) > 0;
    const bool begins = r >= group_end;  // of a group; without groups, every row is one
    if (begins) group_end = table.grouped ? end_of_group(table, r) : r + 1;
    text += stands_out ? "<tr class=\"outstanding\">" : table.grouped && begins ? "<tr class=\"group\">" : "<tr>";
    for (std::size_t k = begins ? 0 : 1; k < table.rows[r].size(); ++k)
      text += cell(table.rows[r][k], k < table.columns.size() && table.columns[k].words, k == 0,
                   k == 0 ? group_end - r : 1);
    text += "</tr>\n";
  }
  return text + "</tbody>\n</table>\n</div>\n" + (table.folded ? "</details>\n" : "");
}

std::string figure(const Figure& figure, const Styles& styles) {
  std::string text = fmt::format("<figure id=\"{}\">\n<figcaption>{}", escape(figure.id), tagged("h3", figure.title));
  if (!figure.caption.empty()) text += "<p>" + escape(figure.caption) + "</p>";
  return text + "</figcaption>\n<script type=\"application/json\">" + figure_data(figure, styles) +
         "</script>\n</figure>\n";
}

// Writes parts one after the other, opening and closing what holds them.
class Body {
 public:
  explicit Body(const Styles& styles) : styles_(styles) {}

  void operator()(const Text& part) {
    end_figures();
    if (!part.heading.empty()) open_section(part.heading);
    text_ += paragraphs(part.body);
  }
  void operator()(const Facts& part) { end_figures() += facts(part); }
  void operator()(const Table& part) { end_figures() += table(part); }
  void operator()(const Figure& part) {
    if (!in_figures_) text_ += "<div class=\"figures\">\n";
    in_figures_ = true;
    text_ += figure(part, styles_);
  }
  std::string finish() {
    end_figures();
    if (sections_ > 0) text_ += "</section>\n";
    return std::move(text_);
  }
  std::string contents() const {
    return sections_ < 2 ? std::string() : "<nav aria-label=\"Contents\"><ul>\n" + contents_ + "</ul></nav>\n";
  }

 private:
  std::string& end_figures() {
    if (in_figures_) text_ += "</div>\n";
    in_figures_ = false;
    return text_;
  }
  void open_section(const std::string& heading) {
    if (sections_ > 0) text_ += "</section>\n";
    ++sections_;
    text_ += fmt::format("<section aria-labelledby=\"section-{0}\">\n<h2 id=\"section-{0}\">{1}</h2>\n", sections_,
                         escape(heading));
    contents_ += fmt::format("<li><a href=\"#section-{}\">{}</a></li>\n", sections_, escape(heading));
  }

  const Styles& styles_;
  std::string text_, contents_;
  int sections_ = 0;
  bool in_figures_ = false;
};

std::string style_sheet() {
  std::string light, dark;
  for (std::size_t k = 0; k < style_count(); ++k) {
    light += fmt::format(" --c{}: {};", k, style(k).light);
    dark += fmt::format(" --c{}: {};", k, style(k).dark);
  }
  return fmt::format(":root {{{} }}\n@media screen and (prefers-color-scheme: dark) {{ :root {{{} }} }}\n{}", light,
                     dark, kStyleSheet);
}

// How the script draws each curve: colour, dashes, marker.
std::string styles_data(const Styles& styles) {
  std::string text = "[";
  std::size_t count = 1;
  for (const auto& [name, index] : styles) count = std::max(count, index + 1);
  for (std::size_t k = 0; k < count; ++k)
    text += fmt::format("{}[\"var(--c{})\",\"{}\",\"{}\"]", k == 0 ? "" : ",", k % style_count(), style(k).dashes,
                        style(k).marker);
  return text + "]";
}

constexpr std::size_t kEnoughPoints = 200;  // fewer are not thinned
constexpr double kSlivers = 60;             // of an axis, each of a few pixels

struct Span {
  double low = 0, high = 0;
};

Span positive_span(const std::vector<double>& values) {
  Span span{std::numeric_limits<double>::infinity(), 0};
  for (const double value : values) {
    if (!std::isfinite(value) || value <= 0) continue;
    span.low = std::min(span.low, value);
    span.high = std::max(span.high, value);
  }
  return span;
}

int sliver(double value, const Span& span, bool logarithmic) {
  if (!std::isfinite(value) || value <= 0 || !(span.high > span.low)) return 0;
  const double share = logarithmic ? std::log(value / span.low) / std::log(span.high / span.low) : value / span.high;
  return static_cast<int>(share * kSlivers);
}

// The first point of every sliver, and those between which its values lie.
void keep_outline(const std::vector<double>& x, const std::vector<double>& y, bool logarithmic,
                  std::set<std::size_t>& kept) {
  const Span span = positive_span(x);
  const std::size_t count = std::min(x.size(), y.size());
  for (std::size_t first = 0; first < count;) {
    const int here = sliver(x[first], span, logarithmic);
    std::size_t lowest = first, highest = first, k = first;
    for (; k < count && sliver(x[k], span, logarithmic) == here; ++k) {
      if (!(y[k] >= y[lowest])) lowest = k;
      if (!(y[k] <= y[highest])) highest = k;
    }
    kept.insert({first, lowest, highest});
    first = k;
  }
}

std::string number_data(double value) {
  if (!std::isfinite(value)) return "null";
  if (value == std::floor(value) && std::abs(value) < 1e15) return fmt::format("{:.0f}", value);
  return fmt::format("{:.6g}", value);
}

template <class Items, class Write>
std::string joined(const Items& items, char open, char close, Write&& write) {
  std::string text(1, open);
  for (const auto& item : items) {
    if (text.size() > 1) text += ',';
    text += write(item);
  }
  return text + close;
}

std::string list_data(const std::vector<double>& values, const std::vector<std::size_t>& points) {
  return joined(points, '[', ']',
                [&](std::size_t k) { return k < values.size() ? number_data(values[k]) : std::string("null"); });
}

std::string axes_data(const std::vector<Axis>& axes) {
  return joined(axes, '[', ']', [](const Axis& axis) {
    return fmt::format(R"({{"key":{},"label":{},"log":{},"falling":{},"floor":{}}})", script_string(axis.key),
                       script_string(axis.label), axis.logarithmic, axis.falling, number_data(axis.floor));
  });
}

std::string band_data(const Series::Band& band, const std::vector<std::size_t>& points) {
  std::string text = "[" + list_data(band.middle, points);
  if (!band.low.empty()) text += "," + list_data(band.low, points) + "," + list_data(band.high, points);
  return text + "]";
}

std::string series_data(const Figure& figure, const Series& series, const Styles& styles) {
  const std::vector<std::size_t> points = visible_points(series, figure.x.front().key, figure.y.front().key);
  const auto found = styles.find(series.name);
  const auto pair = [](const std::string& key, const std::string& value) { return script_string(key) + ":" + value; };
  return fmt::format(
      R"({{"name":{},"style":{},"quiet":{},"dots":{},"before":{},"x":{},"y":{}}})", script_string(series.name),
      series.quiet || found == styles.end() ? 0 : found->second, series.quiet, series.dots,
      joined(series.before, '{', '}', [&](const auto& one) { return pair(one.first, number_data(one.second)); }),
      joined(series.x, '{', '}', [&](const auto& one) { return pair(one.first, list_data(one.second, points)); }),
      joined(series.y, '{', '}', [&](const auto& one) { return pair(one.first, band_data(one.second, points)); }));
}

}  // namespace

std::string escape(std::string_view text) {
  static const std::map<char, const char*> kEscapes{
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  std::string out;
  for (const char c : text) {
    const auto found = kEscapes.find(c);
    found == kEscapes.end() ? out += c : out += found->second;
  }
  return out;
}

std::string number(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : "\u2014"; }

std::string seconds_text(double seconds) {
  if (!std::isfinite(seconds)) return "\u2014";
  if (seconds < 1e-3) return fmt::format("{:.3g} \u00b5s", 1e6 * seconds);
  if (seconds < 1) return fmt::format("{:.3g} ms", 1e3 * seconds);
  return seconds < 100 ? fmt::format("{:.3g} s", seconds) : fmt::format("{:.0f} s", seconds);
}

std::string count_text(double count) {
  if (!std::isfinite(count)) return "\u2014";
  std::string digits = fmt::format("{:.0f}", std::abs(count));
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return (count < 0 ? "-" : "") + digits;
}

std::string spaced(std::string key) {
  std::replace(key.begin(), key.end(), '_', ' ');
  return key;
}

std::string html(const Document& document) {
  const Styles styles = styles_of(document);
  Body body(styles);
  for (const auto& part : document.parts) std::visit(body, part);
  const std::string content = body.finish();
  return filled(kSkeleton, {{"title", escape(document.title)},
                            {"subtitle", document.subtitle.empty()
                                             ? std::string()
                                             : "<p class=\"subtitle\">" + escape(document.subtitle) + "</p>\n"},
                            {"contents", body.contents()},
                            {"content", content},
                            {"style", style_sheet()},
                            {"styles", styles_data(styles)},
                            {"script", kScript}});
}

std::vector<std::size_t> visible_points(const Series& series, const std::string& x, const std::string& y) {
  std::size_t count = 0;
  for (const auto& [key, values] : series.x) count = std::max(count, values.size());
  std::set<std::size_t> kept;
  if (count <= kEnoughPoints) {
    for (std::size_t k = 0; k < count; ++k) kept.insert(k);
  } else {
    const auto across = series.x.find(x);
    const auto up = series.y.find(y);
    if (across != series.x.end() && up != series.y.end())
      for (const bool logarithmic : {false, true}) keep_outline(across->second, up->second.middle, logarithmic, kept);
    kept.insert(count - 1);
  }
  return {kept.begin(), kept.end()};
}

std::string script_string(const std::string& text) {
  const std::string quoted = Json(text).dump_repaired(-1, true);
  std::string safe;
  for (const char c : quoted) c == '<' ? safe += "\\u003c" : safe += c;
  return safe;
}

std::string figure_data(const Figure& figure, const Styles& styles) {
  return fmt::format(
      R"({{"title":{},"x":{},"y":{},"series":{},"marks":{}}})", script_string(figure.title), axes_data(figure.x),
      axes_data(figure.y),
      joined(figure.series, '[', ']', [&](const Series& one) { return series_data(figure, one, styles); }),
      joined(figure.marks, '[', ']', [](const Mark& mark) {
        return fmt::format(R"({{"at":{},"text":{},"axis":{},"level":{}}})", number_data(mark.at),
                           script_string(mark.text), script_string(mark.axis), mark.level);
      }));
}

}  // namespace s3gd::report
