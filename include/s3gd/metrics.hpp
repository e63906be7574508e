// How good predictions are, against labels: row by row, so that data of any size can be judged in bounded memory.
//
// With sample weights q_i (1 where there are none), and sums over the rows whose label the model knows:
//   accuracy            share of the weight whose class is predicted
//   balanced accuracy   mean over the classes that occur of the accuracy within the class
//   log-loss            mean of -log P(class of the row)
//   AUC                 P(margin of a positive > margin of a negative), ties counting half
//   average precision   sum over thresholds t, descending, of (recall_t - recall_before) precision_t
//   RMSE, MAE           root of the mean square, and mean absolute, of label - prediction
//   R2                  1 - sum of squares of label - prediction / the same of label - mean label
//   deviance            mean of 2 (prediction - y + y log(y / prediction)), of counts y
//   D2                  1 - deviance / the same of the mean label as prediction
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "s3gd/model.hpp"

namespace s3gd {

struct CalibrationBin {
  double weight = 0;            // of the rows whose predicted probability of classes[1] lies in this tenth of [0, 1]
  double mean_probability = 0;  // as predicted; NaN without rows
  double positive_share = 0;    // as it is; NaN without rows
};

// NaN, or nothing at all, where one does not apply.
struct Metrics {
  Index rows = 0;     // that count
  Index unknown = 0;  // left out: their label is none of the model's classes (never where the other class is "rest")
  bool classification = true;
  double accuracy = 0, balanced_accuracy = 0, log_loss = 0;
  double auc = 0, average_precision = 0;  // two classes only
  double rmse = 0, mae = 0, r2 = 0;       // regression only
  double deviance = 0, d2 = 0;            // counts only
  std::vector<double>
      confusion;  // classes x classes: weight of the rows of a class by predicted class; up to 2048 classes
  std::vector<CalibrationBin> calibration;  // two classes with probabilities: ten
  bool ranks_exact = true;  // false: margins were rounded for AUC and average precision, as there were too many
};

// Takes rows in any number of portions; the result depends on the rows and their order, not on the portions.
// AUC and average precision need all different margins at once: 1 million are kept, and when there are more,
// margins are rounded to ever fewer digits.
class MetricsCounter {
 public:
  // The model must outlive it. ranks: whether AUC and average precision are wanted; NaN otherwise. calibration: whether
  // that table is.
  explicit MetricsCounter(const Model& model, bool ranks = true, bool calibration = true);
  ~MetricsCounter();
  // weights: one per label, or empty. margins: as predict_margins gives them.
  void add(const Labels& labels, std::span<const double> weights, std::span<const double> margins);
  // The same where it is known which of the model's classes each label names: -1 for none of them.
  void add(std::span<const Index> classes, std::span<const double> weights, std::span<const double> margins);
  Index known_rows() const;
  Metrics result() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

Metrics evaluate(const Model& model, const Dataset& data, std::span<const double> margins);

}  // namespace s3gd
