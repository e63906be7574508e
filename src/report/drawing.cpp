#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>
#include <stdexcept>

#include "base/file.hpp"
#include "report/drawing.hpp"

namespace s3gd::report {
namespace {

struct Colour {
  const char *light, *dark;
};

// At least 12 CIELAB units apart for every kind of eyes, on white and on black (tests/browser/looks.mjs).
constexpr std::array<Colour, 9> kColours{{
    {"#0a65c2", "#72a3ce"},  // blue
    {"#f96c42", "#ee8b5b"},  // vermilion
    {"#006a47", "#29cfbc"},  // green
    {"#6b1d4c", "#b665a2"},  // wine
    {"#e7a50f", "#d9ad08"},  // amber
    {"#13a1df", "#93d9f9"},  // sky
    {"#762f91", "#8979d2"},  // violet
    {"#6d6c7e", "#dedde8"},  // slate
    {"#c23b57", "#ff92b1"},  // rose
}};

constexpr std::array<const char*, 5> kDashes{"", "7 3", "2 3", "9 3 2 3", "4 2"};

constexpr std::array<const char*, 9> kMarkers{
    "M-1 0A1 1 0 1 1 1 0A1 1 0 1 1-1 0Z",                                                // disc
    "M-.9-.9H.9V.9H-.9Z",                                                                // square
    "M0-1.2L1.1.8H-1.1Z",                                                                // triangle
    "M0-1.3L1.2 0L0 1.3L-1.2 0Z",                                                        // diamond
    "M0 1.2L1.1-.8H-1.1Z",                                                               // triangle, down
    "M-.4-1.2H.4V-.4H1.2V.4H.4V1.2H-.4V.4H-1.2V-.4H-.4Z",                                // plus
    "M0-.5L.7-1.2L1.2-.7L.5 0L1.2.7L.7 1.2L0 .5L-.7 1.2L-1.2.7L-.5 0L-1.2-.7L-.7-1.2Z",  // cross
    "M-1.3-.5H1.3V.5H-1.3Z",                                                             // bar
    "M0-1.3L.3-.4L1.25-.4L.5.15L.77 1.05L0 .5L-.77 1.05L-.5.15L-1.25-.4L-.3-.4Z",        // star
};

// The names of the curves of a figure that need to be told apart.
std::vector<std::string> names_of(const Figure& figure) {
  std::vector<std::string> names;
  for (const Series& series : figure.series)
    if (!series.quiet) names.push_back(series.name);
  return names.size() < 2 ? std::vector<std::string>{} : names;
}

constexpr double kLowestSuboptimality = 1e-10;

const std::vector<Axis> kQuantities{{"cpu_seconds", "cpu seconds", true},
                                    {"wall_seconds", "wall seconds", true},
                                    {"passes", "passes over the rows", true},
                                    {"iteration", "iterations", true},
                                    {"suboptimality", "suboptimality F/F* \u2212 1", true},
                                    {"objective", "objective F"},
                                    {"test_objective", "test objective"},
                                    {"gap", "relative gap", true},
                                    {"correlation", "correlation of gradients"},
                                    {"variance_ratio", "variance over that of SGD", true}};

Rasteriser& rasteriser() {
  static Rasteriser installed;
  return installed;
}

bool has(const Figure& figure, const Axis& y) {
  return std::any_of(figure.series.begin(), figure.series.end(), [&](const Series& s) { return s.y.contains(y.key); });
}

}  // namespace

std::size_t style_count() { return kColours.size(); }

CurveStyle style(std::size_t index) {
  const std::size_t colour = index % kColours.size(), round = index / kColours.size();
  return {kColours[colour].light, kColours[colour].dark, kDashes[(colour + round) % kDashes.size()],
          kMarkers[(colour + round) % kMarkers.size()]};
}

Styles styles_by_name(const std::vector<const Figure*>& figures) {
  std::map<std::string, std::set<std::string>> beside;
  for (const Figure* figure : figures) {
    const auto names = names_of(*figure);
    for (const std::string& name : names) beside[name].insert(names.begin(), names.end());
  }
  Styles styles;
  for (const Figure* figure : figures)
    for (const std::string& name : names_of(*figure)) {
      if (styles.contains(name)) continue;
      std::set<std::size_t> taken;
      for (const std::string& other : beside[name])
        if (const auto found = styles.find(other); found != styles.end()) taken.insert(found->second);
      std::size_t lowest = 0;
      while (taken.contains(lowest)) ++lowest;
      styles[name] = lowest;
    }
  return styles;
}

Styles styles_of(const Document& document) {
  std::vector<const Figure*> figures;
  for (const auto& part : document.parts)
    if (const auto* figure = std::get_if<Figure>(&part)) figures.push_back(figure);
  return styles_by_name(figures);
}

std::vector<double> ticks(double low, double high, bool logarithmic, int count) {
  std::vector<double> found;
  if (logarithmic) {
    const double decades = std::log10(high / low);
    const int every = std::max(1, static_cast<int>(std::ceil(decades / (count + 1))));
    const auto first = static_cast<int>(std::floor(std::log10(low)));
    for (int power = first; power <= static_cast<int>(std::ceil(std::log10(high))); ++power)
      for (const double part : {1.0, 2.0, 5.0}) {
        const double value = part * std::pow(10.0, power);
        const bool wanted = part == 1 ? power % every == 0 : decades < (part == 5 ? 1.2 : 2);
        if (wanted && value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) found.push_back(value);
      }
    if (found.size() > 1) return found;
    found.clear();  // less than a decade: as on a linear axis
  }
  const double rough = (high - low) / count, power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = power;
  for (const double part : {2.0, 5.0, 10.0})
    if (step < 0.7 * rough) step = part * power;
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k)
    found.push_back(k * step + 0.0);  // no -0
  return found;
}

