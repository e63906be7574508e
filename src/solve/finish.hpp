// The exact part of a run: a finisher from wherever the parameters are, after one that got stuck the last in line, which
// suits everything, and the last word on where that ended. The same for one output, for one class of several fitted
// together and for softmax: what they are stands behind the finisher's function and the journal's.
#pragma once

#include "solve/checkpoint.hpp"
#include "solve/early_stop.hpp"

namespace s3gd {

// What a run asks of the problem, whatever its kind.
struct JournalSource {
  std::function<double(std::span<const double> w)> objective;
  std::function<Certificate(std::span<const double> w)> certify;
  std::function<double(std::span<const double> w)> test_objective;  // empty: no test rows
  std::function<double(std::span<const double> w)> penalty;         // part of the latter; for early stopping
  std::function<bool(const TraceRow&)> watch;                       // as in OneOutputInput
};

// Of a solve made of stages: one clock, one trace, one budget for all of them.
class Journal final : public Progress {
 public:
  Journal(JournalSource source, const SolveOptions& options);
  Journal(const Problem& problem, const SolveOptions& options, const OneOutputInput& input);
  Journal(const SoftmaxProblem& problem, const SolveOptions& options, const SoftmaxInput& input);

  // A stage that kept its own clock and trace (an estimator's run): adds what it did.
  void append(Solution&& stage);
  void begin_stage(const std::string& name);
  // A part of the stage is over: the passes told from now on are counted from here.
  void begin_segment(double passes_of_leg_before) { segment_passes_ += passes_of_leg_before, stage_passes_ = 0; }
  void end_stage(Index iterations, double passes, const std::string& why);

  bool moved(std::span<const double> w, double passes, double objective, double gap) override;
  bool must_stop() const override;

  Certificate certify(std::span<const double> w) const { return source_.certify(w); }
  // Why a finisher ended, for people.
  const char* why(FinishEnd end) const;
  // What stopped the run, where must_stop() or moved() said so.
  Status stopped_by() const { return !stopped_ && time_is_up() ? Status::out_of_time : stopped_by_; }
  double wall_seconds() const { return before_.solve_seconds + before_.graph_seconds + clock_.wall_seconds(); }
  double passes() const { return before_.passes + segment_passes_ + stage_passes_; }
  Index iterations() const { return before_.iterations; }

  // The last word on where the last stage ended: status and certificate, made where it is lacking. The best parameters on
  // the validation rows, where the run stops by those and has not converged.
  Solution conclude(Finish finish);
  // As that, with everything told: parameters, status and certificate, with everything that was noted on the way.
  Solution close(std::vector<double> w, Status status, const Certificate& certificate);

  void state(Archive& a);

 private:
  void stop(Status why);
  bool note(TraceRow row);  // into the trace; false: whoever watches wants no more
  bool time_is_up() const { return options_.seconds > 0 && wall_seconds() >= options_.seconds; }
  double test_objective(std::span<const double> w) const;
  bool traced() const { return options_.trace_every != 0 || source_.watch; }

  JournalSource source_;
  const SolveOptions& options_;
  RunClock clock_;
  Summary before_;  // of the stages that kept their own clock, and the sums so far
  std::vector<TraceRow> trace_;
  std::string stage_;
  double stage_began_ = 0;
  double stage_passes_ = 0, segment_passes_ = 0;
  EarlyStop early_stop_;
  Index moves_ = 0;
  double evaluate_seconds_ = 0;
  Status stopped_by_ = Status::out_of_passes;
  bool stopped_ = false;
};

// A finisher bound to its problem.
struct BoundFinisher {
  std::string name;
  Index first_segment = 20;  // see solve/finish.cpp
  std::function<Finish(std::uint64_t seed, Index max_iterations, std::vector<double> start, Progress&)> run;
};

template <class AnyProblem>
BoundFinisher bound(const FinisherOf<AnyProblem>& finisher, const AnyProblem& problem, double tol) {
  return {finisher.name, finisher.first_segment,
          [&, tol](std::uint64_t seed, Index max_iterations, std::vector<double> start, Progress& progress) {
            return finisher.run({problem, tol, seed, max_iterations}, std::move(start), progress);
          }};
}

struct ExactPart {
  const SolveOptions& options;
  Journal& journal;
  std::function<BoundFinisher(const std::string& name)> finisher;
  std::string last;                           // name of the one that suits everything
  Checkpoint* checkpoint = nullptr;           // null: none is kept
  std::function<Solution()> begin = nullptr;  // steps of S3GD, for a run that has no start; null: they do not pay
};

// From `start`; from what the checkpoint was left with, where the run is resumed.
Solution finish_with(const ExactPart& part, const std::string& name, std::vector<double> start);
// The same after a finisher that was run elsewhere; its stage is the journal's present one.
Solution finish_after(const ExactPart& part, const std::string& name, Finish finish);

}  // namespace s3gd
