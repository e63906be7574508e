// The options of a command: their names, where their values go, what they accept.
//
// CLI11 by its own names, with the templates kept in arguments.cpp: only that file and config.cpp include it, as it takes
// several times as long to compile as a command does.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Config;
class Option;
}  // namespace CLI

namespace s3gd::app {

// What is wrong with a word given as a value; empty when nothing is.
using Check = std::function<std::string(const std::string& word)>;

class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option* required();
  Option* check(const Check& check);
  Option* transform(const std::function<void(std::string& word)>& change);  // before it is checked
  Option* group(const std::string& name);
  Option* type_name(const std::string& name);  // of the value, in the help
  Option* default_str(const std::string& text);
  Option* capture_default_str();  // the variable's value at this moment is the default shown
  Option* delimiter(char between);
  Option* expected(int least, int most);
  Option* allow_extra_args(bool allowed);
  Option* excludes(Option* other);
  Option* excludes(const std::string& other);
  Option* description(const std::string& text);

  std::size_t count() const;  // how often it was given
  std::string value() const;  // as given, where it was; only once that has been parsed

  bool get_positional() const;
  bool get_required() const;
  bool takes_value() const;
  bool takes_several() const;
  std::string get_name() const;  // of a positional
  const std::vector<std::string>& get_snames() const;
  const std::vector<std::string>& get_lnames() const;
  std::string get_type_name() const;
  std::string get_group() const;
  std::string get_description() const;
  std::string get_default_str() const;

 private:
  CLI::Option* option_;
};

class Arguments {
 public:
  explicit Arguments(const std::string& program);
  ~Arguments();
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  // The types of values are those listed at the end of arguments.cpp.
  template <class T>
  Option* add_option(const std::string& name, T& value, const std::string& help);
  template <class T>
  Option* add_option_function(const std::string& name, const std::function<void(const T&)>& use,
                              const std::string& help);
  Option* add_flag(const std::string& name, bool& value, const std::string& help);
  Option* add_flag_function(const std::string& name, const std::function<void(bool)>& use, const std::string& help);
  Option* set_config(const std::string& name, const std::string& help, std::shared_ptr<CLI::Config> reader);

  Option* get_option(const std::string& name);
  const std::deque<Option>& options() const { return options_; }
  std::deque<Option>& options() { return options_; }
  std::vector<std::string> groups() const;

  // Sets the variables. What is wrong with the words, if anything; words that are no option are left in remaining().
  std::optional<std::string> parse(std::vector<std::string> words);
  std::vector<std::string> remaining() const;

 private:
  Option* note(CLI::Option* option);

  std::unique_ptr<CLI::App> app_;
  std::deque<Option> options_;  // in the order in which they were added
};

// Ends parsing: the value of `option` is not to be used, and why. To be called from what add_option_function was given.
[[noreturn]] void refuse_value(const std::string& option, const std::string& why);

}  // namespace s3gd::app
