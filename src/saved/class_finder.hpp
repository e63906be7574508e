// Which of a model's classes a label names.
#pragma once

#include <string>
#include <unordered_map>

#include "s3gd/model.hpp"

namespace s3gd {

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

}  // namespace s3gd
