#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/json.hpp"
#include "report/drawing.hpp"

namespace s3gd::report {
namespace {

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
