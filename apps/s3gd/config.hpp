// --config FILE: TOML or INI, lines NAME = VALUE with an option's long name. Lines before any [section] are for every
// command, those under [train] for train alone. What the command line says wins.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace s3gd::app {

class CommandConfig : public CLI::ConfigTOML {
 public:
  CommandConfig(const CLI::App& app, std::string command) : app_(&app), command_(std::move(command)) {}
  // Throws CLI::ConfigError for a file that is no text, too long, or names what `command` does not have.
  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override;

 private:
  void check_known(const CLI::ConfigItem& item) const;

  const CLI::App* app_;
  std::string command_;
};

}  // namespace s3gd::app
