// The options of a command: their names, where their values go, what they accept. Also from --config FILE: TOML or INI, lines
// NAME = VALUE with an option's long name. Lines before any [section] are for every command, those under [train] for train
// alone. What the command line says wins.
//
// CLI11 does the parsing. Only arguments.cpp includes it, as it takes several times as long to compile as a command does.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "s3gd/matrix.hpp"
#include "s3gd/words.hpp"
#include "solve/options/table.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace s3gd::app {

// --lambda, "smaller --lambda": how the program says what the library has to say about options.
std::string program_words(const Mention& mention);

// What is wrong with a word given as a value; empty when nothing is.
using Check = std::function<std::string(const std::string& word)>;
// Checks whose messages say what was found and what was expected. Infinities and NaN are no numbers.
Check in_range(const Range& range);
inline Check whole_number(double least) { return in_range({.least = least, .whole = true}); }
inline Check real_number(double least) { return in_range({.least = least}); }

// Where the value of an option goes: a variable (of a flag, a bool), or a function, whose Errors end parsing.
using Target =
    std::variant<bool*, int*, Index*, std::uint64_t*, double*, std::optional<double>*, std::string*,
                 std::vector<double>*, std::vector<std::string>*, std::function<void(const std::string& word)>>;

// What else there is to say about an option.
struct Details {
  std::string takes = {};  // the name of its value, in the help
  Check check = {};
  std::vector<std::string> choices = {};      // its value is one of these; any other is answered with the nearest
  std::optional<std::string> by_itself = {};  // the default shown, where it is not the variable's value at this moment
  bool required = false;
  bool flag = false;      // a function that is given "true" or "false"
  char between = 0;       // of the values of a list
  bool one_word = false;  // a list is one word, however many values there are in it
  std::vector<std::string> excludes = {};
};

struct Option {
  std::string name;  // as it was added: "-o,--output", "DATA"
  std::string help, group, takes;
  bool flag = false, several = false, required = false;
  CLI::Option* made = nullptr;

  bool positional() const { return !name.starts_with('-'); }
  std::string long_name() const { return name.substr(name.find(',') + 1); }  // "--output"
  std::size_t count() const;                                                 // how often it was given
  std::string value() const;  // as given, where it was; only once that has been parsed
  std::string by_itself() const;
};

class Arguments {
 public:
  explicit Arguments(const std::string& command);
  ~Arguments();
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  void in_group(const std::string& group) { group_ = group; }  // of the help: what is added from here on
  Option& add(const std::string& name, const Target& target, const std::string& help, const Details& details = {});
  void add_config(const std::string& name, const std::string& help);

  Option& get_option(const std::string& long_name);
  bool has(const std::string& long_name) const;
  bool given(const std::string& long_name) { return get_option(long_name).count() > 0; }
  const std::deque<Option>& options() const { return options_; }  // in the order in which they were added
  std::vector<std::string> long_names() const;                    // "--json", ..

  // Sets the variables. What is wrong with the words, if anything; words that are no option are left in remaining().
  std::optional<std::string> parse(std::vector<std::string> words);
  std::vector<std::string> remaining() const;

 private:
  std::string command_;
  std::unique_ptr<CLI::App> app_;
  std::deque<Option> options_;
  std::string group_ = "Options";
};

}  // namespace s3gd::app
