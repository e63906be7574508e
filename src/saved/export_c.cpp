// C99 source: the weights as tables, and functions from a row to margins, label and probabilities. docs/export.md lists
// them. Sums are in double, in the order of the columns.
//
// Weights stand feature after feature, the outputs of one beside each other. Where more than a third of the columns have
// no weight but zero, only the others are kept, with a sorted table of their numbers.
#include <fmt/core.h>

#include <cctype>
#include <numeric>
#include <set>

#include "saved/export_formats.hpp"

namespace s3gd {
namespace {

std::string identifier(const std::string& name) {
  std::string word;
  for (const char letter : name) {
    const auto byte = static_cast<unsigned char>(letter);
    word += byte < 128 && std::isalnum(byte) != 0 ? letter : '_';
  }
  const bool starts_well = !word.empty() && std::isdigit(static_cast<unsigned char>(word[0])) == 0 && word[0] != '_';
  return starts_well ? word : "model_" + word;
}

// A string literal; octal digits, always three, for what is not plain.
std::string literal(const std::string& text) {
  std::string out = "\"";
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool plain = byte >= 32 && byte < 127 && letter != '"' && letter != '\\' && letter != '?';
    out += plain ? std::string(1, letter) : fmt::format("\\{:03o}", byte);
  }
  return out + "\"";
}

constexpr std::string_view kHeading = R"(
/* Margins of a row of @_features numbers; @_outputs of them. */
void @_margins(const double *x, double *margins);
/* The same from the numbers that are not zero and their columns, counted from 0; unknown columns count for nothing. */
void @_margins_sparse(const long *columns, const double *values, long count, double *margins);
%classes
/* The class predicted, as a place in @_labels. */
int @_class(const double *margins);
/* The label predicted for a row of @_features numbers. */
const char *@_predict(const double *x);
%numbers
/* The value predicted for a row of @_features numbers. */
double @_predict(const double *x);
%probabilities
/* From margins: one probability for each of the @_classes labels, in their order. */
void @_probabilities(const double *margins, double *probabilities);
%

)";

constexpr std::string_view kFunctions = R"(
%all columns
static long @_column(long slot) { return slot; }
static long @_slot(long column) { return column >= 0 && column < @_kept ? column : -1; }
%some columns
static long @_column(long slot) { return @_columns[slot]; }

/* where the weights of a column are kept; -1: they are zero */
static long @_slot(long column) {
  long low = 0, high = @_kept;
  while (low < high) {
    const long middle = low + (high - low) / 2;
    if (@_columns[middle] < column)
      low = middle + 1;
    else
      high = middle;
  }
  return low < @_kept && @_columns[low] == column ? low : -1;
}
%

%rows as they are
static void @_finish(const double *values, long count, double *margins) {
  (void)values;
  (void)count;
  for (int k = 0; k < @_outputs; ++k) margins[k] += @_intercepts[k];
}
%unit rows
/* as if the row had been scaled to length 1 */
static void @_finish(const double *values, long count, double *margins) {
  double square = 0;
  for (long i = 0; i < count; ++i) square += values[i] * values[i];
  const double length = square > 0 ? sqrt(square) : 1;
  for (int k = 0; k < @_outputs; ++k) margins[k] = margins[k] / length + @_intercepts[k];
}
%

static void @_add(double value, long slot, double *margins) {
  for (int k = 0; k < @_outputs; ++k) margins[k] += value * @_weights[slot * @_outputs + k];
}

void @_margins(const double *x, double *margins) {
  for (int k = 0; k < @_outputs; ++k) margins[k] = 0;
  for (long slot = 0; slot < @_kept; ++slot) @_add(x[@_column(slot)], slot, margins);
  @_finish(x, @_features, margins);
}

void @_margins_sparse(const long *columns, const double *values, long count, double *margins) {
  for (int k = 0; k < @_outputs; ++k) margins[k] = 0;
  for (long i = 0; i < count; ++i) {
    const long slot = @_slot(columns[i]);
    if (slot >= 0) @_add(values[i], slot, margins);
  }
  @_finish(values, count, margins);
}

%two classes
int @_class(const double *margins) { return margins[0] > 0; }

%several classes
int @_class(const double *margins) {
  int best = 0;
  for (int k = 1; k < @_outputs; ++k)
    if (margins[k] > margins[best]) best = k;
  return best;
}

