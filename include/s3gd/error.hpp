// The one exception of the library: thrown at the API's edge when the input is wrong.
//
// Numbers going wrong during a run (divergence, limits, interrupts) are never exceptions; they are a status in
// the Summary. An Error's text names the place, what was found, what was expected and, where there is one, the remedy.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "s3gd/words.hpp"

namespace s3gd {

// A position in an input: file, and 1-based line and column where they make sense (0 = not known).
struct Place {
  std::string file;
  std::int64_t line = 0;
  std::int64_t column = 0;
};

// What kind of mistake it is: about what was given, where Error::place() may say where, or about an option, which
// Error::option() names.
enum class ErrorCode : std::uint8_t {
  bad_input,       // rows, labels, weights, models that do not suit
  malformed,       // the bytes of a file, at Error::place()
  unusable_file,   // cannot be found, opened, fetched, read or written
  other_run,       // a state that was kept is not of this run
  out_of_memory,   // what was asked for does not fit
  bad_value,       // an option has no such value
  idle_option,     // an option would have no effect
  do_not_go,       // options, or an option and the data, that do not go together
  missing_option,  // another option is needed
};
const char* name_of(ErrorCode code);
constexpr bool about_an_option(ErrorCode code) { return code >= ErrorCode::bad_value; }

// Texts may hold marks for options (s3gd/words.hpp).
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& problem, const std::string& hint = {});
  Error(ErrorCode code, std::string option, const std::string& problem, const std::string& hint = {});
  // "FILE:LINE:COLUMN: found FOUND, expected EXPECTED (HINT)"
  Error(const Place& place, const std::string& found, const std::string& expected, const std::string& hint = {});

  ErrorCode code() const noexcept { return code_; }
  const std::string& option() const noexcept { return option_; }  // its name, or nothing
  const Place& place() const noexcept { return place_; }
  const std::string& hint() const noexcept { return hint_; }
  const std::string& marked() const noexcept { return marked_; }  // what() has the plain names of options
  std::string in_words(Words words) const { return s3gd::in_words(marked_, words); }
  // The same with "WHERE: " before it.
  Error within(const std::string& where) const;

 private:
  ErrorCode code_ = ErrorCode::bad_input;
  std::string option_;
  Place place_;
  std::string hint_;
  std::string marked_;
};

}  // namespace s3gd
