#include "arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>

#include "s3gd/error.hpp"

namespace s3gd::app {
namespace {

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

}  // namespace

Option* Option::required() {
  option_->required();
  return this;
}

Option* Option::check(const Check& check) {
  option_->check(CLI::Validator([check](const std::string& word) { return check(word); }, ""));
  return this;
}

Option* Option::transform(const std::function<void(std::string&)>& change) {
  const auto changed = [change](std::string& word) {
    change(word);
    return std::string();
  };
  option_->transform(CLI::Validator(changed, ""));
  return this;
}

Option* Option::group(const std::string& name) {
  option_->group(name);
  return this;
}

Option* Option::type_name(const std::string& name) {
  option_->type_name(name);
  return this;
}

Option* Option::default_str(const std::string& text) {
  option_->default_str(text);
  return this;
}

Option* Option::capture_default_str() {
  option_->capture_default_str();
  return this;
}

Option* Option::delimiter(char between) {
  option_->delimiter(between);
  return this;
}

Option* Option::expected(int least, int most) {
  option_->expected(least, most);
  return this;
}

Option* Option::allow_extra_args(bool allowed) {
  option_->allow_extra_args(allowed);
  return this;
}

Option* Option::excludes(Option* other) {
  option_->excludes(other->option_);
  return this;
}

Option* Option::excludes(const std::string& other) {
  option_->excludes(other);
  return this;
}

Option* Option::description(const std::string& text) {
  option_->description(text);
  return this;
}

std::size_t Option::count() const { return option_->count(); }
std::string Option::value() const { return option_->as<std::string>(); }
bool Option::get_positional() const { return option_->get_positional(); }
bool Option::get_required() const { return option_->get_required(); }
bool Option::takes_value() const { return option_->get_expected_min() > 0; }
bool Option::takes_several() const { return option_->get_expected_max() > 1; }
std::string Option::get_name() const { return option_->get_name(true, false); }
const std::vector<std::string>& Option::get_snames() const { return option_->get_snames(); }
const std::vector<std::string>& Option::get_lnames() const { return option_->get_lnames(); }
std::string Option::get_type_name() const { return option_->get_type_name(); }
std::string Option::get_group() const { return option_->get_group(); }
std::string Option::get_description() const { return option_->get_description(); }
std::string Option::get_default_str() const { return option_->get_default_str(); }

Arguments::Arguments(const std::string& program) : app_(std::make_unique<CLI::App>()) {
  app_->name(program);
  app_->set_help_flag();  // help is answered before anything is parsed
  app_->allow_extras();   // unknown options are reported with the nearest that there is
  app_->option_defaults()->always_capture_default();
}

Arguments::~Arguments() = default;

Option* Arguments::note(CLI::Option* option) { return &options_.emplace_back(option); }

template <class T>
Option* Arguments::add_option(const std::string& name, T& value, const std::string& help) {
  return note(app_->add_option(name, value, help));
}

template <class T>
Option* Arguments::add_option_function(const std::string& name, const std::function<void(const T&)>& use,
                                       const std::string& help) {
  return note(app_->add_option_function<T>(name, use, help));
}

Option* Arguments::add_flag(const std::string& name, bool& value, const std::string& help) {
  return note(app_->add_flag(name, value, help));
}

Option* Arguments::add_flag_function(const std::string& name, const std::function<void(bool)>& use,
                                     const std::string& help) {
  return note(app_->add_flag_function(
      name, [use](std::int64_t count) { use(count > 0); }, help));
}

Option* Arguments::set_config(const std::string& name, const std::string& help, std::shared_ptr<CLI::Config> reader) {
  app_->config_formatter(std::move(reader));
  return note(app_->set_config(name, "", help));
}

Option* Arguments::get_option(const std::string& name) {
  for (Option& option : options_)
    for (const std::string& known : option.get_lnames())
      if (name == "--" + known) return &option;
  throw CLI::OptionNotFound(name);
}

std::vector<std::string> Arguments::groups() const { return app_->get_groups(); }

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

void refuse_value(const std::string& option, const std::string& why) { throw CLI::ValidationError(option, why); }

template Option* Arguments::add_option(const std::string&, std::string&, const std::string&);
template Option* Arguments::add_option(const std::string&, int&, const std::string&);
template Option* Arguments::add_option(const std::string&, std::int64_t&, const std::string&);
template Option* Arguments::add_option(const std::string&, std::uint64_t&, const std::string&);
template Option* Arguments::add_option(const std::string&, double&, const std::string&);
template Option* Arguments::add_option(const std::string&, std::optional<double>&, const std::string&);
template Option* Arguments::add_option(const std::string&, std::vector<double>&, const std::string&);
template Option* Arguments::add_option(const std::string&, std::vector<std::string>&, const std::string&);

template Option* Arguments::add_option_function(const std::string&, const std::function<void(const bool&)>&,
                                                const std::string&);
template Option* Arguments::add_option_function(const std::string&, const std::function<void(const std::int64_t&)>&,
                                                const std::string&);
template Option* Arguments::add_option_function(const std::string&, const std::function<void(const double&)>&,
                                                const std::string&);
template Option* Arguments::add_option_function(const std::string&, const std::function<void(const std::string&)>&,
                                                const std::string&);

}  // namespace s3gd::app
