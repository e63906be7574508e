// The rows of a fold that are held out. All points of a path are judged on them together: a path may need fewer walks over
// its rows than it has points, and one walk for each of them would be what cross-validation costs. Squared errors need no
// margins where there are few columns: their products are summed once (exact/quadratic_loss.hpp).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "saved/score.hpp"

namespace s3gd {

class HeldOut {
 public:
  static constexpr Index kBytes = 64 << 20;

  // `rows` have the columns of the training rows. `training` must outlive this. Margins and weights of so many points are
  // looked at together as fit into `bytes`; it is one at least. `products` of the rows, or null.
  HeldOut(const Task& training, ScoreKind metric, Dataset rows, ColumnProducts products = {}, Index bytes = kBytes);

  // One for each point. Throws where a margin is not finite.
  std::vector<double> scores(std::span<const PathPoint> points) const;

 private:
  bool suits_products(std::span<const PathPoint> points) const;
  // Root mean squared errors; none where rounding may show.
  std::vector<double> errors_by_products(std::span<const PathPoint> points) const;
  Index points_at_once() const;
  // rows x outputs of each point, one point after the other.
  std::unique_ptr<double[]> margins(std::span<const PathPoint> points) const;

  const Task& training_;
  ScoreKind metric_;
  Dataset rows_;
  Judge judge_;
  ColumnProducts products_;
  Index bytes_;
};

}  // namespace s3gd
