// --config FILE: TOML or INI, lines NAME = VALUE with an option's long name. Lines before any [section] are for every
// command, those under [train] for train alone. What the command line says wins.
#pragma once

#include <memory>
#include <string>

#include "arguments.hpp"

namespace s3gd::app {

// Reads such a file for `command`, whose options are `app`. What is not text, too long, or names what the command does not have
// is refused.
std::shared_ptr<CLI::Config> command_config(const Arguments& app, const std::string& command);

}  // namespace s3gd::app
