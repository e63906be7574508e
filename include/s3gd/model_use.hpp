// What is done with a model: probabilities fitted to it, its predictions judged, the model written for other programs.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "s3gd/model.hpp"

namespace s3gd {

// Platt scaling: probabilities for models that have none, by a sigmoid of the margin m fitted on rows the model was not
// fitted on:
//
//     p(m) = 1 / (1 + exp(a m + b)),    (a, b) minimise -sum_i q_i [ t_i log p(m_i) + (1 - t_i) log(1 - p(m_i)) ]
//
// With n+ rows of the class and n- others, t_i is (n+ + 1) / (n+ + 2) for the former and 1 / (n- + 2) for the latter:
// what is known after so few rows, rather than 1 and 0, so that there is a minimum even where margins separate the
// classes. The sum is convex, and Newton's method finds its minimum in a few passes over the margins.

struct PlattSigmoid {
  double a = 0;
  double b = 0;
};

// in_class: not zero where the row is of the class. weights: one per row, or none; only their ratios count.
PlattSigmoid fit_platt(std::span<const double> margins, std::span<const char> in_class,
                       std::span<const double> weights = {});

// Gives a model for classes the link `platt`, each output's sigmoid fitted on `held_out`. Rows of classes it does not
// know are left out.
void calibrate(Model& model, const Dataset& held_out, int threads = 0);

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
  // classes x classes, up to 2048 classes: weight of the rows of a class by predicted class
  std::vector<double> confusion;
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

// Models for other programs: docs/export.md says what each format holds and how it is used.

struct ExportFormat {
  std::string name;
  std::string summary;  // one line
};
std::vector<ExportFormat> export_formats();

struct Exported {
  std::string bytes;                 // the file's contents
  std::vector<std::string> remarks;  // for people: how it is used, and what the format could not say
};

// name: what the names of the C functions begin with; other formats do not use it. What a format cannot express is an
// Error with a remedy.
Exported export_model(const Model& model, const std::string& format, const std::string& name = "model");

}  // namespace s3gd
