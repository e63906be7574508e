// The known datasets: the nine of the paper and some more; what they are, where they come from, where they lie.
//
// Looked for in $S3GD_DATA/NAME/train.EXT (EXT as in kExtensions of catalog.cpp, svm.zst first), then as installed
// by the system, then in the download cache: $XDG_CACHE_HOME/s3gd/NAME or ~/.cache/s3gd/NAME.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "s3gd/matrix.hpp"

namespace s3gd {

enum class Part : std::uint8_t { train, test };

// A file of the official source that load() can read as it is (or, for `companion`, the labels beside it).
struct KnownFile {
  Part part = Part::train;
  bool companion = false;
  std::string url = {};
  std::uint64_t bytes = 0;  // 0 = not known
  std::string sha256 = {};  // empty = not known

  std::string file_name() const;  // the last part of the address
};

struct KnownDataset {
  std::string name = {};
  std::string paper = {};  // what the paper calls the set it is or stands in for; empty for the others
  Index train_rows = 0;    // 0 = not known
  Index test_rows = 0;
  Index cols = 0;
  Index classes = 0;
  std::string summary = {};
  std::string homepage = {};
  std::string how = {};               // how to obtain it where nothing can be downloaded ready to use
  std::vector<KnownFile> files = {};  // empty: see `how`
  // Of NAME/train.svm.zst and NAME/test.svm.zst as prepared for this project: information, never a condition.
  std::string train_sha256 = {};
  std::string test_sha256 = {};
  std::string stand_in = {};   // another known set to use when this one cannot be had
  std::string installed = {};  // folder where a system package puts it; empty = none
};

const std::vector<KnownDataset>& catalog();

// By its name or the paper's; upper and lower case, '-' and '_' make no difference. Null when unknown.
const KnownDataset* find_entry(std::string_view name);

// The name of the set that `word` was probably meant to be; empty when none is close.
std::string nearest_entry(const std::string& word);
// An Error that says how to get the set.
[[noreturn]] void throw_not_here(const KnownDataset& entry);

// Path of the set's training (or test) rows when they lie on this machine. Any folder in $S3GD_DATA counts, known
// to the catalogue or not.
std::optional<std::string> find_known(const std::string& name, Part part = Part::train);

std::string cache_folder();  // throws Error when neither XDG_CACHE_HOME nor HOME is set

}  // namespace s3gd
