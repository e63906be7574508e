// Formats that are lines of text for other programs: LIBLINEAR's and Vowpal Wabbit's.
//
// LIBLINEAR's model text: a few lines "name value", then a line of weights for each feature, one number for each output,
// and at last one for the bias.
//
//   - Two classes have one output; a positive value means the label written first, so ours stand the other way round.
//   - More classes have one output each in the order of the labels; the largest wins, the first of equals, as here.
//   - solver_type decides how values become a prediction, not how they were found: by L2R_LR, `liblinear-predict -b 1`
//     gives the probabilities of Link::logistic; the others refuse -b 1, and for more than two classes take the largest.
//
// Text from which Vowpal Wabbit makes its model in one pass. It reads no model text, only a binary one that belongs to its
// version; but it learns, and these examples teach it the weights exactly:
//
//   With plain steps of size 1/2 (--sgd -l 0.5 --power_t 0) on squared loss, an example with label t that is predicted
//   as p adds (t - p) x to the weights. From weights zero, "0.25 | 7:1" sets weight 7 to 0.25, and the constant that is
//   in every example too; "0 |", which has nothing but the constant, puts that back to zero. The last line sets it.
//   More than two classes are costs (--csoaa K): one such regression for each class, the smallest cost wins, so each
//   weight is taught with its sign changed.
//
// Predictions are cut off at the smallest and largest label seen in training: two examples make these wide at first.
#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/mention.hpp"
#include "s3gd/error.hpp"
#include "saved/export_formats.hpp"

namespace s3gd {
namespace {

// "0 = ham, 1 = spam": how the classes are numbered, counted from `first`.
std::string numbering(const Model& model, int first) {
  std::string text;
  for (const std::string& name : model.classes)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", first++, name);
  return text;
}

std::string solver_type(const Model& model) {
  if (!model.classifies()) return "L2R_L2LOSS_SVR";
  if (model.link == Link::logistic) return "L2R_LR";
  return model.link == Link::softmax && model.outputs() > 1 ? "MCSVM_CS" : "L2R_L2LOSS_SVC";
}

std::vector<std::int32_t> labels_of(const Model& model, std::vector<std::string>& remarks) {
  auto labels = numeric_classes(model);
  if (!labels) {
    labels.emplace();
    for (std::size_t k = 0; k < model.classes.size(); ++k) labels->push_back(static_cast<std::int32_t>(k));
    remarks.push_back("LIBLINEAR's labels are whole numbers, so the classes are numbered: " + numbering(model, 0));
  }
  if (labels->size() == 2) std::swap(labels->front(), labels->back());
  return *labels;
}

constexpr double kWidest = 1e18;               // its square is still a float
constexpr std::uint64_t kConstant = 11650396;  // the feature that stands for the constant
constexpr int kUsualBits = 18, kMostBits = 24;

constexpr std::string_view kEscaped = " \t\r\n:|%";

bool has_escapes(const Model& model) {
  return std::any_of(model.feature_names.begin(), model.feature_names.end(),
                     [](const std::string& name) { return name.find_first_of(kEscaped) != std::string::npos; });
}

// What ends a name in its text is written as in addresses of the web: a blank is %20.
std::string escaped(const std::string& name) {
  if (name.empty())
    throw Error("a feature without a name cannot be written for Vowpal Wabbit", "name every column, or none");
  std::string text;
  for (const char c : name)
    text += kEscaped.find(c) == std::string_view::npos ? std::string(1, c) : fmt::format("%{:02X}", c);
  return text;
}

// Bits of the table of weights: large enough that features counted by number keep to themselves.
int table_bits(const Model& model) {
  const auto class_bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(model.outputs() - 1)));
  if (!model.feature_names.empty()) return kMostBits + class_bits;  // hashed: the more room, the fewer meet
  const auto end = static_cast<std::uint64_t>(model.features() + model.index_base.value_or(0));
  if (end > kConstant)
    throw Error(fmt::format("feature {} and the constant share a weight in Vowpal Wabbit", kConstant),
                "export to json, or train on fewer columns");
  int bits = kUsualBits;
  while (kConstant % (std::uint64_t{1} << bits) < end) ++bits;  // at most kMostBits: the constant is less than 2^24
  return bits + class_bits;
}

