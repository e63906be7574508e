// Options shared by several commands, those of the library's table (solve/options/table.hpp) among them; and the files of a
// command. These are all named before any work is done, so that none is written over one that is read, and no two outputs go
// to the same place.
#pragma once

#include "command.hpp"
#include "s3gd/fit.hpp"

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

// Throws UsageError where what is written goes to standard output, or a file would be written twice, or over one that is read
// (the --config file is). Pipes and devices hold nothing that could be lost, and may be named as often as one likes.
void check_files(const Common& common, std::vector<FileUse> read, const std::vector<FileUse>& written);

// Options that state a problem over rows, shared by train, path, cv and inspect.

struct ProblemOptions {
  std::string data;  // where rows come from
  OptionValues values;
  std::string penalty_factor_file, class_weight_file;
  std::string penalty = "l2";  // as typed: a name, or several joined by +
  bool softmax_loss = false;   // --loss softmax, which is read as logistic
};

// Which of them a command has.
struct ProblemKinds {
  bool many_lambdas = false;  // the command has options of its own for how strong the penalty is
  bool many_classes = false;  // --multiclass, --loss softmax, penalties of the matrix of weights
};
void add_problem_options(Arguments& app, ProblemOptions& options, const ProblemKinds& kinds);

// Throws where options would change nothing or contradict each other, before any rows are read.
void check_given(const ProblemOptions& options);
// The problem as all options state it over these rows.
TaskSpec task_spec(const ProblemOptions& options, const Dataset& data, const Common& common);

// The rows of DATA with the weights of --sample-weight. The values are changed to those they were read with.
Dataset load_weighted(ProblemOptions& options, const Common& common);

// Files that are read.
std::vector<FileUse> files_read(const ProblemOptions& options);

// What they say on how rows are prepared: --scale, and --class-weight where that is a FILE.
FitOptions fit_options(const ProblemOptions& options);

int exit_code(Status status);                                                // of a command that fits
void print_advice(const std::vector<Advice>& advice, const Common& common);  // to standard error, one remark each

// One number a line.
std::vector<double> read_numbers(const std::string& path);

}  // namespace s3gd::app
