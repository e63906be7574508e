// Does a run still make progress? Judged by the losses of its batches at the w they were drawn for, before the step: an
// unbiased estimate of the loss part of F that costs nothing but the losses themselves.
//
// The batches are cut into windows, each half as long again as the one before. A run is at its plateau when two windows
// in a row are not below their predecessors by more than the noise of their means.
#pragma once

#include <algorithm>
#include <cmath>

#include "s3gd/matrix.hpp"

namespace s3gd {

class PlateauWatch {
 public:
  explicit PlateauWatch(Index first_window) : length_(first_window) {}

  void add(double batch_loss) {
    ++count_;
    sum_ += batch_loss;
    squares_ += batch_loss * batch_loss;
    if (count_ < length_) return;
    const auto n = static_cast<double>(count_);
    const double mean = sum_ / n;
    const double noise = std::max(0.0, squares_ / n - mean * mean) / n;  // variance of the mean
    if (has_last_) still_ = last_mean_ - mean > kDeviations * std::sqrt(noise + last_noise_) ? 0 : still_ + 1;
    plateau_ = plateau_ || still_ >= 2;
    has_last_ = true;
    last_mean_ = mean;
    last_noise_ = noise;
    length_ += length_ / 2;
    count_ = 0;
    sum_ = squares_ = 0;
  }

  bool plateau() const { return plateau_; }

 private:
  static constexpr double kDeviations = 2;

  Index length_, count_ = 0;
  double sum_ = 0, squares_ = 0;
  bool has_last_ = false;
  double last_mean_ = 0, last_noise_ = 0;
  int still_ = 0;  // windows in a row without progress
  bool plateau_ = false;
};

}  // namespace s3gd
