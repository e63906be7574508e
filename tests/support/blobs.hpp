// Rows around K centres that overlap, with the number of their centre as label.
#pragma once

#include <string>
#include <vector>

#include "base/random.hpp"
#include "s3gd/dataset.hpp"

namespace s3gd::testing {

struct Blobs {
  Index rows = 150;
  Index cols = 6;
  Index classes = 5;
  bool sparse = false;
  bool weighted = false;
  std::uint64_t seed = 1;
};

inline Dataset blobs(const Blobs& shape) {
  Rng rng(shape.seed, 21);
  std::vector<double> centres(static_cast<std::size_t>(shape.classes * shape.cols));
  for (double& value : centres) value = rng.normal();
  std::vector<float> dense, values;
  std::vector<std::int32_t> columns;
  std::vector<std::int64_t> starts{0};
  std::vector<double> labels, weights;
  for (Index i = 0; i < shape.rows; ++i) {
    const Index k = i < shape.classes ? i : rng.below(shape.classes);  // every class has rows
    for (Index j = 0; j < shape.cols; ++j) {
      const double value = centres[static_cast<std::size_t>(k * shape.cols + j)] + rng.normal();
      const float kept = rng.uniform() < 0.7 ? static_cast<float>(value) : 0.0F;
      dense.push_back(kept);
      if (kept == 0.0F) continue;
      values.push_back(kept);
      columns.push_back(static_cast<std::int32_t>(j));
    }
    starts.push_back(static_cast<std::int64_t>(values.size()));
    labels.push_back(static_cast<double>(k));
    weights.push_back(0.25 + rng.uniform());
  }
  Dataset data;
  data.source = "blobs";
  data.x = shape.sparse ? Matrix::own_csr(std::move(values), std::move(columns), std::move(starts), shape.cols)
                        : Matrix::own_dense(std::move(dense), shape.rows, shape.cols);
  data.y.kind = LabelKind::classes;
  data.y.values = Array<double>(std::move(labels));
  if (shape.weighted) data.weights = Array<double>(std::move(weights));
  return data;
}

inline Dataset with_words(Dataset data, std::vector<std::string> names) {
  data.y.class_names = std::move(names);
  return data;
}

}  // namespace s3gd::testing