%classes
const char *@_predict(const double *x) {
%numbers
double @_predict(const double *x) {
%
  double margins[@_outputs];
  @_margins(x, margins);
%classes
  return @_labels[@_class(margins)];
%exponentials
  return exp(margins[0]);
%plain numbers
  return margins[0];
%
}
%scores are margins

static double @_score(const double *margins, int k) { return margins[k]; }
%scores are tilted

static double @_score(const double *margins, int k) {
  return -(@_platt[2 * k] * margins[k] + @_platt[2 * k + 1]);
}
%two probabilities

void @_probabilities(const double *margins, double *probabilities) {
  const double score = @_score(margins, 0);
  const double e = exp(-fabs(score)); /* never overflows */
  probabilities[score > 0] = 1 / (1 + e);
  probabilities[!(score > 0)] = e / (1 + e);
}
%softmax of scores

static double @_logarithm(double score) { return score; }
%softmax of sigmoids

/* of the sigmoid of a score */
static double @_logarithm(double score) { return (score < 0 ? score : 0) - log1p(exp(-fabs(score))); }
%several probabilities

void @_probabilities(const double *margins, double *probabilities) {
  double largest = -HUGE_VAL, sum = 0;
  for (int k = 0; k < @_classes; ++k) {
    probabilities[k] = @_logarithm(@_score(margins, k));
    if (probabilities[k] > largest) largest = probabilities[k];
  }
  for (int k = 0; k < @_classes; ++k) sum += probabilities[k] = exp(probabilities[k] - largest);
  for (int k = 0; k < @_classes; ++k) probabilities[k] /= sum;
}
)";

// Which parts of the code above a model needs.
std::set<std::string_view> parts_for(const Model& model, bool compact) {
  std::set<std::string_view> parts{compact ? "some columns" : "all columns",
                                   model.unit_rows ? "unit rows" : "rows as they are",
                                   model.classifies() ? "classes" : "numbers"};
  if (model.classifies())
    parts.insert(model.outputs() == 1 ? "two classes" : "several classes");
  else
    parts.insert(model.link == Link::log ? "exponentials" : "plain numbers");
  if (!has_probabilities(model)) return parts;
  parts.insert({"probabilities", model.link == Link::platt ? "scores are tilted" : "scores are margins",
                model.outputs() == 1 ? "two probabilities" : "several probabilities"});
  if (model.outputs() > 1) parts.insert(model.link == Link::softmax ? "softmax of scores" : "softmax of sigmoids");
  return parts;
}

class Source {
 public:
  Source(const std::string& name, std::set<std::string_view> parts)
      : name_(identifier(name)), parts_(std::move(parts)) {}

  // Code in which @ stands for the name that everything begins with. Lines after "%PART" are written where that part is
  // needed, those after "%" always.
  void code(std::string_view text) {
    bool needed = true;
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n') + 1);
      text.remove_prefix(line.size());
      if (line[0] == '%') {
        needed = line.size() == 2 || parts_.contains(line.substr(1, line.size() - 2));
        continue;
      }
      for (const char letter : needed ? line : "") text_ += letter == '@' ? name_ : std::string(1, letter);
    }
  }

  template <class Value>
  void table(const std::string& declaration, const std::vector<Value>& values) {
    code(declaration + " = {\n");
    text_.pop_back();
    for (std::size_t i = 0; i < values.size(); ++i)
      text_ += fmt::format("{}{},", i % 8 == 0 ? "\n    " : " ", values[i]);
    text_ += values.empty() ? "0};\n" : "\n};\n";  // C has no empty tables
  }

  std::string take() { return std::move(text_); }

 private:
  std::string name_;
  std::set<std::string_view> parts_;
  std::string text_;
};

void write_heading(Source& out, const Model& model) {
  out.code(fmt::format(
      "/* A linear model, written by s3gd {}: {}, {} features. C99; needs the C library alone. */\n", S3GD_VERSION,
      model.classifies() ? fmt::format("{} classes", model.classes.size()) : "regression", model.features()));
  if (model.unit_rows || has_probabilities(model) || model.link == Link::log) out.code("#include <math.h>\n");
  out.code(kHeading);
}

void write_tables(Source& out, const Model& model, const std::vector<Index>& columns, bool compact) {
  std::vector<double> weights;
  for (const Index j : columns)
    for (Index k = 0; k < model.outputs(); ++k) weights.push_back(weight_at(model, k, j));
  out.code(fmt::format("enum {{ @_features = {}, @_outputs = {}, @_classes = {}, @_kept = {} }};\n\n", model.features(),
                       model.outputs(), model.classes.size(), columns.size()));
  if (compact) out.table("static const long @_columns[]", columns);
  out.table("static const double @_weights[]", weights);
  out.table("static const double @_intercepts[]", model.intercepts);
  if (model.link == Link::platt) out.table("static const double @_platt[]", model.platt);
  if (model.classifies()) {
    std::vector<std::string> labels;
    for (const std::string& name : model.classes) labels.push_back(literal(name));
    out.table("const char *const @_labels[]", labels);
  }
}

}  // namespace

Exported export_c(const Model& model, const std::string& name) {
  std::vector<Index> columns = active_columns(model);
  const bool compact = 3 * static_cast<Index>(columns.size()) < 2 * model.features();
  if (!compact) {
    columns.resize(static_cast<std::size_t>(model.features()));
    std::iota(columns.begin(), columns.end(), Index{0});
  }
  Source out(name, parts_for(model, compact));
  write_heading(out, model);
  write_tables(out, model, columns, compact);
  out.code(kFunctions);
  return {out.take(), {}};
}

}  // namespace s3gd
