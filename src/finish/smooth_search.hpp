// What searches for the optimum of a smooth problem share: a point with its gradient, steps over all rows that cost one
// pass each, and the end by certificate. A search differs in its metric and in how it begins.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "finish/finisher.hpp"
#include "finish/metric.hpp"
#include "finish/optimality.hpp"
#include "model/certificate.hpp"
#include "model/penalty.hpp"
#include "model/row_sums.hpp"

namespace s3gd {

bool is_smooth(const Problem& problem);  // its penalty is: no 1-norm, no bare 2-norm

class SmoothSearch {
 protected:
  struct Point {
    std::vector<double> w, gradient;  // of F: penalty included
    double value = std::numeric_limits<double>::infinity();
    Arithmetic made_in = Arithmetic::data;
    std::optional<OfPositives> positives;  // kept where certificates will ask for them

    // Differences of F below this are rounding.
    double rounding() const { return (made_in == Arithmetic::data ? 1e-8 : 1e-13) * std::abs(value); }
  };

  SmoothSearch(const FinishInput& input, std::vector<double> start, Progress& progress);

  // The same rows under another penalty, from the present point. From now on rows are seen in double, and what a step
  // has seen serves for certificates as well.
  void go_on(const FinishInput& input, Progress& progress);
  // Whether the rows were seen like that at the present point.
  bool knows_point() const { return !point_.gradient.empty() && point_.made_in == Arithmetic::exact; }

  // F and its gradient over the given rows, whose loss is scaled up to the whole; none given: all rows.
  void evaluate(std::span<const Index> rows, Point& at_point, const PerRow& keep = {});
  // Over all rows at the present point; keeps margins and curvatures.
  void evaluate_all();
  // One step over all rows in this metric; first, where there is one, by `bend` beside it. False when it gains nothing,
  // or the run is over.
  bool full_step(const Metric& metric, std::span<const double> bend = {});
  const std::vector<double>& curvatures();                 // of all rows at the present point; no pass
  const std::vector<double>& aim() const { return aim_; }  // where the last one would have gone unbent and whole
  // What to do after a step that gained nothing: false when there is no more to try.
  bool try_exact_arithmetic();
  void remember(const Point& from, const Point& to);
  bool report(std::span<const double> w);
  std::vector<double> loss_gradient() const;  // at the present point, without the penalty's
  double estimated_gap() const;
  bool certified();
  // Ends the search as certified or stalled, unless it has been stopped.
  void conclude();
  Finish take_result();
  bool running() const { return running_; }

  const FinishInput* input_;
  Problem problem_;
  Progress* progress_;
  std::vector<double> ridge_;  // second derivative of the penalty in each coordinate
  StepMemory memory_;
  Point point_;
  Finish finish_;

 private:
  double best_between(std::span<const double> direction) const;
  bool look(std::span<const double> direction, double t, Point& next);
  void move_to(Point& next);

  Penalty penalty_;
  Optimality optimality_;
  Arithmetic arithmetic_ = Arithmetic::data;
  std::vector<double> margins_, new_margins_, aim_;
  std::vector<double> curvatures_;  // empty: not made yet
  bool running_ = true;
  bool goes_on_ = false;
  bool needs_positives_ = false;
};

}  // namespace s3gd
