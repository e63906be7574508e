// Platt scaling of a whole model: one sigmoid for each output.
#include "s3gd/error.hpp"
#include "s3gd/platt.hpp"
#include "saved/class_finder.hpp"

namespace s3gd {

void calibrate(Model& model, const Dataset& held_out, int threads) {
  if (!model.classifies())
    throw Error("a model that predicts numbers has no probabilities to fit", "train it on classes");
  const std::vector<double> margins = predict_margins(model, held_out, threads);
  const auto outputs = static_cast<std::size_t>(model.outputs());
  ClassFinder finder(model);
  finder.start(held_out.y);
  std::vector<Index> classes, rows;  // of the rows whose class is known
  std::vector<double> weights;
  for (Index i = 0; i < held_out.rows(); ++i) {
    const Index place = finder.find(held_out.y, held_out.y.values[i]);
    if (place < 0) continue;
    rows.push_back(i);
    classes.push_back(place);
    if (!held_out.weights.empty()) weights.push_back(held_out.weights[i]);
  }

  std::vector<double> platt, own_margins(rows.size());
  std::vector<char> in_class(rows.size());
  for (std::size_t k = 0; k < outputs; ++k) {
    const auto own_class = static_cast<Index>(outputs == 1 ? 1 : k);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      own_margins[i] = margins[static_cast<std::size_t>(rows[i]) * outputs + k];
      in_class[i] = classes[i] == own_class ? 1 : 0;
    }
    const PlattSigmoid sigmoid = fit_platt(own_margins, in_class, weights);
    platt.insert(platt.end(), {sigmoid.a, sigmoid.b});
  }
  model.platt = std::move(platt);
  model.link = Link::platt;
}

}  // namespace s3gd
