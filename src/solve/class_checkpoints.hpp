// One checkpoint for all classes of one-vs-rest: what each has ended with, or where it is. Classes may run side by side;
// as they know nothing of each other, each goes on from its own last state, and ends with the same bits.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "solve/checkpoint.hpp"

namespace s3gd {

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

}  // namespace s3gd
