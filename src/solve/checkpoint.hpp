// Checkpoint: what keeps the state of a run; mostly a file of its own. That is written beside and renamed, so that whatever kills the run
// leaves the last good one. It names the data (by checksum), the options and the version it belongs to; anything else
// is refused with one sentence that says what differs.
//
//   "s3gd-checkpoint 3\n"   magic and version
//   16 hex digits "\n"      checksum of all that follows
//   JSON "\n"               one line: {"version": .., "data": .., "options": {..}}
//   bytes                   an Archive of the run's state
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/archive.hpp"
#include "base/clock.hpp"
#include "solve/inputs.hpp"

namespace s3gd {

// What a run is a function of, in one line: the version, the data by its checksums, and every option that has a say in
// the result, as JSON: {"version": .., "data": .., "options": {"lambda": "0.001", ..}}. Threads, limits of time and the place
// of files have none.
std::string run_identity(const Problem& problem, const SolveOptions& options, const OneOutputInput& input);
std::string run_identity(const SoftmaxProblem& problem, const SolveOptions& options, const SoftmaxInput& input);
std::string run_identity(const OneVsRestProblem& problem, const SolveOptions& options, const SolveInput& input);
std::string rows_identity(const Problem& problem);  // the rows, targets and weights by their checksums: one pass
std::string options_identity(const ProblemSpec& spec, const SolveOptions& options);
// In words, the first thing that differs between what was kept and what is asked for; empty when nothing does.
std::string identity_difference(const std::string& kept, const std::string& asked);

// How the parts of a solution are kept.
inline void state(Archive& a, Stage& stage) { a(stage.name, stage.seconds, stage.iterations, stage.ended); }
inline void state(Archive& a, std::pair<std::string, double>& value) { a(value.first, value.second); }
inline void state(Archive& a, Advice& advice) { a(advice.code, advice.text, advice.values, advice.classes); }
inline void state(Archive& a, TraceRow& row) {
  a(row.iteration, row.passes, row.cpu_seconds, row.wall_seconds, row.train_objective, row.test_objective, row.gap);
  a(row.step, row.correlation, row.variance_ratio, row.stage);
}
inline void state(Archive& a, Summary& summary) {
  a(summary.status, summary.solver, summary.objective, summary.certificate, summary.graph_seconds);
  a(summary.solve_seconds, summary.evaluate_seconds, summary.cpu_seconds, summary.passes, summary.iterations);
  a(summary.step, summary.inner, summary.moment_left, summary.surrogate_gap, summary.stages, summary.advice);
}
// The time a run took so far goes on counting in the run that takes it up.
inline void state(Archive& a, RunClock& clock) {
  double wall = clock.wall_seconds(), cpu = clock.cpu_seconds();
  a(wall, cpu);
  if (a.reading()) clock.add(wall, cpu);
}

// Cut: it goes on where it was. Otherwise it is done.
inline bool was_cut(Status status) { return status == Status::interrupted || status == Status::out_of_time; }

class Checkpoint {
 public:
  virtual ~Checkpoint() = default;
  // What the run goes on from, to be read from front to end once; null for a run that begins.
  virtual Archive* resumed() = 0;
  virtual bool due() const = 0;  // for the next save: the time has come, or an interrupt
  virtual void save(const Archive& state) = 0;
};

class FileCheckpoint final : public Checkpoint {
 public:
  // Reads the file where the run is to be resumed and there is one. One that is there although the run is not to be
  // resumed is an Error: it may be all that is left of a long run. identity: see run_identity.hpp.
  FileCheckpoint(const SolveOptions& options, std::string identity);

  Archive* resumed() override { return resumed_ ? &*resumed_ : nullptr; }
  bool due() const override;
  // A file that cannot be written ends no run: see trouble().
  void save(const Archive& state) override;
  const std::string& trouble() const { return trouble_; }  // why the last save failed; empty when it did not

 private:
  void read();

  std::string path_;
  double every_;
  double last_;  // wall clock at the last save
  std::string identity_;
  std::optional<Archive> resumed_;
  std::string trouble_;
};

// Advice, where the file could not be written.
void add_trouble(const FileCheckpoint& file, Summary& summary);

// One checkpoint for all classes of one-vs-rest: what each has ended with, or where it is. Classes may run side by side;
// as they know nothing of each other, each goes on from its own last state, and ends with the same bits.
class ClassCheckpoints {
 public:
  ClassCheckpoints(const OneVsRestProblem& problem, const SolveOptions& options, const SolveInput& input);

  // What the class ended with before the run was cut; nothing where it did not end.
  std::optional<Solution> ended(std::size_t k) const;
  // Fits it, going on from where it was.
  Solution solve(std::size_t k, const Problem& problem, const SolveOptions& options, const OneOutputInput& input);
  // Of a run that is cut: classes that ended since the file was last written.
  void keep_the_rest();
  void add_trouble_to(Summary& summary) const { add_trouble(file_, summary); }

 private:
  enum class Stage : std::uint8_t { waiting, running, ended };
  struct Entry {
    Stage stage = Stage::waiting;
    std::string bytes;  // of the run's state, or of its solution
    void state(Archive& a) { a(stage, bytes); }
  };
  class Slot;

  void put(std::size_t k, Stage stage, const Archive& state);
  void write();

  FileCheckpoint file_;
  double every_;
  mutable std::mutex mutex_;
  std::vector<Entry> entries_;
  bool written_ = true;
};

// solve() with its state kept elsewhere than in a file of its own; options.checkpoint is not looked at.
Solution solve_keeping(const Problem& problem, const SolveOptions& options, const OneOutputInput& input,
                       Checkpoint& checkpoint);

}  // namespace s3gd
