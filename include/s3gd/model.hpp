// Model: what a fit leaves behind, and all that prediction needs. Immutable once made; saved in one small file.
//
// The weights apply to rows as they are in the user's file: column scaling done for the fit is folded into them.
#pragma once

#include <string>
#include <vector>

#include "s3gd/dataset.hpp"
#include "s3gd/problem.hpp"
#include "s3gd/scale.hpp"

namespace s3gd {

struct Model {
  std::vector<double> weights;  // one per feature
  double intercept = 0;
  LossSpec loss;
  PenaltySpec penalty;     // as fitted (factors left out), for the record
  bool unit_rows = false;  // rows are scaled to length 1 before the weights are applied
  std::string positive;    // the class behind a positive margin, as written in the data; empty: regression
  std::string negative;    // the other class, or "rest"
  std::vector<std::string> feature_names;  // one per feature, or empty
  std::optional<Index> index_base;         // as in the training file: see Dataset
  std::string label_column;
  double objective = 0;
  double relative_gap = 0;

  bool classifies() const { return !positive.empty(); }
};

// From fitted parameters; folds the scaling in.
Model make_model(const Problem& problem, std::span<const double> w, const Scaling& scaling,
                 const Certificate& certificate);

// A file with a magic line, a version, a JSON header, the weights as little-endian doubles and a checksum. Written
// beside and renamed. Loading a truncated, damaged or foreign file, or one of a newer version, is one clear Error.
void save_model(const Model& model, const std::string& path);
Model load_model(const std::string& path);
Model load_model_bytes(std::span<const char> bytes, const std::string& name);

// w.x_i + b for every row. Where both have feature names, columns are matched by name, in any order. Otherwise rows of
// open width (see Dataset) may lack columns, or hold some the model has not seen, which count for nothing; others must
// have as many columns as the model.
std::vector<double> predict_margins(const Model& model, const Dataset& data, int threads = 0);
// P(y = positive): logistic models only; throws for others.
double probability(const Model& model, double margin);

// Metrics against labels; NaN where they do not apply.
struct Metrics {
  Index rows = 0;     // that count
  Index unknown = 0;  // rows left out, as their label is neither of the model's classes (none where negative is "rest")
  bool classification = true;
  double accuracy = 0, log_loss = 0, auc = 0;
  double rmse = 0, r2 = 0;
};
Metrics evaluate(const Model& model, const Dataset& data, std::span<const double> margins);

}  // namespace s3gd
