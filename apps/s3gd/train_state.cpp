#include "train_state.hpp"

#include <filesystem>

#include "base/file.hpp"
#include "options.hpp"
#include "output.hpp"

namespace s3gd::app {

void add_state_options(Arguments& app, StateOptions& options) {
  const std::string stop = "Stop", keep = "Data";
  app.add_flag("--early-stop", options.early_stop, "end when the loss on --validate's rows no longer falls")
      ->group(stop);
  app.add_option("--patience", options.patience, "looks at those rows without progress before that")
      ->capture_default_str()
      ->group(stop);
  app.add_option("--warm-start", options.warm_start, "a model whose weights are where the fit begins")
      ->type_name("MODEL")
      ->group(keep);
  app.add_option("--checkpoint", options.checkpoint, "keeps the state of the run, for --resume")
      ->type_name("FILE")
      ->group(keep);
  app.add_option("--checkpoint-every", options.checkpoint_every, "seconds between two writes of it")
      ->capture_default_str()
      ->check(real_number(0))
      ->group(keep);
  app.add_flag("--resume", options.resume, "go on from the checkpoint, if there is one")->group(keep);
}

void check_state_options(const StateOptions& options, bool validates) {
  refuse_standard_output(options.checkpoint, "--checkpoint");
  if (std::error_code ignored; std::filesystem::is_directory(options.checkpoint, ignored))
    throw UsageError("--checkpoint is a folder, " + options.checkpoint + ": give a file in it");
  if (options.early_stop && !validates) throw UsageError("--early-stop needs --validate DATA or a FRACTION");
  if (options.patience < 1) throw UsageError("--patience is at least 1");
  if (options.resume && options.checkpoint.empty()) throw UsageError("--resume needs --checkpoint FILE");
}

void apply_state_options(const StateOptions& options, SolveOptions& solve) {
  solve.patience = options.early_stop ? options.patience : 0;
  solve.checkpoint = options.checkpoint;
  solve.checkpoint_every = options.checkpoint_every;
  solve.resume = options.resume;
}

void close_checkpoint(const StateOptions& options, Status status, const Common& common) {
  if (options.checkpoint.empty()) return;
  if (status == Status::interrupted || status == Status::out_of_time) {
    if (file_exists(options.checkpoint)) remark(common, "--resume goes on from " + options.checkpoint);
    return;
  }
  std::error_code ignored;
  std::filesystem::remove(options.checkpoint, ignored);
}

}  // namespace s3gd::app
