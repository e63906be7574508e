// What a command of the program is. To add one: write cmd_NAME.cpp with its setup_NAME, and name it in commands.cpp.
//
// setup adds options to `app` and returns what to run; its result is the exit code (see Exit). The variables the
// options write to must outlive setup: keep them in a shared_ptr captured by the returned function.
#pragma once

#include <stdexcept>

#include "arguments.hpp"

namespace s3gd::app {

// What every command takes.
struct Common {
  bool json = false;   // one JSON object on standard output and nothing else there
  bool quiet = false;  // no progress, no remarks
  int threads = 0;     // 0 = all
  std::uint64_t seed = 0;
  std::string config;  // the file of --config, if any
};

enum Exit : int { kGood = 0, kBadInput = 1, kUsage = 2, kStoppedEarly = 3, kInterrupted = 130 };

// Options that do not go together, found after parsing: exit code 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

using Setup = std::function<int()>(Arguments& app, const Common& common);

struct Command {
  std::string name;
  std::string group;
  std::string summary;  // one line
  std::string example;  // one or more lines as typed, without the prompt
  Setup* setup;
};

const std::vector<Command>& commands();
std::vector<std::string> command_names();

// Help texts: 80 columns, grouped, each with an example.
std::string program_help();
std::string command_help(const Command& command, const Arguments& app);
// Words that are neither an option nor asked for, in one sentence, with the nearest valid word.
std::string explain_unexpected(const std::vector<std::string>& arguments, const Arguments& app, const Command& command);

}  // namespace s3gd::app
