// Options shared by several commands.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "command.hpp"
#include "model/names.hpp"
#include "s3gd/dataset.hpp"

namespace s3gd::app {

inline constexpr const char* kCommonGroup = "Common";

void add_common_options(Arguments& app, Common& common, const std::string& command);

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

// The same for an enum, by the names in model/names.hpp. The variable's value at this moment is the default shown.
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
            } catch (const std::exception& error) {
              refuse_value(name, error.what());
            }
          },
          help.empty() ? all : help + ": " + all)
      ->type_name("NAME")
      ->default_str(name_of(value));
}

}  // namespace s3gd::app
