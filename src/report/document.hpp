// What a report says, apart from how it looks: a title and parts in reading order.
//
//     Document --html--> one interactive page in one file      Figure --svg--> a picture for a paper
//
// A page fetches nothing, can be worked with the keyboard, read on a phone and printed. Figures that follow one another
// share one row of switches (which axes, logarithmic or not, with or without the time before the first step). A curve
// keeps its colour, dashes and marker wherever its name appears.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace s3gd::report {

struct Axis {
  std::string key, label;
  bool logarithmic = false;  // where it starts: the reader may change it
  bool falling = false;      // the largest is on the left
  // Of a distance from the optimum, 0 for other quantities: on a logarithmic axis what is lower, or not positive, is drawn at
  // this value. Such curves come down noisily: the line is the lowest so far, what was seen is faint behind it.
  double floor = 0;
};

struct Series {
  std::string name;
  std::map<std::string, std::vector<double>> x;  // by Axis::key; NaN: a gap
  struct Band {
    std::vector<double> middle = {}, low = {}, high = {};  // low, high may be empty
  };
  std::map<std::string, Band> y;  // by Axis::key, each as long as every x
  bool quiet = false;             // thin and grey: there for context
  bool dots = false;              // few points, each of which is meant
  // How much of x, by key, went before the first step: a reader may leave it out. The points' x include it.
  std::map<std::string, double> before = {};
};

struct Mark {
  double at = 0;
  std::string text;
  std::string axis = {};  // Axis::key; empty: every one
  bool level = false;     // a horizontal line at a value of y instead of a vertical one at x
};

struct Figure {
  std::string id, title, caption;  // id: of letters, digits and dashes; also the name of the picture's file
  std::vector<Axis> x, y;          // the first of each is shown first; a switch where there are several
  std::vector<Series> series;
  std::vector<Mark> marks = {};
};

struct Cell {
  enum class Look { plain, best, poor, faint };
  std::string text = {};
  Look look = Look::plain;
  std::string hint = {};  // said when pointed at

  Cell() = default;
  Cell(const char* words) : text(words) {}  // NOLINT(google-explicit-constructor): tables read as lists
  Cell(std::string words, Look how = Look::plain, std::string more = {})  // NOLINT(google-explicit-constructor)
      : text(std::move(words)), look(how), hint(std::move(more)) {}
};

struct Column {
  std::string name;
  bool words = false;  // to the left; numbers stand to the right
};

struct Table {
  std::string title = {}, caption = {};
  std::vector<Column> columns = {};
  std::vector<std::vector<Cell>> rows = {};   // the first cell of a row is its heading
  std::vector<std::size_t> outstanding = {};  // rows that stand out
  bool folded = false;                        // shown when asked for
  bool grouped = false;                       // rows with the same first cell stand together under it
};

struct Facts {
  std::string title = {};
  std::vector<std::pair<std::string, std::string>> list = {};  // names and values
  bool headline = false;                                       // few, and large: what to remember of the page
};

struct Text {
  std::string heading = {};  // opens a section, which the page's contents list
  std::string body = {};     // paragraphs, an empty line between them
};

struct Document {
  std::string title, subtitle;
  std::vector<std::variant<Text, Facts, Table, Figure>> parts = {};
};

std::string html(const Document& document);

using Styles = std::map<std::string, std::size_t>;  // by the names of curves

// Self-contained: size, colours and fonts in it. x and y: which axes. Without styles, as on a page with this figure alone.
std::string svg(const Figure& figure, std::size_t x = 0, std::size_t y = 0, const Styles& styles = {});

// The quantities that figures of runs show, called alike on every page. By key: cpu_seconds, wall_seconds, passes, iteration;
// suboptimality, objective, test_objective, gap, correlation, variance_ratio. Linear or logarithmic as suits a comparison.
Axis quantity(const std::string& key);
// Suboptimality is shown down to what F* is certified to, and not below 1e-10: there, nothing is compared any more.
Axis suboptimality(double optimum_gap);
// Lines at (1 + target) F*.
std::vector<Mark> target_marks(double target, double optimum);

// Writes a picture, given as SVG, to a PNG file; false: it turns out that it cannot draw at all.
using Rasteriser = std::function<bool(const std::string& svg, const std::string& path)>;
// The library has none: the program says which, once, before anything else runs.
void use_rasteriser(Rasteriser rasteriser);

struct FiguresWritten {
  std::vector<std::string> files;  // as written, folder included
  bool png = false;                // false: nothing could draw them, so there are only .svg files
};
// Every figure as a file of its own, for a paper: folder/ID.svg, and ID.png where there is a rasteriser; with further vertical
// axes ID-KEY.svg. The folder is made.
FiguresWritten write_figures(const Document& document, const std::string& folder);

std::string escape(std::string_view text);  // for text and attributes
std::string number(double value);           // six significant digits; an em dash for what is not finite
std::string seconds_text(double seconds);   // 12.3 ms
std::string count_text(double count);       // 1,234,567
std::string spaced(std::string key);        // out of passes

}  // namespace s3gd::report
