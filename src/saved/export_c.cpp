// C99 source: the weights as tables, and functions from a row to margins, label and probabilities. docs/export.md lists
// them. Sums are in double, in the order of the columns.
//
// Weights stand feature after feature, the outputs of one beside each other. Where more than a third of the columns have
// no weight but zero, only the others are kept, with a sorted table of their numbers.
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <iterator>

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

class Source {
 public:
  explicit Source(const std::string& name) : name_(identifier(name)) {}

  // Code in which @ stands for the name that everything begins with.
  void code(std::string_view text) {
    for (const char letter : text)
      if (letter == '@')
        text_ += name_;
      else
        text_ += letter;
  }

  template <class Value>
  void table(std::string_view declaration, const std::vector<Value>& values) {
    code(declaration);
    text_ += " = {";
    for (std::size_t i = 0; i < values.size(); ++i)
      text_ += fmt::format("{}{},", i % 8 == 0 ? "\n    " : " ", values[i]);
    text_ += values.empty() ? "0};\n" : "\n};\n";  // C has no empty tables
  }

  std::string take() { return std::move(text_); }

 private:
  std::string name_;
  std::string text_;
};

void write_heading(Source& out, const Model& model) {
  out.code(fmt::format(
      "/* A linear model, written by s3gd {}: {}, {} features. C99; needs the C library alone. */\n", S3GD_VERSION,
      model.classifies() ? fmt::format("{} classes", model.classes.size()) : "regression", model.features()));
  if (model.unit_rows || has_probabilities(model) || model.link == Link::log) out.code("#include <math.h>\n");
  out.code(R"(
/* Margins of a row of @_features numbers; @_outputs of them. */
void @_margins(const double *x, double *margins);
/* The same from the numbers that are not zero and their columns, counted from 0; unknown columns count for nothing. */
void @_margins_sparse(const long *columns, const double *values, long count, double *margins);
)");
  if (model.classifies())
    out.code(R"(/* The class predicted, as a place in @_labels. */
int @_class(const double *margins);
/* The label predicted for a row of @_features numbers. */
const char *@_predict(const double *x);
)");
  else
    out.code("/* The value predicted for a row of @_features numbers. */\ndouble @_predict(const double *x);\n");
  if (has_probabilities(model))
    out.code(R"(/* From margins: one probability for each of the @_classes labels, in their order. */
void @_probabilities(const double *margins, double *probabilities);
)");
  out.code("\n");
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

constexpr const char* kSlotOfAll = R"(
static long @_column(long slot) { return slot; }
static long @_slot(long column) { return column >= 0 && column < @_kept ? column : -1; }
)";

constexpr const char* kSlotOfKept = R"(
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
)";

constexpr const char* kFinish = R"(
static void @_finish(const double *values, long count, double *margins) {
  (void)values;
  (void)count;
  for (int k = 0; k < @_outputs; ++k) margins[k] += @_intercepts[k];
}
)";

constexpr const char* kFinishUnitRows = R"(
/* as if the row had been scaled to length 1 */
static void @_finish(const double *values, long count, double *margins) {
  double square = 0;
  for (long i = 0; i < count; ++i) square += values[i] * values[i];
  const double length = square > 0 ? sqrt(square) : 1;
  for (int k = 0; k < @_outputs; ++k) margins[k] = margins[k] / length + @_intercepts[k];
}
)";

constexpr const char* kMargins = R"(
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
)";

constexpr const char* kClassOfTwo = R"(
int @_class(const double *margins) { return margins[0] > 0; }
)";

constexpr const char* kClassOfSeveral = R"(
int @_class(const double *margins) {
  int best = 0;
  for (int k = 1; k < @_outputs; ++k)
    if (margins[k] > margins[best]) best = k;
  return best;
}
)";

constexpr const char* kPredictLabel = R"(
const char *@_predict(const double *x) {
  double margins[@_outputs];
  @_margins(x, margins);
  return @_labels[@_class(margins)];
}
)";

constexpr const char* kPredictValue = R"(
double @_predict(const double *x) {
  double margins[@_outputs];
  @_margins(x, margins);
  return margins[0];
}
)";

constexpr const char* kPredictExponential = R"(
double @_predict(const double *x) {
  double margins[@_outputs];
  @_margins(x, margins);
  return exp(margins[0]);
}
)";

constexpr const char* kScore = R"(
static double @_score(const double *margins, int k) { return margins[k]; }
)";

constexpr const char* kPlattScore = R"(
static double @_score(const double *margins, int k) {
  return -(@_platt[2 * k] * margins[k] + @_platt[2 * k + 1]);
}
)";

constexpr const char* kProbabilitiesOfTwo = R"(
void @_probabilities(const double *margins, double *probabilities) {
  const double score = @_score(margins, 0);
  const double e = exp(-fabs(score)); /* never overflows */
  probabilities[score > 0] = 1 / (1 + e);
  probabilities[!(score > 0)] = e / (1 + e);
}
)";

constexpr const char* kSoftmaxOfScores = R"(
static double @_logarithm(double score) { return score; }
)";

constexpr const char* kSoftmaxOfSigmoids = R"(
/* of the sigmoid of a score */
static double @_logarithm(double score) { return (score < 0 ? score : 0) - log1p(exp(-fabs(score))); }
)";

constexpr const char* kProbabilitiesOfSeveral = R"(
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

void write_probabilities(Source& out, const Model& model) {
  out.code(model.link == Link::platt ? kPlattScore : kScore);
  if (model.outputs() == 1) {
    out.code(kProbabilitiesOfTwo);
    return;
  }
  out.code(model.link == Link::softmax ? kSoftmaxOfScores : kSoftmaxOfSigmoids);
  out.code(kProbabilitiesOfSeveral);
}

}  // namespace

Exported export_c(const Model& model, const std::string& name) {
  refuse_many_features(model, "the C source");
  std::vector<Index> columns = active_columns(model);
  const bool compact = 3 * static_cast<Index>(columns.size()) < 2 * model.features();
  if (!compact) {
    columns.clear();
    for (Index j = 0; j < model.features(); ++j) columns.push_back(j);
  }
  Source out(name);
  write_heading(out, model);
  write_tables(out, model, columns, compact);
  out.code(compact ? kSlotOfKept : kSlotOfAll);
  out.code(model.unit_rows ? kFinishUnitRows : kFinish);
  out.code(kMargins);
  if (model.classifies()) out.code(model.outputs() == 1 ? kClassOfTwo : kClassOfSeveral);
  out.code(model.classifies() ? kPredictLabel : model.link == Link::log ? kPredictExponential : kPredictValue);
  if (has_probabilities(model)) write_probabilities(out, model);
  return {out.take(), {}};
}

}  // namespace s3gd
