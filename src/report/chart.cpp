#include "report/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/page.hpp"

namespace s3gd::report {
namespace {

constexpr double kWidth = 480, kHeight = 320, kLeft = 62, kRight = 12, kTop = 30, kBottom = 44;
constexpr std::size_t kColours = 8;
constexpr const char* kDashes[] = {"", "6 3", "2 3", "8 3 2 3"};
constexpr double kLegendRow = 18;

struct Axis {
  double low = 0, high = 1;
  bool logarithmic = false;
  double from = 0, to = 1;  // where low and high are drawn

  double place(double value) const {
    const double share = logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
    return from + share * (to - from);
  }
  bool shows(double value) const { return std::isfinite(value) && (!logarithmic || value > 0); }
};

Axis axis_for(double low, double high, bool logarithmic, double from, double to) {
  if (!(low <= high)) low = logarithmic ? 0.1 : 0, high = 1;
  if (low == high) {
    low -= logarithmic ? 0.5 * low : std::max(0.5, std::abs(low) / 2);
    high += logarithmic ? high : std::max(0.5, std::abs(high) / 2);
  }
  return {low, high, logarithmic, from, to};
}

Axis x_axis(const Chart& chart) {
  const auto [low, high] = std::minmax_element(chart.x.begin(), chart.x.end());
  const bool any = !chart.x.empty();
  Axis axis = axis_for(any ? *low : 1, any ? *high : 0, chart.log_x, kLeft, kWidth - kRight);
  if (chart.falling_x) std::swap(axis.from, axis.to);
  return axis;
}

Axis y_axis(const Chart& chart) {
  const Axis probe{0, 1, chart.log_y, 0, 1};
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Line& line : chart.lines)
    for (std::size_t k = 0; k < line.y.size(); ++k) {
      const double half = line.half.empty() ? 0 : line.half[k];
      for (const double value : {line.y[k] - half, line.y[k] + half}) {
        if (!probe.shows(value)) continue;
        low = std::min(low, value);
        high = std::max(high, value);
      }
    }
  if (!chart.log_y && low < high) {  // a little room above and below
    const double room = 0.04 * (high - low);
    if (low != 0) low -= room;
    high += room;
  }
  return axis_for(low, high, chart.log_y, kHeight - kBottom, kTop);
}

std::string stroke(const Line& line, std::size_t index) {
  if (line.quiet) return "stroke=\"var(--soft)\" stroke-width=\"0.7\" opacity=\"0.5\"";
  const char* dash = kDashes[index / kColours % std::size(kDashes)];
  return fmt::format("stroke=\"var(--c{})\" stroke-width=\"1.8\"{}", index % kColours,
                     *dash == '\0' ? std::string() : fmt::format(" stroke-dasharray=\"{}\"", dash));
}

std::string grid(const Chart& chart, const Axis& x, const Axis& y) {
  std::string text;
  for (const double tick : ticks(y.low, y.high, y.logarithmic)) {
    text += fmt::format("<line x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"var(--line)\"/>", kLeft,
                        kWidth - kRight, y.place(tick), y.place(tick));
    text += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{:.6g}</text>\n", kLeft - 6, y.place(tick) + 4,
                        tick);
  }
  for (const double tick : ticks(x.low, x.high, x.logarithmic)) {
    text += fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"var(--ink)\"/>",
                        x.place(tick), kHeight - kBottom, kHeight - kBottom + 5);
    text += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{:.6g}</text>\n", x.place(tick),
                        kHeight - kBottom + 18, tick);
  }
  text += fmt::format("<line x1=\"{0}\" x2=\"{1}\" y1=\"{2}\" y2=\"{2}\" stroke=\"var(--ink)\"/>\n", kLeft,
                      kWidth - kRight, kHeight - kBottom);
  text += fmt::format("<text class=\"title\" x=\"0\" y=\"14\">{}</text>\n", escape(chart.title));
  text += fmt::format("<text class=\"soft\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", kWidth - kRight,
                      kHeight - 8, escape(chart.x_name));
  return text;
}

std::string error_bar(double x, double low, double high) {
  return fmt::format(
      "<path d=\"M{0:.1f} {1:.1f}V{2:.1f}M{3:.1f} {1:.1f}h6M{3:.1f} {2:.1f}h6\" stroke=\"var(--soft)\" "
      "fill=\"none\"/>\n",
      x, low, high, x - 3);
}

