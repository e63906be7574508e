// Options shared by several commands, those of the library's table (solve/options/table.hpp) among them; and the files of a
// command. These are all named before any work is done, so that none is written over one that is read, and no two outputs go
// to the same place.
#pragma once

#include "command.hpp"
#include "solve/options/table.hpp"

namespace s3gd::app {

inline constexpr const char* kCommonGroup = "Common";

void add_common_options(Arguments& app, Common& common);

// An option with the name, help and default of the table, whose word goes to `use`. What `use` throws ends parsing.
Option& add_table_option(Arguments& app, const OptionRow& row, const std::string& by_itself,
                         const std::function<void(const std::string& word)>& use);
// Options of these names; what they are given goes to their place in `values`.
void add_table_options(Arguments& app, OptionValues& values, const std::vector<std::string>& names);
std::vector<std::string> names_in(const std::string& group);  // of the table
std::string table_help(const OptionRow& row);                 // one line, with the names it takes
// The value, which is one of the choices where there are such.
void set_option(const OptionRow& row, OptionValues& values, const std::string& word);

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
