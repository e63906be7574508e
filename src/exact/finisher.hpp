// Finishers: methods that take parameters from wherever they are to the tolerance, exactly.
//
// A stochastic stage brings w near the optimum; a finisher, chosen by the shape of the problem, certifies it. To add
// one: a file with a function like those below, one line in finisher_table().
#pragma once

#include <limits>
#include <span>

#include "problem/needs.hpp"
#include "s3gd/problem.hpp"
#include "s3gd/softmax.hpp"

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

// Tells of a run that follows another: its passes count `share` as much, after those made before.
class Following final : public Progress {
 public:
  // of_f: its values and gaps are those of F, not of another problem on the way.
  Following(Progress& progress, double passes, double share = 1, bool of_f = true)
      : progress_(progress), passes_(passes), share_(share), of_f_(of_f) {}
  bool moved(std::span<const double> w, double passes, double objective, double gap) override {
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    ended_ = !progress_.moved(w, passes_ + share_ * passes, of_f_ ? objective : kUnknown, of_f_ ? gap : kUnknown);
    return !ended_;
  }
  bool must_stop() const override { return ended_ || progress_.must_stop(); }

 private:
  Progress& progress_;
  double passes_, share_;
  bool of_f_, ended_ = false;
};

// Of one output, or of softmax.
template <class AnyProblem>
struct FinishInputOf {
  const AnyProblem& problem;
  double tol = 1e-4;  // relative gap, as in Certificate
  std::uint64_t seed = 0;
  Index max_iterations = std::numeric_limits<Index>::max();
};
using FinishInput = FinishInputOf<Problem>;

enum class FinishEnd : std::uint8_t { converged, stopped, stalled };  // stopped: by Progress or max_iterations

struct Finish {
  std::vector<double> w;                                                                 // the best parameters seen
  Certificate certificate = {.relative_gap = std::numeric_limits<double>::quiet_NaN()};  // NaN: not made yet
  FinishEnd end = FinishEnd::stopped;
  Index iterations = 0;
  double passes = 0;
};

// Solves problems over the same rows that differ in their penalty alone, one after the other, each from where the last
// one ended.
class FinishSequence {
 public:
  virtual ~FinishSequence() = default;
  virtual Finish next(const FinishInput& input, Progress& progress) = 0;
};

template <class AnyProblem>
struct FinisherOf {
  std::string name;
  std::string summary;
  std::vector<const NeedOf<AnyProblem>*> needs = {};  // without which it cannot solve a problem at all
  // Whether it is worth being preferred, for one problem or for a sequence of them; null: always.
  bool (*pays)(const AnyProblem& problem, bool for_many) = nullptr;
  // Passes of S3GD that are worth making first; null or 0: it makes its own start from nothing.
  double (*start_passes)(const AnyProblem& problem) = nullptr;
  Finish (*run)(const FinishInputOf<AnyProblem>& input, std::vector<double> start, Progress& progress) = nullptr;
  Index first_segment = 20;  // iterations of the first segment of solve/segments.hpp
  // Null: nothing but the parameters is worth keeping for the next problem.
  std::unique_ptr<FinishSequence> (*sequence)(const AnyProblem& first, std::vector<double> start) = nullptr;
  bool sequence_from_nothing = false;  // a sequence needs no first solution to begin with

  bool suits(const AnyProblem& problem) const { return missing(needs, problem) == nullptr; }
};
using Finisher = FinisherOf<Problem>;

const std::vector<Finisher>& finisher_table();
// The first that suits and pays; there always is one. `for_many`: other penalties will follow.
const Finisher& first_that_suits(const Problem& problem, bool for_many = false);
const Finisher* find_finisher(const std::string& name);

using SoftmaxFinishInput = FinishInputOf<SoftmaxProblem>;
using SoftmaxFinisher = FinisherOf<SoftmaxProblem>;

// Quasi-Newton in the metric of a sampled Hessian: l2 or no penalty.
Finish finish_by_quasi_newton(const SoftmaxFinishInput& input, std::vector<double> start, Progress& progress);

// Proximal quasi-Newton: any penalty.
Finish finish_by_prox_newton(const SoftmaxFinishInput& input, std::vector<double> start, Progress& progress);

// In the order of preference among those that suit; the last suits everything.
const std::vector<SoftmaxFinisher>& softmax_finisher_table();
const SoftmaxFinisher* find_softmax_finisher(const std::string& name);

// The squared loss by the products of its columns, summed once; penalties without a 2-norm.
extern const Need kFewColumns;
bool gram_pays(const Problem& problem, bool for_many);
Finish finish_by_gram(const FinishInput& input, std::vector<double> start, Progress& progress);
std::unique_ptr<FinishSequence> gram_sequence(const Problem& first, std::vector<double> start);

// Prox-Newton over a small, growing set of coordinates, for penalties with a 1-norm.
Finish finish_by_active_set(const FinishInput& input, std::vector<double> start, Progress& progress);
std::unique_ptr<FinishSequence> active_set_sequence(const Problem& first, std::vector<double> start);

// Quasi-Newton in the metric of a sampled Hessian, for smooth penalties and up to a few thousand columns.
extern const Need kCheapFactor;
double start_of_sampled_newton(const Problem& problem);
Finish finish_by_sampled_newton(const FinishInput& input, std::vector<double> start, Progress& progress);
std::unique_ptr<FinishSequence> sampled_newton_sequence(const Problem& first, std::vector<double> start);

// L-BFGS over all rows, for smooth penalties. Never the first choice: there to be asked for by name.
Finish finish_by_lbfgs(const FinishInput& input, std::vector<double> start, Progress& progress);

// The reference solver.
Finish finish_by_newton(const FinishInput& input, std::vector<double> start, Progress& progress);

// Dual coordinate ascent, for l2 on every feature and nothing else. It suits sparse rows that are wide or whose coupling
// is loose.
extern const Need kSparseRows, kLooseRows;
Finish finish_by_dual_ascent(const FinishInput& input, std::vector<double> start, Progress& progress);
std::unique_ptr<FinishSequence> dual_ascent_sequence(const Problem& first, std::vector<double> start);

}  // namespace s3gd
