// Help texts: 80 columns, grouped, each with an example.
#pragma once

#include <string>
#include <vector>

#include "command.hpp"

namespace s3gd::app {

std::string program_help();
std::string command_help(const Command& command, const Arguments& app);

std::vector<std::string> command_names();
std::vector<std::string> long_option_names(const Arguments& app);  // "--json", ..

// Words that are neither an option nor asked for, in one sentence, with the nearest valid word.
std::string explain_unexpected(const std::vector<std::string>& arguments, const Arguments& app, const Command& command);

}  // namespace s3gd::app
