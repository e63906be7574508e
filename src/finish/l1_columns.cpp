// Coordinate descent along columns: H is never formed, only v = h * (X d) is kept. For working sets too large for a
// matrix, or so sparse that their columns are shorter than its rows.
#include <algorithm>
#include <cmath>

#include "finish/l1_model.hpp"

namespace s3gd {
namespace {

constexpr int kMostRounds = 100;
constexpr int kSweeps = 4;           // over the support, between two looks at all coordinates
constexpr Index kLookAround = 1024;  // coordinates between two questions whether to stop

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

class ColumnSearch {
 public:
  ColumnSearch(const L1Model& model, const ColumnStore& columns, std::span<const double> h)
      : model_(model), columns_(columns), h_(h), x_(model.x), pushed_(h.size(), 0.0), curvature_(model.x.size()) {
    for (Index k = 0; k < model.size(); ++k) {
      curvature_[at(k)] = columns.square(k, h.data()) + model.ridge[at(k)];
      if (!model.radial.empty())
        curvature_[at(k)] -= model.radial_curvature * model.radial[at(k)] * model.radial[at(k)];
    }
  }

  std::vector<double> run() {
    double total = 0;
    for (int round = 0; round < kMostRounds && !stopped_; ++round) {
      const double gain = sweep(false);
      total += gain;
      if (gain <= model_.accuracy * total) break;
      for (int k = 0; k < kSweeps && !stopped_; ++k) {
        const double inside = sweep(true);
        total += inside;
        if (inside <= 0.1 * model_.accuracy * total) break;
      }
    }
    std::vector<double> moved(x_.size());
    for (std::size_t k = 0; k < moved.size(); ++k) moved[k] = x_[k] - model_.x[k];
    return moved;
  }

 private:
  double sweep(bool support_only) {
    double gain = 0;
    for (Index k = 0; k < model_.size(); ++k) {
      if (k % kLookAround == 0 && model_.must_stop && model_.must_stop()) {
        stopped_ = true;
        break;
      }
      const double x = x_[at(k)], curvature = curvature_[at(k)];
      if (!(curvature > 0) || (support_only && x == 0)) continue;
      const double moved = x - model_.x[at(k)];
      double slope = model_.gradient[at(k)] + columns_.dot(k, pushed_.data()) + model_.ridge[at(k)] * moved;
      if (!model_.radial.empty()) slope -= model_.radial_curvature * model_.radial[at(k)] * along_;
      const double change = coordinate_change(x, slope, curvature, model_.l1[at(k)]);
      if (change == 0) continue;
      columns_.add(k, change, h_.data(), pushed_.data());
      if (!model_.radial.empty()) along_ += model_.radial[at(k)] * change;
      x_[at(k)] = x + change;
      gain += curvature * change * change;
    }
    return gain;
  }

  const L1Model& model_;
  const ColumnStore& columns_;
  std::span<const double> h_;
  std::vector<double> x_, pushed_, curvature_;  // x + d; h * (X d); the model's diagonal
  double along_ = 0;                            // v . d
  bool stopped_ = false;
};

}  // namespace

std::vector<double> minimise_by_columns(const L1Model& model, const WorkingColumns& columns,
                                        std::span<const double> curvatures) {
  return ColumnSearch(model, columns.store(), curvatures).run();
}

}  // namespace s3gd
