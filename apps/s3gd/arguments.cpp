#include "arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "output.hpp"
#include "s3gd/error.hpp"

namespace s3gd::app {
namespace {

constexpr std::size_t kLongestConfig = 1 << 20;

std::string read_text(std::istream& input) {
  std::string text(kLongestConfig + 1, '\0');
  input.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(input.gcount()));
  if (text.size() > kLongestConfig) throw CLI::ConfigError("the file is longer than 1 MB: it is no list of options");
  if (text.find('\0') != std::string::npos) throw CLI::ConfigError("the file holds NUL bytes: it is no text");
  return text;
}

bool lists(const std::vector<std::string>& known, const std::string& word) {
  return std::find(known.begin(), known.end(), word) != known.end();
}

// Reads a file for `command`, whose options are `app`. What is not text, too long, or names what the command does not have is
// refused.
class CommandConfig : public CLI::ConfigTOML {
 public:
  CommandConfig(const Arguments& app, std::string command) : app_(&app), command_(std::move(command)) {}

  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
    std::istringstream text(read_text(input));
    std::vector<CLI::ConfigItem> for_all, mine;
    for (CLI::ConfigItem& item : CLI::ConfigTOML::from_config(text)) {
      if (item.name == "++" || item.name == "--") continue;  // a section begins or ends
      const bool in_section = !item.parents.empty();
      if (in_section) {
        const std::string section = item.parents.front();
        if (const auto known = command_names(); !lists(known, section))
          throw CLI::ConfigError("[" + section + "] is not a command (" + suggestion(section, known) + ")");
        if (section != command_) continue;
        item.parents.clear();
      }
      check_known(item.name);
      (in_section ? mine : for_all).push_back(std::move(item));
    }
    // The first occurrence wins: the command's own section goes before the lines for all.
    mine.insert(mine.end(), std::make_move_iterator(for_all.begin()), std::make_move_iterator(for_all.end()));
    return mine;
  }

 private:
  void check_known(const std::string& name) const {
    const std::vector<std::string> known = app_->long_names();
    const std::string option = "--" + name;
    if (lists(known, option) && option != "--config") return;
    const std::string close = nearest(option, known);
    throw CLI::ConfigError("'" + name + "' is not an option of s3gd " + command_ +
                           (close.empty() ? "" : " (did you mean '" + close.substr(2) + "'?)"));
  }

  const Arguments* app_;
  std::string command_;
};

// What went wrong in CLI11's words, in one line; of a configuration, with its file.
std::string explain(const CLI::ParseError& error, const CLI::App& app) {
  std::string text = error.what();
  if (dynamic_cast<const CLI::ConfigError*>(&error) != nullptr)
    text = app.get_config_ptr()->as<std::string>() + ": " + text;
  else if (dynamic_cast<const CLI::FileError*>(&error) != nullptr)
    throw Error("cannot read the configuration " + app.get_config_ptr()->as<std::string>());
  std::replace(text.begin(), text.end(), '\n', ' ');
  if (const auto at = text.find(": At Most 1 required but received"); at != std::string::npos)
    text = text.substr(0, at) + " is given more than once";
  return text;
}

CLI::Validator validator(const Check& check) {
  return CLI::Validator([check](const std::string& word) { return check(word); }, "");
}

// Adds an option to CLI11 by the kind of its target.
struct Adder {
  CLI::App& app;
  const std::string& name;
  const std::string& help;
  bool flag;

  CLI::Option* operator()(bool* value) const { return app.add_flag(name, *value, help); }
  template <class T>
  CLI::Option* operator()(T* value) const {
    return app.add_option(name, *value, help);
  }
  CLI::Option* operator()(const std::function<void(const std::string&)>& use) const {
    const auto guarded = [use, option = name](const std::string& word) {
      try {
        use(word);
      } catch (const Error& error) {
        throw CLI::ValidationError(option, error.in_words(program_words));
      }
    };
    if (!flag) return app.add_option_function<std::string>(name, guarded, help);
    return app.add_flag_function(
        name, [guarded](std::int64_t count) { guarded(count > 0 ? "true" : "false"); }, help);
  }
};

