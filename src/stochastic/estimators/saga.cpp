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
  explicit SagaControl(const ControlInput& input) : Control<T>(input.problem->outputs()), problem_(input.problem) {}

  void refresh(Iterate<T>& iterate) override {
    if (table_.slopes.empty()) {
      std::vector<double> w(static_cast<std::size_t>(problem_->dim()));
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
    const std::size_t count = batch.rows.size();
    changes_.assign(slopes, slopes + static_cast<Index>(count) * this->outputs());
    kept_.resize(changes_.size());
    table_.slopes_of(batch.rows, this->outputs(), kept_.data());
    this->subtract(batch, kept_.data(), slopes);
    for_each_slope(count, this->outputs(), [&](std::size_t b, std::size_t place) {
      const auto k = static_cast<std::size_t>(this->outputs());
      double& kept = table_.slopes[static_cast<std::size_t>(batch.rows[b]) * k + place - b * k];
      const double seen = changes_[place];
      changes_[place] = problem_->weight(batch.rows[b]) * (seen - kept);  // 0 the second time a row is in the batch
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

  void weighted_table(const std::vector<double>& slopes, std::vector<double>& out) const {
    out.resize(slopes.size());
    for_each_slope(static_cast<std::size_t>(problem_->rows()), this->outputs(), [&](std::size_t i, std::size_t place) {
      out[place] = problem_->weight(static_cast<Index>(i)) * slopes[place];
    });
  }

  StochasticProblem problem_;
  FullGradient table_;
  std::vector<double> changes_, kept_;
  double rows_since_exact_ = 0;
  double passes_ = 0;
};

}  // namespace

template <class T>
std::unique_ptr<Control<T>> make_saga_control(const ControlInput& input) {
  return std::make_unique<SagaControl<T, false>>(input);
}

template <class T>
std::unique_ptr<Control<T>> make_sag_control(const ControlInput& input) {
  return std::make_unique<SagaControl<T, true>>(input);
}

template std::unique_ptr<Control<float>> make_saga_control(const ControlInput&);
template std::unique_ptr<Control<double>> make_saga_control(const ControlInput&);
template std::unique_ptr<Control<float>> make_sag_control(const ControlInput&);
template std::unique_ptr<Control<double>> make_sag_control(const ControlInput&);

}  // namespace s3gd
