// LIBLINEAR's model text: a few lines "name value", then a line of weights for each feature, one number for each output,
// and at last one for the bias.
//
//   - Two classes have one output; a positive value means the label written first, so ours stand the other way round.
//   - More classes have one output each in the order of the labels; the largest wins, the first of equals, as here.
//   - solver_type decides how values become a prediction, not how they were found: by L2R_LR, `liblinear-predict -b 1`
//     gives the probabilities of Link::logistic; the others refuse -b 1, and for more than two classes take the largest.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "saved/export_formats.hpp"

namespace s3gd {
namespace {

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

}  // namespace

Exported export_liblinear(const Model& model, const std::string& /*name*/) {
  refuse_unit_rows(model, "LIBLINEAR");
  refuse_many_features(model, "LIBLINEAR");
  refuse_log_link(model, "LIBLINEAR");
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

}  // namespace s3gd
