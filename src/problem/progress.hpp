// How a method tells the run it is part of where it is, and hears whether to go on.
#pragma once

#include <span>

namespace s3gd {

// Whom a method tells where it is. The run's clock stands still inside moved().
class Progress {
 public:
  virtual ~Progress() = default;
  // w has changed, `passes` passes over the rows were made since the method began. F(w) and the relative gap where
  // the method has them anyway, NaN otherwise. False: end now.
  virtual bool moved(std::span<const double> w, double passes, double objective, double gap) = 0;
  // For inner loops of more than a few milliseconds: an interrupt, or the time is up.
  virtual bool must_stop() const = 0;
};

}  // namespace s3gd
