// Every figure of a document as a file of its own, for a paper.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/document.hpp"

namespace s3gd::report {

// Writes a picture, given as SVG, to a PNG file; false: it turns out that it cannot draw at all.
using Rasteriser = std::function<bool(const std::string& svg, const std::string& path)>;

// The library has none: the program says which, once, before anything else runs.
void use_rasteriser(Rasteriser rasteriser);

struct FiguresWritten {
  std::vector<std::string> files;  // as written, folder included
  bool png = false;                // false: nothing could draw them, so there are only .svg files
};

// folder/ID.svg for every figure, and ID.png where there is a rasteriser; with further vertical axes ID-KEY.svg. The folder is made.
FiguresWritten write_figures(const Document& document, const std::string& folder);

}  // namespace s3gd::report
