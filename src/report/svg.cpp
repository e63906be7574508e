// A figure as a picture of its own: the curves that the page's script draws, without what can be pointed at.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "report/drawing.hpp"

namespace s3gd::report {
namespace {

constexpr double kWidth = 480, kHeight = 320, kLeft = 64, kRight = 14, kTop = 46, kBottom = 44;
constexpr double kLegendRow = 18;
constexpr std::size_t kLegendColumns = 3;
constexpr double kMarkerEvery = 70, kMarkerSize = 3.4;  // pixels
constexpr std::size_t kEnoughToSeeARunaway = 20;        // values
constexpr double kOverhang = 5;                         // markers and strokes at the edge of the frame are whole
constexpr const char *kInk = "#1a1a1a", *kSoft = "#5c5c5c", *kRule = "#dddddd", *kQuiet = "#9a9a9a";

struct Scale {
  double low = 0, high = 1;
  bool logarithmic = false;
  double from = 0, to = 1;  // where low and high are drawn
  double floor = 0;         // as Axis has it

  double lifted(double value) const { return logarithmic && floor > 0 && value < floor ? floor : value; }
  double place(double given) const {
    const double value = lifted(given);
    const double share = logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
    return from + share * (to - from);
  }
  bool shows(double value) const { return std::isfinite(value) && (!logarithmic || lifted(value) > 0); }
  bool holds(double value) const { return shows(value) && value >= low && value <= high; }
};

Scale scale_of(double low, double high, bool logarithmic, double from, double to) {
  if (!(low <= high)) low = logarithmic ? 0.1 : 0, high = 1;
  if (low == high) {
    low -= logarithmic ? 0.5 * low : std::max(0.5, std::abs(low) / 2);
    high += logarithmic ? high : std::max(0.5, std::abs(high) / 2);
  }
  return {low, high, logarithmic, from, to};
}

// One curve with the axes chosen.
struct Curve {
  const Series* series;
  const std::vector<double>* x;
  const Series::Band* y;
  std::size_t style;
};

std::vector<Curve> curves_of(const Figure& figure, const Axis& x, const Axis& y, const Styles& styles) {
  std::vector<Curve> curves;
  for (const Series& series : figure.series) {
    const auto across = series.x.find(x.key);
    const auto up = series.y.find(y.key);
    if (across == series.x.end() || up == series.y.end()) continue;
    const auto found = styles.find(series.name);
    const std::size_t style = series.quiet || found == styles.end() ? 0 : found->second;
    curves.push_back({&series, &across->second, &up->second, style});
  }
  return curves;
}

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void take(std::span<const double> values, bool logarithmic) {
    for (const double value : values) {
      if (!std::isfinite(value) || (logarithmic && value <= 0)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
};

Scale x_scale(const std::vector<Curve>& curves, const Axis& axis) {
  Range range, all;
  for (const Curve& curve : curves) {
    range.take(*curve.x, axis.logarithmic);
    all.take(*curve.x, false);
  }
  // Clocks start at zero, which a logarithmic axis has no place for: there, the first instants are left out.
  if (axis.logarithmic && all.low <= 0) range.low = std::max(range.low, range.high / 3000);
  Scale scale = scale_of(range.low, range.high, axis.logarithmic, kLeft, kWidth - kRight);
  if (axis.falling) std::swap(scale.from, scale.to);
  return scale;
}

// As the page's script does (tameRange): a curve that explodes must not flatten all the others.
Range tame_range(const std::vector<Curve>& curves, const Scale& scale) {
  const bool logarithmic = scale.logarithmic;
  Range range;
  std::vector<double> values;
  for (const Curve& curve : curves)
    for (const double value : curve.y->middle)
      if (scale.shows(value)) values.push_back(scale.lifted(value));
  range.take(values, logarithmic);
  if (values.size() < kEnoughToSeeARunaway) return range;
  const auto most = values.begin() + static_cast<std::ptrdiff_t>(0.97 * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), most, values.end());
  const bool runs_away =
      logarithmic ? range.high / *most > 1e4 : range.high - range.low > 8 * (*most - range.low) && *most > range.low;
  if (runs_away) range.high = logarithmic ? *most * 10 : range.low + 1.5 * (*most - range.low);
  return range;
}

Scale y_scale(const std::vector<Curve>& curves, const Axis& axis) {
  Range range = tame_range(curves, {.logarithmic = axis.logarithmic, .floor = axis.floor});
  if (curves.size() == 1 && !axis.logarithmic)
    for (const auto* values : {&curves[0].y->low, &curves[0].y->high}) range.take(*values, false);
  if (!axis.logarithmic && range.low < range.high) {  // a little room above and below
    const double room = 0.04 * (range.high - range.low);
    if (range.low != 0) range.low -= room;
    range.high += room;
  }
  Scale scale = scale_of(range.low, range.high, axis.logarithmic, kHeight - kBottom, kTop);
  scale.floor = axis.floor;
  return scale;
}

std::string grid(const Figure& figure, const Axis& x_axis, const Axis& y_axis, const Scale& x, const Scale& y) {
  std::string text =
      fmt::format("<text x=\"0\" y=\"15\" font-size=\"15\" font-weight=\"600\">{}</text>\n", escape(figure.title));
  text += fmt::format("<text x=\"0\" y=\"34\" fill=\"{}\">{}</text>\n", kSoft, escape(y_axis.label));
  for (const double tick : ticks(y.low, y.high, y.logarithmic)) {
    text += fmt::format("<path d=\"M{} {:.1f}H{}\" stroke=\"{}\"/>", kLeft, y.place(tick), kWidth - kRight, kRule);
    text += fmt::format("<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", kLeft - 6, y.place(tick) + 4,
                        tick_text(tick));
  }
  for (const double tick : ticks(x.low, x.high, x.logarithmic)) {
    text += fmt::format("<path d=\"M{:.1f} {}v5\" stroke=\"{}\"/>", x.place(tick), kHeight - kBottom, kInk);
    text += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x.place(tick),
                        kHeight - kBottom + 18, tick_text(tick));
  }
  text += fmt::format("<path d=\"M{} {}H{}\" stroke=\"{}\"/>\n", kLeft, kHeight - kBottom, kWidth - kRight, kInk);
  return text + fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\" fill=\"{}\">{}</text>\n", kWidth - kRight,
                            kHeight - 8, kSoft, escape(x_axis.label));
}

std::string stroke(const Curve& curve) {
  if (curve.series->quiet) return fmt::format("stroke=\"{}\" stroke-width=\"0.7\" opacity=\"0.6\"", kQuiet);
  const CurveStyle look = style(curve.style);
  return fmt::format("stroke=\"{}\" stroke-width=\"1.8\" stroke-linejoin=\"round\"{}", look.light,
                     *look.dashes == '\0' ? std::string() : fmt::format(" stroke-dasharray=\"{}\"", look.dashes));
}

std::string marker(const CurveStyle& look, double x, double y) {
  return fmt::format("<path transform=\"translate({:.1f} {:.1f}) scale({})\" d=\"{}\" fill=\"{}\"/>\n", x, y,
                     kMarkerSize, look.marker, look.light);
}

std::string band(const Curve& curve, const Scale& x, const Scale& y) {
  if (curve.y->low.empty()) return {};
  const auto inside = [&](double value) { return y.shows(value) ? std::max(value, y.low) : y.low; };
  std::string there, back;
  for (std::size_t k = 0; k < curve.x->size(); ++k) {
    if (!x.holds((*curve.x)[k]) || !y.shows(curve.y->middle[k])) continue;
    const double at = x.place((*curve.x)[k]);
    there += fmt::format("{}{:.1f} {:.1f}", there.empty() ? 'M' : 'L', at, y.place(inside(curve.y->high[k])));
    back = fmt::format("L{:.1f} {:.1f}", at, y.place(inside(curve.y->low[k]))) + back;
  }
  if (there.empty()) return {};
  return fmt::format("<path d=\"{}{}Z\" fill=\"{}\" opacity=\"0.15\"/>\n", there, back, style(curve.style).light);
}

// What was seen, where the line is the lowest so far.
std::string faint_line(const Curve& curve, const Scale& x, const Scale& y) {
  if (y.floor == 0 || curve.series->quiet) return {};
  std::string way;
  for (std::size_t k = 0; k < curve.x->size(); ++k)
    if (x.holds((*curve.x)[k]) && y.shows(curve.y->middle[k]))
      way +=
          fmt::format("{}{:.1f} {:.1f}", way.empty() ? 'M' : 'L', x.place((*curve.x)[k]), y.place(curve.y->middle[k]));
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"0.7\" opacity=\"0.35\"/>\n", way,
                     style(curve.style).light);
}

