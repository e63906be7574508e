#include "solve/class_checkpoints.hpp"

#include "base/clock.hpp"
#include "base/interrupt.hpp"
#include "problem/names.hpp"
#include "s3gd/error.hpp"
#include "solve/run_identity.hpp"
#include "solve/run_state.hpp"

namespace s3gd {
namespace {

void state(Archive& a, Solution& solution) { a(solution.w, solution.summary, solution.trace); }

// Labels as written, so that two files that name the same classes differently are told apart.
std::string rows_of(const Dataset& data, int threads) {
  std::string names;
  for (const std::string& name : data.y.class_names) names += name + '\n';
  return rows_checksum(data.x, threads) + checksum_text(std::as_bytes(data.y.values.span())) +
         checksum_text(std::as_bytes(std::span(names.data(), names.size()))) +
         checksum_text(std::as_bytes(data.weights.span()));
}

std::string identity(const OneVsRestProblem& problem, const SolveOptions& options, const SolveInput& input) {
  const ProblemSpec& spec = problem.spec();
  IdentityParts parts;
  parts.data = rows_of(problem.data(), spec.threads);
  parts.problem = spec;
  parts.further = {{"multiclass", "ovr"}, {"class-weight", name_of(spec.class_weight)}};
  if (input.test != nullptr) parts.validate = rows_of(*input.test, spec.threads);
  parts.graph = input.graph;
  return run_identity(parts, options);
}

}  // namespace

// The checkpoint of one class, as its solver sees it.
class ClassCheckpoints::Slot final : public Checkpoint {
 public:
  Slot(ClassCheckpoints& all, std::size_t k) : all_(all), k_(k) {
    const std::lock_guard lock(all.mutex_);
    if (all.entries_[k].stage == Stage::running) resumed_.emplace(all.entries_[k].bytes);
  }
  Archive* resumed() override { return resumed_ ? &*resumed_ : nullptr; }
  bool due() const override { return interrupted() || wall_now() - last_ >= all_.every_; }
  void save(const Archive& state) override {
    all_.put(k_, Stage::running, state);
    last_ = wall_now();
  }

 private:
  ClassCheckpoints& all_;
  std::size_t k_;
  std::optional<Archive> resumed_;
  double last_ = wall_now();
};

ClassCheckpoints::ClassCheckpoints(const OneVsRestProblem& problem, const SolveOptions& options,
                                   const SolveInput& input)
    : file_(options, identity(problem, options, input)),
      every_(options.checkpoint_every),
      entries_(problem.classes().size()) {
  Archive* kept = file_.resumed();
  if (kept == nullptr) return;
  (*kept)(entries_);
  kept->expect_end();
  if (entries_.size() != problem.classes().size())
    throw Error("the state that was kept is of another number of classes");
}

std::optional<Solution> ClassCheckpoints::ended(std::size_t k) const {
  const std::lock_guard lock(mutex_);
  if (entries_[k].stage != Stage::ended) return std::nullopt;
  Archive kept(entries_[k].bytes);
  Solution solution;
  state(kept, solution);
  kept.expect_end();
  return solution;
}

Solution ClassCheckpoints::solve(std::size_t k, const Problem& problem, const SolveOptions& options,
                                 const OneOutputInput& input) {
  Slot slot(*this, k);
  Solution solution = solve_keeping(problem, options, input, slot);
  if (was_cut(solution.summary.status)) return solution;
  Archive end;
  state(end, solution);
  put(k, Stage::ended, end);
  return solution;
}

// A state is put here when its time has come; an end is not worth a file of its own.
void ClassCheckpoints::put(std::size_t k, Stage stage, const Archive& state) {
  const std::lock_guard lock(mutex_);
  entries_[k] = {stage, state.bytes()};
  written_ = false;
  if (stage == Stage::running || file_.due()) write();
}

void ClassCheckpoints::keep_the_rest() {
  const std::lock_guard lock(mutex_);
  if (!written_) write();
}

void ClassCheckpoints::write() {
  Archive all;
  all(entries_);
  file_.save(all);
  written_ = true;
}

}  // namespace s3gd
