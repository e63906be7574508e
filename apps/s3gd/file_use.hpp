// The files of a command. They are all named before any work is done, so that none is written over one that is read,
// and no two outputs go to the same place.
#pragma once

#include <string>
#include <vector>

#include "command.hpp"

namespace s3gd::app {

// A file as given with an option (or for a positional argument, whose name stands for it). An empty path is no file.
struct FileUse {
  std::string option;
  std::string path;
};

// A path that is read: the file itself, or that of a known dataset. Nothing where no file is read by that name.
std::string file_of_source(const std::string& source);

// Also through links and other ways to write a path, and when neither file is there yet.
bool same_file(const std::string& a, const std::string& b);

// Throws UsageError where a file would be written twice, or over one that is read (the --config file is). Pipes and
// devices hold nothing that could be lost, and may be named as often as one likes.
void refuse_clashes(const Common& common, std::vector<FileUse> read, const std::vector<FileUse>& written);

}  // namespace s3gd::app