// What an example is to be predicted as: one number, or a cost for each class.
template <class ValueOf>
void write_label(std::string& out, Index outputs, ValueOf value_of) {
  for (Index k = 0; k < outputs; ++k) {
    const double value = value_of(k);
    if (std::abs(value) > kWidest)
      throw Error(fmt::format("a weight of {} is too large for Vowpal Wabbit", value),
                  "train on scaled columns (" + opt("scale") + ") or with a " + larger("lambda"));
    if (outputs > 1)
      out += fmt::format("{}:{} ", k + 1, static_cast<float>(-value));
    else
      out += fmt::format("{} ", static_cast<float>(value));
  }
  out += '|';
}

std::string feature_name(const Model& model, Index j) {
  return model.feature_names.empty() ? std::to_string(j + model.index_base.value_or(0))
                                     : escaped(model.feature_names[static_cast<std::size_t>(j)]);
}

std::string write_lessons(const Model& model) {
  const Index outputs = model.outputs();
  std::string out;
  const auto teach = [&](auto value_of, const std::string& feature = "") {
    write_label(out, outputs, value_of);
    out += (feature.empty() ? "" : " " + feature + ":1") + "\n";
  };
  const auto reset_constant = [&] { teach([](Index) { return 0.0; }); };

  for (const double edge : {kWidest, -kWidest}) {
    teach([&](Index) { return edge; });
    reset_constant();
  }
  for (const Index j : active_columns(model)) {
    teach([&](Index k) { return weight_at(model, k, j); }, feature_name(model, j));
    reset_constant();
  }
  teach([&](Index k) { return model.intercepts[static_cast<std::size_t>(k)]; });
  return out;
}

}  // namespace

Exported export_liblinear(const Model& model, const std::string&) {
  Exported result;
  const bool biased = std::any_of(model.intercepts.begin(), model.intercepts.end(), [](double b) { return b != 0; });
  result.bytes +=
      fmt::format("solver_type {}\nnr_class {}\n", solver_type(model), std::max<std::size_t>(model.classes.size(), 2));
  if (model.classifies()) {
    result.bytes += "label";
    for (const std::int32_t label : labels_of(model, result.remarks)) result.bytes += fmt::format(" {}", label);
    result.bytes += '\n';
  }
  result.bytes += fmt::format("nr_feature {}\nbias {}\nw\n", model.features(), biased ? 1 : -1);
  for (Index j = 0; j < model.features(); ++j) {
    for (Index k = 0; k < model.outputs(); ++k) result.bytes += fmt::format("{} ", weight_at(model, k, j));
    result.bytes += '\n';
  }
  if (biased) {
    for (const double intercept : model.intercepts) result.bytes += fmt::format("{} ", intercept);
    result.bytes += '\n';
  }

  if (model.index_base.value_or(1) == 0)
    result.remarks.emplace_back(
        "LIBLINEAR counts features from 1, the training file did from 0: `s3gd convert` rewrites rows");
  if (!model.feature_names.empty())
    result.remarks.emplace_back(
        "LIBLINEAR has no feature names: the features are numbered from 1 in the model's order");
  if (model.link == Link::softmax || model.link == Link::platt)
    result.remarks.emplace_back(
        "LIBLINEAR gives this model's labels, not its probabilities: onnx, json and c keep them");
  return result;
}

Exported export_vw(const Model& model, const std::string&) {
  const Index outputs = model.outputs();
  Exported result{write_lessons(model), {}};
  result.remarks.push_back(fmt::format("make the model: vw -d THIS_FILE --sgd -l 0.5 --power_t 0{} -b {} -f MODEL",
                                       outputs > 1 ? fmt::format(" --csoaa {}", outputs) : "", table_bits(model)));
  result.remarks.emplace_back("use it: vw -t -i MODEL -d ROWS -p PREDICTIONS");
  if (outputs > 1)
    result.remarks.push_back("it predicts classes by number: " + numbering(model, 1));
  else if (model.classifies())
    result.remarks.push_back("a positive prediction means " + model.classes.back() + ", any other " +
                             model.classes.front());
  if (has_escapes(model))
    result.remarks.emplace_back(
        "in names of features, blanks are written %20, colons %3A, bars %7C and % as %25: do so in ROWS");
  if (model.feature_names.empty())
    result.remarks.push_back(
        fmt::format("features are named by number, the first is {}", model.index_base.value_or(0)));
  return result;
}

}  // namespace s3gd
