#include "solve/finish.hpp"

#include <algorithm>
#include <utility>

#include "solve/segments.hpp"

namespace s3gd {
namespace {

Solution run_stage(const ExactPart& part, const std::string& name, std::vector<double> start, Archive* resumed) {
  Journal& journal = part.journal;
  const SolveOptions& options = part.options;
  const BoundFinisher finisher = part.finisher(name);
  Index most = std::numeric_limits<Index>::max();
  if (options.iterations > 0) most = std::max<Index>(1, options.iterations - journal.iterations());
  if (resumed == nullptr) journal.begin_stage(name);
  Finish finish = part.checkpoint != nullptr
                      ? run_in_segments({finisher, options.tol, options.seed, most, *part.checkpoint, resumed},
                                        std::move(start), journal)
                      : finisher.run(options.seed, most, std::move(start), journal);
  return finish_after(part, name, std::move(finish));
}

}  // namespace

Solution finish_with(const ExactPart& part, const std::string& name, std::vector<double> start) {
  std::string stage = name;
  Archive* resumed = part.checkpoint != nullptr ? part.checkpoint->resumed() : nullptr;
  if (resumed != nullptr) (*resumed)(stage, part.journal);
  return run_stage(part, stage, std::move(start), resumed);
}

Solution finish_after(const ExactPart& part, const std::string& name, Finish finish) {
  Journal& journal = part.journal;
  if (finish.end == FinishEnd::stalled && journal.must_stop()) finish.end = FinishEnd::stopped;  // cut within a step
  journal.end_stage(finish.iterations, finish.passes, journal.why(finish.end));
  if (finish.end == FinishEnd::stalled && name != part.last)
    return run_stage(part, part.last, std::move(finish.w), nullptr);
  return journal.conclude(std::move(finish));
}

}  // namespace s3gd
