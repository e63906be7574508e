// What searches for the optimum of a smooth problem share: a point with its gradient, steps over all rows that cost one
// pass each, and the end by certificate. A search differs in its metric and in how it begins.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "exact/finisher.hpp"
#include "exact/metric.hpp"
#include "exact/search.hpp"
#include "problem/certificate.hpp"
#include "problem/optimality.hpp"
#include "problem/penalty.hpp"

namespace s3gd {

class SmoothSearch {
 protected:
  struct Point : SearchPoint {
    Point() { float_error = 1e-8; }
    std::optional<OfPositives> positives;  // kept where certificates will ask for them
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
  double gap() const;  // about
  bool certified();
  // Whether the search is over where the gap is about this; then it ends as converged. Steps over all rows leave so little
  // of a gap that a certificate that said no is asked for again after the next.
  bool reached(double gap);
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
  Arithmetic arithmetic_ = Arithmetic::data;
  std::vector<double> margins_, new_margins_, aim_;
  std::vector<double> curvatures_;  // empty: not made yet
  bool running_ = true;
  bool goes_on_ = false;
  bool needs_positives_ = false;
};

}  // namespace s3gd