std::string line(const Curve& curve, const Scale& x, const Scale& y) {
  std::string way, markers;
  bool pen_down = false;
  double next_marker = kMarkerEvery * (0.2 + 0.17 * static_cast<double>(curve.style % 5)), gone = 0, last = 0;
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < curve.x->size(); ++k) {
    if (!x.holds((*curve.x)[k]) || !y.shows(curve.y->middle[k])) {
      pen_down = false;
      continue;
    }
    lowest = std::min(lowest, curve.y->middle[k]);
    const double at_x = x.place((*curve.x)[k]), at_y = y.place(y.floor > 0 ? lowest : curve.y->middle[k]);
    way += fmt::format("{}{:.1f} {:.1f}", pen_down ? 'L' : 'M', at_x, at_y);
    if (pen_down) gone += std::abs(at_x - last);
    last = at_x;
    pen_down = true;
    if (!curve.series->quiet && (curve.series->dots || gone >= next_marker)) {
      markers += marker(style(curve.style), at_x, at_y);
      next_marker = gone + kMarkerEvery;
    }
  }
  return faint_line(curve, x, y) +
         fmt::format("<path d=\"{}\" fill=\"none\" {}><title>{}</title></path>\n", way, stroke(curve),
                     escape(curve.series->name)) +
         markers;
}

