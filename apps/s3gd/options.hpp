// Options shared by several commands, those of the library's table (solve/options/table.hpp) among them; and the files of a
// command. These are all named before any work is done, so that none is written over one that is read, and no two outputs go
// to the same place.
#pragma once

#include "command.hpp"
#include "solve/options/table.hpp"

namespace s3gd::app {

inline constexpr const char* kCommonGroup = "Common";

void add_common_options(Arguments& app, Common& common);

// Where options of the table go; those that are null are not set by any.
struct OptionTarget {
  LoadOptions* load = nullptr;
  Scale* scale = nullptr;
  ProblemSpec* problem = nullptr;
  SolveOptions* solve = nullptr;

  OptionValues values() const;
  void take(const OptionValues& values) const;
  void set(const OptionRow& row, const std::string& word) const;
};

// An option with the name, help and default of the table, whose word goes to `use`. What `use` throws ends parsing.
Option& add_table_option(Arguments& app, const OptionRow& row, const std::string& by_itself,
                         const std::function<void(const std::string& word)>& use);
void add_table_options(Arguments& app, const OptionTarget& target, const std::vector<std::string>& names);
std::vector<std::string> names_in(const std::string& group);  // of the table
std::string table_help(const OptionRow& row);                 // one line, with the names it takes

// --format --precision --layout --index-base --index-order --label-column --weight-column --header --missing --labels
void add_load_options(Arguments& app, LoadOptions& options);
// --anchors --neighbours --kernel
void add_graph_options(Arguments& app, SolveOptions& options);

// Throws UsageError when `path`, given as `option`, is "-": a file is needed.
void refuse_standard_output(const std::string& path, const std::string& option);

// A file as given with an option (or for a positional argument, whose name stands for it). An empty path is no file.
struct FileUse {
  std::string option, path;
};

// A path that is read: the file itself, or that of a known dataset. Nothing where no file is read by that name.
std::string file_of_source(const std::string& source);

// Also through links and other ways to write a path, and when neither file is there yet.
bool same_file(const std::string& a, const std::string& b);

// Throws UsageError where a file would be written twice, or over one that is read (the --config file is). Pipes and
// devices hold nothing that could be lost, and may be named as often as one likes.
void refuse_clashes(const Common& common, std::vector<FileUse> read, const std::vector<FileUse>& written);

}  // namespace s3gd::app
