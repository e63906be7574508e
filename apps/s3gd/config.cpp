#include "config.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <vector>

#include "base/nearest.hpp"
#include "command.hpp"
#include "help.hpp"

namespace s3gd::app {
namespace {

constexpr std::size_t kLongest = 1 << 20;

std::string read_text(std::istream& input) {
  std::string text(kLongest + 1, '\0');
  input.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(input.gcount()));
  if (text.size() > kLongest) throw CLI::ConfigError("the file is longer than 1 MB: it is no list of options");
  if (text.find('\0') != std::string::npos) throw CLI::ConfigError("the file holds NUL bytes: it is no text");
  return text;
}

void check_section(const std::string& section) {
  std::vector<std::string> known;
  for (const Command& command : commands()) known.push_back(command.name);
  if (std::find(known.begin(), known.end(), section) == known.end())
    throw CLI::ConfigError("[" + section + "] is not a command (" + suggestion(section, known) + ")");
}

class CommandConfig : public CLI::ConfigTOML {
 public:
  CommandConfig(const Arguments& app, std::string command) : app_(&app), command_(std::move(command)) {}
  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override;

 private:
  void check_known(const CLI::ConfigItem& item) const;

  const Arguments* app_;
  std::string command_;
};

void CommandConfig::check_known(const CLI::ConfigItem& item) const {
  const std::vector<std::string> known = long_option_names(*app_);
  const std::string option = "--" + item.name;
  if (std::find(known.begin(), known.end(), option) == known.end() || option == "--config") {
    const std::string close = nearest(option, known);
    throw CLI::ConfigError("'" + item.name + "' is not an option of s3gd " + command_ +
                           (close.empty() ? "" : " (did you mean '" + close.substr(2) + "'?)"));
  }
}

std::vector<CLI::ConfigItem> CommandConfig::from_config(std::istream& input) const {
  std::istringstream text(read_text(input));
  std::vector<CLI::ConfigItem> for_all, mine;
  for (CLI::ConfigItem& item : CLI::ConfigTOML::from_config(text)) {
    if (item.name == "++" || item.name == "--") continue;  // a section begins or ends
    const bool in_section = !item.parents.empty();
    if (in_section) {
      check_section(item.parents.front());
      if (item.parents.front() != command_) continue;
      item.parents.clear();
    }
    check_known(item);
    (in_section ? mine : for_all).push_back(std::move(item));
  }
  // The first occurrence wins: the command's own section goes before the lines for all.
  mine.insert(mine.end(), std::make_move_iterator(for_all.begin()), std::make_move_iterator(for_all.end()));
  return mine;
}

}  // namespace

std::shared_ptr<CLI::Config> command_config(const Arguments& app, const std::string& command) {
  return std::make_shared<CommandConfig>(app, command);
}

}  // namespace s3gd::app