std::string draw_line(const Chart& chart, const Line& line, std::size_t index, const Axis& x, const Axis& y) {
  std::string way, bars, dots;
  bool pen_down = false;
  for (std::size_t k = 0; k < line.y.size(); ++k) {
    if (!y.shows(line.y[k]) || !x.shows(chart.x[k])) {
      pen_down = false;
      continue;
    }
    const double at_x = x.place(chart.x[k]), at_y = y.place(line.y[k]);
    way += fmt::format("{}{:.1f} {:.1f}", pen_down ? 'L' : 'M', at_x, at_y);
    pen_down = true;
    const double half = line.half.empty() ? 0 : line.half[k];
    if (half > 0 && y.shows(line.y[k] - half))
      bars += error_bar(at_x, y.place(line.y[k] - half), y.place(line.y[k] + half));
    if (line.dots)
      dots += fmt::format(
          "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"var(--c{})\"><title>{} {}: {}{}</title></circle>\n", at_x,
          at_y, index % kColours, escape(chart.x_name), number(chart.x[k]), number(line.y[k]),
          half > 0 ? " \u00b1 " + number(half) : "");
  }
  return bars +
         fmt::format("<path d=\"{}\" fill=\"none\" {}><title>{}</title></path>\n", way, stroke(line, index),
                     escape(line.name)) +
         dots;
}

std::string draw_marks(const Chart& chart, const Axis& x) {
  std::string text;
  double row = kTop + 10;
  for (const Mark& mark : chart.marks) {
    const double at = x.place(mark.x);
    const bool left = at > 0.6 * kWidth;
    text += fmt::format(
        "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1}\" y2=\"{2}\" stroke=\"var(--ink)\" stroke-dasharray=\"4 3\"/>",
        at, kTop, kHeight - kBottom);
    text += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", at + (left ? -5 : 5), row,
                        left ? "end" : "start", escape(mark.text));
    row += 16;
  }
  return text;
}

struct Legend {
  std::string text;
  double height = 0;
};

Legend legend(const Chart& chart) {
  Legend result;
  constexpr std::size_t kPerRow = 2;
  std::size_t shown = 0, index = 0;
  for (const Line& line : chart.lines) {
    const std::size_t own = line.quiet ? 0 : index++;
    if (line.name.empty() || line.quiet) continue;
    const double x = kLeft + static_cast<double>(shown % kPerRow) * (kWidth - kLeft) / kPerRow;
    const double y = kHeight + 12 + static_cast<double>(shown / kPerRow) * kLegendRow;
    result.text += fmt::format("<path d=\"M{} {}h26\" fill=\"none\" {}/>", x, y - 4, stroke(line, own));
    result.text += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", x + 32, y, escape(line.name));
    ++shown;
  }
  if (shown > 1) result.height = 12 + static_cast<double>((shown + kPerRow - 1) / kPerRow) * kLegendRow;
  if (shown <= 1) result.text.clear();
  return result;
}

}  // namespace

std::vector<double> ticks(double low, double high, bool logarithmic, int count) {
  std::vector<double> found;
  if (logarithmic) {
    const double decades = std::log10(high / low);
    const int every = std::max(1, static_cast<int>(std::ceil(decades / (count + 1))));
    const auto first = static_cast<int>(std::floor(std::log10(low)));
    for (int power = first; power <= static_cast<int>(std::ceil(std::log10(high))); ++power)
      for (const double part : {1.0, 2.0, 5.0}) {
        const double value = part * std::pow(10.0, power);
        const bool wanted = part == 1 ? power % every == 0 : decades < 2;
        if (wanted && value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) found.push_back(value);
      }
    return found;
  }
  const double rough = (high - low) / count, power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = power;
  for (const double part : {2.0, 5.0, 10.0})
    if (step < 0.7 * rough) step = part * power;
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k)
    found.push_back(k * step + 0.0);  // no -0
  return found;
}

std::string draw(const Chart& chart) {
  const Axis x = x_axis(chart), y = y_axis(chart);
  const Legend names = legend(chart);
  std::string text =
      fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n", kWidth, kHeight + names.height,
                  escape(chart.title + (chart.y_name.empty() ? "" : ": " + chart.y_name)));
  text += grid(chart, x, y);
  std::size_t index = 0;
  for (const Line& line : chart.lines) text += draw_line(chart, line, line.quiet ? 0 : index++, x, y);
  text += draw_marks(chart, x) + names.text;
  return text + "</svg>\n";
}

}  // namespace s3gd::report
