#include "solve/early_stop.hpp"

#include "model/penalty.hpp"

namespace s3gd {
namespace {

constexpr double kProgress = 1e-4;  // relative: what falls by less has stopped falling

}  // namespace

EarlyStop::EarlyStop(const SolveOptions& options, const SolveInput& input) {
  if (options.patience <= 0 || input.test == nullptr) return;
  patience_ = options.patience;
  const ProblemSpec& spec = input.test->spec();
  penalty_ = [penalty = Penalty(spec.penalty, input.test->cols(), spec.intercept)](std::span<const double> w) {
    return penalty.value(w);
  };
}

bool EarlyStop::look(std::span<const double> w, double test_objective) {
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

}  // namespace s3gd