// That an option which takes a number, and says nothing else about it, is given one.
Check check_of_kind(const std::string& type) {
  if (type == "INT") return in_range({.whole = true});
  if (type == "UINT") return whole_number(0);
  return type == "FLOAT" ? in_range({}) : Check{};
}

}  // namespace

std::string program_words(const Mention& mention) {
  if (mention.kind == Mention::Kind::class_name) return std::string(mention.name);
  const std::string flag = "--" + std::string(mention.name);
  return plain_words({mention.kind, flag, mention.value});
}

Check in_range(const Range& range) {
  return [range](const std::string& word) -> std::string {
    try {
      if (range.whole)
        parse_number<Index>({}, word, range);
      else
        parse_number<double>({}, word, range);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  };
}

std::size_t Option::count() const { return made->count(); }
std::string Option::value() const { return made->as<std::string>(); }
std::string Option::by_itself() const { return made->get_default_str(); }

Arguments::Arguments(const std::string& command) : command_(command), app_(std::make_unique<CLI::App>()) {
  app_->name("s3gd " + command);
  app_->set_help_flag();  // help is answered before anything is parsed
  app_->allow_extras();   // unknown options are reported with the nearest that there is
  app_->option_defaults()->always_capture_default();
}

Arguments::~Arguments() = default;

Option& Arguments::add(const std::string& name, const Target& target, const std::string& help, const Details& details) {
  CLI::Option* made = std::visit(Adder{*app_, name, help, details.flag}, target);
  if (details.check) made->check(validator(details.check));
  if (details.takes.empty() && !details.check)
    if (const Check check = check_of_kind(made->get_type_name())) made->check(validator(check));
  if (!details.takes.empty()) made->type_name(details.takes);
  std::string words = help;
  if (const auto& choices = details.choices; !choices.empty()) {
    words = help + (help.empty() ? "" : ": ") + join(choices);
    made->type_name("NAME")->check(validator([choices](const std::string& word) -> std::string {
      return lists(choices, word) ? "" : "unknown value '" + word + "' (" + suggestion(word, choices) + ")";
    }));
  }
  if (details.by_itself) made->default_str(*details.by_itself);
  if (details.required) made->required();
  if (details.between != 0) made->delimiter(details.between);
  if (details.one_word) made->allow_extra_args(false);
  for (const std::string& other : details.excludes) made->excludes(other);
  const std::string type = made->get_type_name();
  const char* const number = type.starts_with("FLOAT")                   ? "X"
                             : type.starts_with("INT") || type == "UINT" ? "N"
                                                                         : nullptr;
  return options_.emplace_back(Option{.name = name,
                                      .help = words,
                                      .group = group_,
                                      .takes = number != nullptr ? number : type,
                                      .flag = made->get_expected_min() == 0,
                                      .several = made->get_expected_max() > 1,
                                      .required = details.required,
                                      .made = made});
}

void Arguments::add_config(const std::string& name, const std::string& help) {
  app_->config_formatter(std::make_shared<CommandConfig>(*this, command_));
  options_.push_back({.name = name, .help = help, .group = group_, .takes = "FILE"});
  options_.back().made = app_->set_config(name, "", help)->type_name("FILE");
}

Option& Arguments::get_option(const std::string& long_name) {
  for (Option& option : options_)
    if (option.long_name() == long_name) return option;
  throw CLI::OptionNotFound(long_name);
}

bool Arguments::has(const std::string& long_name) const { return lists(long_names(), long_name); }

std::vector<std::string> Arguments::long_names() const {
  std::vector<std::string> list;
  for (const Option& option : options_)
    if (!option.positional()) list.push_back(option.long_name());
  return list;
}

std::optional<std::string> Arguments::parse(std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
  try {
    app_->parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    return explain(error, *app_);
  }
  return {};
}

std::vector<std::string> Arguments::remaining() const { return app_->remaining(); }

}  // namespace s3gd::app
