// The one exception of the library: thrown at the API's edge when the input is wrong.
//
// Numbers going wrong during a run (divergence, limits, interrupts) are never exceptions; they are a status in
// the Summary. An Error's text names the place, what was found, what was expected and, where there is one, the remedy.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace s3gd {

// A position in an input: file, and 1-based line and column where they make sense (0 = not known).
struct Place {
  std::string file;
  std::int64_t line = 0;
  std::int64_t column = 0;
};

class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& problem, const std::string& hint = {});
  // "FILE:LINE:COLUMN: found FOUND, expected EXPECTED (HINT)"
  Error(const Place& place, const std::string& found, const std::string& expected, const std::string& hint = {});

  const Place& place() const noexcept { return place_; }
  const std::string& hint() const noexcept { return hint_; }

 private:
  Place place_;
  std::string hint_;
};

}  // namespace s3gd
