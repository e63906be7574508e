// SAG and SAGA: h_i is the row's slope when it was last seen; the drift, the mean of those, follows the table.
//
//     SAGA   g = sum weight_i x_i (psi'(W'x_i) - t_i)' + sum_i q_i x_i t_i'          unbiased
//     SAG    g = sum q_i x_i (psi'(W'x_i) - t_i)' + sum_i q_i x_i t_i'               biased, smaller variance
//
// The table starts at the slopes of the first iterate (one pass). Memory n K numbers.
#include <algorithm>

#include "stochastic/control.hpp"
#include "stochastic/estimators/full_gradient.hpp"

namespace s3gd {
namespace {

template <class T, bool Biased>
class SagaControl final : public Control<T> {
 public:
  using Control<T>::Control, Control<T>::problem_;

  void refresh(Iterate<T>& iterate) override {
    if (table_.slopes.empty()) {
      std::vector<double> w(at(problem_->dim()));
      iterate.read(w);
      table_.evaluate(problem_, w);
      iterate.set_drift(table_.gradient);
      passes_ += 1;
    } else if (rows_since_exact_ > kRowsBetweenExactDrifts * static_cast<double>(problem_->rows())) {
      weighted_table(table_.slopes, changes_);
      problem_->transpose_times(changes_, table_.gradient);
      iterate.set_drift(table_.gradient);
      passes_ += 1;
      rows_since_exact_ = 0;
    }
  }

  void control(std::span<const Index> rows, const double*, double* out) const override {
    table_.slopes_of(rows, this->outputs(), out);
  }

  void coefficients(const Batch& batch, const double*, double* slopes) override {
    const auto k = at(this->outputs());
    changes_.assign(slopes, slopes + batch.rows.size() * k);
    // Two rounds: a row that is in the batch twice has the same control both times.
    each(batch, [&](std::size_t b, std::size_t place, double& kept) {
      slopes[place] = batch.weights[b] * (slopes[place] - kept);
    });
    each(batch, [&](std::size_t b, std::size_t place, double& kept) {
      const double seen = changes_[place];
      changes_[place] = problem_->weight(batch.rows[b]) * (seen - kept);  // 0 the second time
      kept = seen;
    });
    if (Biased) std::copy(changes_.begin(), changes_.end(), slopes);
  }

  void after_step(const Batch& batch, Iterate<T>& iterate) override {
    iterate.add_to_drift(batch.rows, changes_.data());
    rows_since_exact_ += static_cast<double>(batch.size());
  }

  void state(Archive& a) override { a(table_.slopes, table_.gradient, rows_since_exact_, passes_); }
  double extra_passes() const override { return passes_; }

 private:
  // Rounding of the running drift adds up slowly; now and then it is made anew from the table.
  static constexpr double kRowsBetweenExactDrifts = 20;

  // Calls visit(b, place in rows x K, what the table has there).
  template <class Visit>
  void each(const Batch& batch, Visit&& visit) {
    const Index k = this->outputs();
    for_each_slope(batch.rows.size(), k, [&](std::size_t b, std::size_t place) {
      const Index output = k == 1 ? 0 : static_cast<Index>(place) - static_cast<Index>(b) * k;
      visit(b, place, table_.slopes[at(batch.rows[b] * k + output)]);
    });
  }
  void weighted_table(const std::vector<double>& slopes, std::vector<double>& out) const {
    out.resize(slopes.size());
    for_each_slope(at(problem_->rows()), this->outputs(), [&](std::size_t i, std::size_t place) {
      out[place] = problem_->weight(static_cast<Index>(i)) * slopes[place];
    });
  }

  FullGradient table_;
  std::vector<double> changes_;
  double rows_since_exact_ = 0;
  double passes_ = 0;
};
template <class T>
using Saga = SagaControl<T, false>;
template <class T>
using Sag = SagaControl<T, true>;

}  // namespace

const ControlMaker kSagaControl = maker<Saga>(), kSagControl = maker<Sag>();

}  // namespace s3gd
