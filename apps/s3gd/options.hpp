// Options shared by several commands.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "command.hpp"
#include "problem/names.hpp"
#include "s3gd/error.hpp"
#include "solve/options/table.hpp"

namespace s3gd::app {

inline constexpr const char* kCommonGroup = "Common";

void add_common_options(Arguments& app, Common& common, const std::string& command);

// --lambda, "smaller --lambda": how the program says what the library has to say about options.
std::string program_words(const Mention& mention);

// Where options of the library's table (solve/options/table.hpp) go; those that are null are not set by any.
struct OptionTarget {
  LoadOptions* load = nullptr;
  Scale* scale = nullptr;
  ProblemSpec* problem = nullptr;
  SolveOptions* solve = nullptr;

  OptionValues values() const;
  void take(const OptionValues& values) const;
};

// An option with the name, help and default of the table, whose word goes to `use`. What `use` throws ends parsing.
Option* add_table_option(Arguments& app, const OptionRow& row, const std::string& by_itself,
                         const std::function<void(const std::string& word)>& use);
void add_table_options(Arguments& app, const OptionTarget& target, const std::vector<std::string>& names);
std::vector<std::string> names_in(const std::string& group);  // of the table
std::string table_help(const OptionRow& row);                 // one line, with the names it takes

// --format --precision --layout --index-base --index-order --label-column --weight-column --header --missing --labels
void add_load_options(Arguments& app, LoadOptions& options);

// Throws UsageError when `path`, given as `option`, is "-": a file is needed.
void refuse_standard_output(const std::string& path, const std::string& option);

// Checks whose messages say what was found and what was expected. Infinities and NaN are no numbers.
Check whole_number(Index least, Index most = std::numeric_limits<Index>::max());
Check real_number(double least, double most = std::numeric_limits<double>::infinity());
Check positive_number();
// Gives every option that takes a number, and has no check yet, the check that it is one.
void check_numbers(Arguments& app);

// An option whose value is one of `choices`; any other value is a usage error that names the nearest.
Option* add_word(Arguments& app, const std::string& name, std::string& value, const std::vector<std::string>& choices,
                 const std::string& help);

// The same for an enum, by the names in problem/names.hpp. The variable's value at this moment is the default shown.
template <class E>
Option* add_choice(Arguments& app, const std::string& name, E& value, const std::string& help) {
  std::string all;
  for (const auto& word : all_names<E>()) all += (all.empty() ? "" : ", ") + word;
  return app
      .add_option_function<std::string>(
          name,
          [&value, name](const std::string& word) {
            try {
              value = parse_name<E>("value", word);
            } catch (const Error& error) {
              refuse_value(name, error.in_words(program_words));
            }
          },
          help.empty() ? all : help + ": " + all)
      ->type_name("NAME")
      ->default_str(name_of(value));
}

}  // namespace s3gd::app
