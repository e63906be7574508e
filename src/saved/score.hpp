// How good margins of rows with labels are: the metrics of cross-validation by name, each one number of Metrics.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "problem/names.hpp"
#include "s3gd/model.hpp"
#include "s3gd/model_use.hpp"
#include "s3gd/path.hpp"

namespace s3gd {

// Which of a model's classes a label names.
class ClassFinder {
 public:
  explicit ClassFinder(const Model& model) {
    if (model.classes.size() == 2 && model.classes[0] == kRestClass) other_ = 0;
    for (std::size_t k = 0; k < model.classes.size(); ++k) places_.emplace(model.classes[k], static_cast<Index>(k));
  }

  // Called for labels of one Labels after the other.
  void start(const Labels& labels) {
    if (!labels.class_names.empty() || words_ || known_.size() > kMostRemembered) known_.clear();
    words_ = !labels.class_names.empty();
  }
  // A place in the model's classes; -1: none of them.
  Index find(const Labels& labels, double value) {
    value += 0.0;  // minus zero is zero
    const auto known = known_.find(value);
    if (known != known_.end()) return known->second;
    const auto place = places_.find(labels.name_of(value));
    return known_[value] = place == places_.end() ? other_ : place->second;
  }

 private:
  static constexpr std::size_t kMostRemembered = 1 << 16;

  std::unordered_map<std::string, Index> places_;
  std::unordered_map<double, Index> known_;  // labels seen before
  bool words_ = false;
  Index other_ = -1;
};

// What depends on the order of the margins of two classes: area under the ROC curve and average precision.
//
// Keeps each different margin once, with the weight of the positives and the negatives that have it. When more than
// kMostMargins are different, their last binary digits are dropped, as few as will do: memory stays bounded, and rows
// whose margins agree in all other digits count as ties.
class Ranking {
 public:
  static constexpr std::size_t kMostMargins = std::size_t{1} << 20;
  explicit Ranking(std::size_t most_margins = kMostMargins) : most_(most_margins) {}

  void add(double margin, bool positive, double weight);

  struct Result {
    double auc, average_precision;  // NaN without rows of both classes
    bool exact;                     // no digits were dropped
  };
  Result result();

 private:
  struct Entry {
    double margin, positive, negative;
  };
  void merge();  // sorts, and makes one entry of those with the same margin

  std::size_t most_;
  std::vector<Entry> entries_;
  std::size_t next_merge_ = 0;  // number of entries at which they are merged
  int dropped_ = 0;             // binary digits of each margin
};

template <>
std::span<const Name<ScoreKind>> names();

// A model of the kind the task's points have, all weights zero.
Model some_model(const Task& task);

// Says how good margins of the same rows are, one set of them after the other: the labels are looked up once.
class Judge {
 public:
  // like: a model with the classes and the link of those that made the margins.
  Judge(ScoreKind metric, Model like, const Dataset& rows);

  // NaN where the metric does not exist: an auc with one class only.
  double operator()(std::span<const double> margins) const;

 private:
  ScoreKind metric_;
  Model like_;
  Labels labels_;
  Array<double> weights_;
  std::vector<Index> classes_;  // of the rows, as places in the model's; none for regression
};

}  // namespace s3gd
