// SAG and SAGA: h_i is the row's slope when it was last seen; the drift, the mean of those, follows the table.
//
//     SAGA   g = sum weight_i (psi'(w.x_i) - t_i) x_i + sum_i q_i t_i x_i            unbiased
//     SAG    g = sum q_i (psi'(w.x_i) - t_i) x_i + sum_i q_i t_i x_i                 biased, smaller variance
//
// The table starts at the slopes of the first iterate (one pass). Memory n numbers.
#include <algorithm>

#include "oracle/control.hpp"
#include "oracle/full_gradient.hpp"

namespace s3gd {
namespace {

template <class T, bool Biased>
class SagaControl final : public Control<T> {
 public:
  explicit SagaControl(const ControlInput& input) : problem_(input.problem) {}

  void refresh(Iterate<T>& iterate) override {
    if (table_.slopes.empty()) {
      std::vector<double> w(static_cast<std::size_t>(problem_.dim()));
      iterate.read(w);
      table_.evaluate(problem_, w);
      iterate.set_drift(table_.gradient);
      passes_ += 1;
    } else if (rows_since_exact_ > kRowsBetweenExactDrifts * static_cast<double>(problem_.rows())) {
      weighted_table(table_.slopes, changes_);
      transpose_times(problem_, changes_, table_.gradient);
      iterate.set_drift(table_.gradient);
      passes_ += 1;
      rows_since_exact_ = 0;
    }
  }

  void control(std::span<const Index> rows, const double*, double* out) const override {
    for (std::size_t b = 0; b < rows.size(); ++b) out[b] = table_.slopes[static_cast<std::size_t>(rows[b])];
  }

  void coefficients(const Batch& batch, const double*, double* slopes) override {
    changes_.assign(slopes, slopes + batch.rows.size());
    for (std::size_t b = 0; b < batch.rows.size(); ++b)
      slopes[b] = batch.weights[b] * (slopes[b] - table_.slopes[static_cast<std::size_t>(batch.rows[b])]);
    for (std::size_t b = 0; b < batch.rows.size(); ++b) {
      double& kept = table_.slopes[static_cast<std::size_t>(batch.rows[b])];
      const double seen = changes_[b];
      changes_[b] = problem_.weight(batch.rows[b]) * (seen - kept);  // 0 the second time a row is in the batch
      kept = seen;
    }
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
    for (std::size_t i = 0; i < slopes.size(); ++i) out[i] = problem_.weight(static_cast<Index>(i)) * slopes[i];
  }

  Problem problem_;
  FullGradient table_;
  std::vector<double> changes_;
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