std::string tick_text(double value) {
  constexpr const char* kRaised[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                     "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  const double size = std::abs(value);
  if (size == 0 || (size >= 1e-3 && size < 1e5)) return fmt::format("{:.6g}", value);
  const auto power = static_cast<int>(std::floor(std::log10(size) + 1e-9));
  const std::string part = fmt::format("{:.4g}", value / std::pow(10.0, power));
  std::string text = part == "1" ? "10" : part == "-1" ? "\u221210" : part + "\u00b710";
  for (const char digit : std::to_string(power)) text += digit == '-' ? "\u207b" : kRaised[digit - '0'];
  return text;
}

Axis quantity(const std::string& key) {
  const auto found =
      std::find_if(kQuantities.begin(), kQuantities.end(), [&](const Axis& axis) { return axis.key == key; });
  if (found == kQuantities.end()) throw std::logic_error("no quantity is called " + key);
  return *found;
}

Axis suboptimality(double optimum_gap) {
  Axis axis = quantity("suboptimality");
  axis.floor = optimum_gap > kLowestSuboptimality ? optimum_gap : kLowestSuboptimality;
  return axis;
}

std::vector<Mark> target_marks(double target, double optimum) {
  if (!(target > 0)) return {};
  const std::string text = fmt::format("{:.3g} % above F*", 100 * target);
  return {{target, text, "suboptimality", true}, {(1 + target) * optimum, text, "objective", true}};
}

void use_rasteriser(Rasteriser with) { rasteriser() = std::move(with); }

FiguresWritten write_figures(const Document& document, const std::string& folder) {
  std::filesystem::create_directories(folder);
  FiguresWritten written;
  written.png = static_cast<bool>(rasteriser());
  const Styles styles = styles_of(document);
  for (const auto& part : document.parts) {
    const auto* figure = std::get_if<Figure>(&part);
    if (figure == nullptr) continue;
    for (std::size_t k = 0; k < figure->y.size(); ++k) {
      if (!has(*figure, figure->y[k])) continue;
      const std::string picture = svg(*figure, 0, k, styles);
      const std::string name = folder + "/" + figure->id + (k == 0 ? "" : "-" + figure->y[k].key);
      write_atomically(name + ".svg", [&](std::ostream& out) { out << picture; });
      written.files.push_back(name + ".svg");
      written.png = written.png && rasteriser()(picture, name + ".png");
      if (written.png) written.files.push_back(name + ".png");
    }
  }
  return written;
}

}  // namespace s3gd::report
