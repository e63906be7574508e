#include "report/style.hpp"

#include <array>
#include <set>

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

}  // namespace

std::size_t style_count() { return kColours.size(); }

CurveStyle style(std::size_t index) {
  const std::size_t colour = index % kColours.size(), round = index / kColours.size();
  return {kColours[colour].light, kColours[colour].dark, kDashes[(colour + round) % kDashes.size()],
          kMarkers[(colour + round) % kMarkers.size()]};
}

namespace {

// The names of the curves of a figure that need to be told apart.
std::vector<std::string> names_of(const Figure& figure) {
  std::vector<std::string> names;
  for (const Series& series : figure.series)
    if (!series.quiet) names.push_back(series.name);
  return names.size() < 2 ? std::vector<std::string>{} : names;
}

}  // namespace

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

}  // namespace s3gd::report
