#include "report/figures.hpp"

#include <filesystem>
#include <utility>

#include "base/file.hpp"
#include "report/style.hpp"

namespace s3gd::report {
namespace {

Rasteriser& rasteriser() {
  static Rasteriser installed;
  return installed;
}

bool has(const Figure& figure, const Axis& y) {
  for (const Series& series : figure.series)
    if (series.y.contains(y.key)) return true;
  return false;
}

}  // namespace

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
