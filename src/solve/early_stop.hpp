// Early stopping: watches the mean loss over the validation rows, the penalty left out, and keeps the parameters that
// did best. A look that does not lower the best loss by a ten-thousandth counts against the patience.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "base/archive.hpp"
#include "solve/inputs.hpp"

namespace s3gd {

class EarlyStop {
 public:
  EarlyStop() = default;  // never
  // penalty: what a test objective holds besides the loss.
  EarlyStop(Index patience, std::function<double(std::span<const double> w)> penalty)
      : patience_(patience), penalty_(std::move(penalty)) {}

  bool wanted() const { return patience_ > 0; }
  // A look at parameters whose objective on the validation rows is known. True: the patience is at its end.
  bool look(std::span<const double> w, double test_objective) {
    const double loss = test_objective - penalty_(w);
    if (loss < least_) {
      least_ = loss;
      best_.assign(w.begin(), w.end());
    }
    const bool progress =
        loss < level_ - kProgress * std::abs(level_) || level_ == std::numeric_limits<double>::infinity();
    if (progress) level_ = loss;
    without_progress_ = progress ? 0 : without_progress_ + 1;
    return without_progress_ >= patience_;
  }
  const std::vector<double>& best() const { return best_; }  // empty before the first look

  void state(Archive& a) { a(best_, least_, level_, without_progress_); }

 private:
  static constexpr double kProgress = 1e-4;  // relative: what falls by less has stopped falling

  Index patience_ = 0;
  std::function<double(std::span<const double> w)> penalty_;
  std::vector<double> best_;
  double least_ = std::numeric_limits<double>::infinity();  // loss of best_
  double level_ = std::numeric_limits<double>::infinity();  // the loss progress is measured from
  Index without_progress_ = 0;
};

}  // namespace s3gd
