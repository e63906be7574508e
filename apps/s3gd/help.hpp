// Help texts: 80 columns, grouped, each with an example.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "command.hpp"

namespace s3gd::app {

// Explained in full by one command only.
inline constexpr const char* kReadingGroup = "Reading";
inline constexpr const char* kGraphGroup = "Graph (s3gd)";

std::string program_help();
std::string command_help(const Command& command, const CLI::App& app);

std::vector<std::string> command_names();
std::vector<std::string> long_option_names(const CLI::App& app);  // "--json", ..

// What was wrong with the command line, in one sentence, with the nearest valid word.
std::string explain(const CLI::ParseError& error, const CLI::App& app, const Command& command);
std::string explain_unexpected(const std::vector<std::string>& arguments, const CLI::App& app, const Command& command);

}  // namespace s3gd::app