bool is_on(const Mark& mark, const Axis& axis, const Scale& scale) {
  return (mark.axis.empty() || mark.axis == axis.key) && scale.holds(mark.at);
}

std::string levels(const Figure& figure, const Axis& axis, const Scale& y) {
  std::string text;
  for (const Mark& mark : figure.marks) {
    if (!mark.level || !is_on(mark, axis, y)) continue;
    const double at = y.place(mark.at);
    text += fmt::format("<path d=\"M{} {:.1f}H{}\" stroke=\"{}\" stroke-dasharray=\"4 3\"/>", kLeft, at,
                        kWidth - kRight, kSoft);
    text +=
        fmt::format("<text x=\"{}\" y=\"{:.1f}\" font-size=\"11\">{}</text>\n", kLeft + 4, at - 4, escape(mark.text));
  }
  return text;
}

std::string marks(const Figure& figure, const Axis& axis, const Scale& x) {
  std::string text;
  double row = kTop + 10;
  for (const Mark& mark : figure.marks) {
    if (mark.level || !is_on(mark, axis, x)) continue;
    const double at = x.place(mark.at);
    const bool left = at > 0.6 * kWidth;
    text += fmt::format("<path d=\"M{:.1f} {}V{}\" stroke=\"{}\" stroke-dasharray=\"4 3\"/>", at, kTop,
                        kHeight - kBottom, kSoft);
    text += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n", at + (left ? -5 : 5), row,
                        left ? "end" : "start", escape(mark.text));
    row += 16;
  }
  return text;
}

// Pictures may be put into one page: each has its own.
std::string frame_id(const Figure& figure) { return "frame-" + escape(figure.id); }

struct Legend {
  std::string text;
  double height = 0;
};

Legend legend(const std::vector<Curve>& curves) {
  Legend result;
  std::size_t shown = 0;
  for (const Curve& curve : curves) {
    if (curve.series->name.empty() || curve.series->quiet) continue;
    const double x = 8 + static_cast<double>(shown % kLegendColumns) * kWidth / kLegendColumns;
    const double y = kHeight + 12 + static_cast<double>(shown / kLegendColumns) * kLegendRow;
    result.text += fmt::format("<path d=\"M{} {}h28\" fill=\"none\" {}/>", x, y - 4, stroke(curve));
    result.text += marker(style(curve.style), x + 14, y - 4);
    result.text += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>\n", x + 34, y, escape(curve.series->name));
    ++shown;
  }
  if (shown <= 1) return {};
  result.height = 12 + static_cast<double>((shown + kLegendColumns - 1) / kLegendColumns) * kLegendRow;
  return result;
}

}  // namespace

std::string svg(const Figure& figure, std::size_t x_index, std::size_t y_index, const Styles& styles) {
  const Axis &x_axis = figure.x.at(x_index), &y_axis = figure.y.at(y_index);
  const std::vector<Curve> curves =
      curves_of(figure, x_axis, y_axis, styles.empty() ? styles_by_name({&figure}) : styles);
  const Scale x = x_scale(curves, x_axis), y = y_scale(curves, y_axis);
  const Legend names = legend(curves);
  const double height = kHeight + names.height;
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
      "aria-label=\"{2}\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\" fill=\"{3}\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
      kWidth, height, escape(figure.title + ": " + y_axis.label), kInk);
  text += grid(figure, x_axis, y_axis, x, y);
  text += fmt::format(
      "<clipPath id=\"{0}\"><rect x=\"{1}\" y=\"{2}\" width=\"{3}\" height=\"{4}\"/></clipPath>\n"
      "<g clip-path=\"url(#{0})\">\n",
      frame_id(figure), kLeft - kOverhang, kTop - kOverhang, kWidth - kRight - kLeft + 2 * kOverhang,
      kHeight - kBottom - kTop + 2 * kOverhang);
  for (const Curve& curve : curves) text += band(curve, x, y);
  for (const Curve& curve : curves) text += line(curve, x, y);
  return text + "</g>\n" + levels(figure, y_axis, y) + marks(figure, x_axis, x) + names.text + "</svg>\n";
}

}  // namespace s3gd::report
