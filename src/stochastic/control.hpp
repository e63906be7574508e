// Control: what sets one gradient estimator apart from another.
//
//     g = sum over the batch of weight_i x_i (psi'(u_i) - h_i)'  +  drift,       drift = sum_i q_i x_i h_i'
//
// Slopes psi'(u_i) and controls h_i are K numbers a row, one for each output (stochastic/outputs.hpp); arrays are rows x K.
// A control supplies h_i and the drift; the sampler supplies rows and weights; the loop does the rest. Any control is
// unbiased with any sampler, because the drift is exactly the mean of what is subtracted (SAG apart, which is biased by
// design). To add an estimator: one file with a class like those below, one line in estimator_table().
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "problem/needs.hpp"
#include "s3gd/graph.hpp"
#include "stochastic/iterate.hpp"
#include "stochastic/sampler.hpp"

namespace s3gd {

struct ControlInput {
  StochasticProblem problem;
  const Graph* graph = nullptr;  // S3GD only; none = it grows as rows are visited, by `streaming`
  bool accelerated = false;      // GD only
  ControlMode mode = ControlMode::adaptive;
  GraphOptions streaming = {};
  Propagation propagation = Propagation::constant;  // S3GD only; not `automatic`
};

template <class T>
class Control {
 public:
  explicit Control(const ControlInput& input) : problem_(input.problem) {}
  virtual ~Control() = default;

  // The vectors the drift is combined from, when it is (S3GD).
  virtual const DriftBasis<T>* basis() const { return nullptr; }

  // How many of the coming rows the control wants to be told of at the next snapshot; 0 = none.
  virtual Index rows_wanted(Index /*until_snapshot*/) const { return 0; }
  // Told before a snapshot: so many rows in the order they will be drawn, or fewer where a pass ends sooner. The first
  // `until_snapshot` of them
  // are drawn before the snapshot after this one.
  virtual void coming(std::span<const Index> /*rows*/, Index /*until_snapshot*/) {}

  // A snapshot: called before the first step and then once every `inner` steps. Sets the drift.
  virtual void refresh(Iterate<T>&) {}

  // Before a snapshot: what the budget leaves, so that none of it goes into what no step would profit from.
  void set_passes_left(double passes) { passes_left_ = passes; }

  // Steps after which the next snapshot is wanted at the latest, where that is not for the spacing's rule alone to say.
  virtual Index longest_spacing() const { return std::numeric_limits<Index>::max(); }

  // The rows the drift is the mean over, while that is not yet all rows: the estimate is unbiased for their mean.
  virtual std::span<const Index> rows_covered() const { return {}; }
  // Numbers of length d a snapshot combines into a dense drift; 0 where its cost does not grow with d.
  virtual Index drift_vectors() const { return 0; }

  // h_i for rows whose margins at the current W are given.
  virtual void control(std::span<const Index> rows, const double* /*margins*/, double* out) const {
    std::fill(out, out + std::ssize(rows) * outputs(), 0.0);
  }

  // From slopes psi'(u_i) to the spike's coefficients, in place.
  virtual void coefficients(const Batch& batch, const double* margins, double* slopes) {
    scratch_.resize(batch.rows.size() * at(outputs()));
    control(batch.rows, margins, scratch_.data());
    subtract(batch, scratch_.data(), slopes);
  }

  // After the step; SAGA changes its table and drift here, accelerated GD extrapolates.
  virtual void after_step(const Batch&, Iterate<T>&) {}

  // The solution the estimator stands for, where it is not the iterate itself.
  virtual void report(Iterate<T>& iterate, std::span<double> w) const { iterate.read(w); }

  // What earlier steps left behind, for a checkpoint made just before a snapshot.
  virtual void state(Archive&) {}
  // What is left of the second moment of SGD's estimate, over past batches; NaN where it is not followed.
  virtual double moment_left() const { return std::numeric_limits<double>::quiet_NaN(); }

  virtual double extra_passes() const { return 0; }         // passes over the rows spent outside of batches, so far
  virtual double passes_per_snapshot() const { return 0; }  // what a snapshot adds to them
  virtual bool draws_rows() const { return true; }

 protected:
  Index outputs() const { return problem_->outputs(); }
  // slopes <- weight_i (slopes - h)
  void subtract(const Batch& batch, const double* h, double* slopes) const {
    for_each_slope(batch.rows.size(), outputs(), [&](std::size_t b, std::size_t place) {
      slopes[place] = batch.weights[b] * (slopes[place] - h[place]);
    });
  }

  StochasticProblem problem_;
  double passes_left_ = std::numeric_limits<double>::infinity();

 private:
  std::vector<double> scratch_;
};

// Whose smoothness the automatic step goes by: a mini-batch's, a single row's (SAG: old slopes outweigh the batch, so a
// larger batch does not allow a larger step), or all rows' together.
enum class StepBasis : std::uint8_t { batch, single_row, all_rows };

// Makes a control of the data's own precision.
struct ControlMaker {
  std::unique_ptr<Control<float>> (*of_float)(const ControlInput&) = nullptr;
  std::unique_ptr<Control<double>> (*of_double)(const ControlInput&) = nullptr;
};
template <template <class> class Kind>
constexpr ControlMaker maker() {
  return {
      [](const ControlInput& input) -> std::unique_ptr<Control<float>> { return std::make_unique<Kind<float>>(input); },
      [](const ControlInput& input) -> std::unique_ptr<Control<double>> {
        return std::make_unique<Kind<double>>(input);
      }};
}
// One for each file of estimators/; without a graph, s3gd's is the one that grows.
extern const ControlMaker kSvrgControl, kScvControl, kS3gdControl, kStreamingControl, kSagaControl, kSagControl,
    kGdControl;

// One line of the table of estimators.
struct Estimator {
  std::string name;
  std::string summary;
  ControlMaker maker;
  Index inner = 20;          // steps between two snapshots
  bool fixed_inner = false;  // inner = 1 by design
  Sampling sampling = Sampling::weighted;
  bool needs_graph = false;
  bool learns = false;  // how much of its controls to subtract, from past batches
  bool unbiased = true;
  Needs needs = {};  // without which it cannot solve a problem at all
  StepBasis step_basis = StepBasis::batch;

  template <class T>
  std::unique_ptr<Control<T>> build(const ControlInput& input) const {
    const ControlMaker& chosen = needs_graph && input.graph == nullptr ? kStreamingControl : maker;
    if constexpr (std::is_same_v<T, float>)
      return chosen.of_float(input);
    else
      return chosen.of_double(input);
  }
};

const std::vector<Estimator>& estimator_table();
const Estimator* find_estimator(const std::string& name);

// How good an estimate of the gradient is: its correlation with the exact gradient, and its variance over plain SGD's.
// Both at the current w with the control's current snapshot. Costs about two passes over the rows.
struct GradientQuality {
  double correlation = 0;         // Pearson over coordinates, mean over a few fresh batches
  double variance_ratio = 0;      // E||g - grad P||^2 over that of SGD with the same batch; exact
  std::vector<double> surrogate;  // drift - grad P: what the propagated gradient misses
};

template <class T>
GradientQuality measure_quality(const StochasticProblem& problem, const Control<T>& control, const Sampler& sampler,
                                bool unbiased, Index batch, std::span<const double> w, Rng& rng);

}  // namespace s3gd
