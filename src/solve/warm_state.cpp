#include "solve/warm_state.hpp"

namespace s3gd {

Finish WarmState::finish(const Finisher& finisher, const FinishInput& input, std::vector<double> start,
                         Progress& progress) {
  if (finisher.sequence == nullptr) return finisher.run(input, std::move(start), progress);
  if (!sequence_ || finisher_ != &finisher) sequence_ = finisher.sequence(input.problem, std::move(start));
  finisher_ = &finisher;
  return sequence_->next(input, progress);
}

}  // namespace s3gd
