// Everything the program prints. Results go to standard output, messages and progress to standard error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "command.hpp"
#include "s3gd/matrix.hpp"

namespace s3gd::app {

// One object and a newline. Doubles keep every bit (shortest digits that read back the same); NaN and infinities
// become null; bytes that are not UTF-8 become U+FFFD.
void print_json(const Json& object);
void print(std::string_view text);                         // to standard output
bool print_now(std::string_view text);                     // flushed; false once nobody reads standard output any more
void remark(const Common& common, std::string_view text);  // to standard error, unless --quiet
void print_error(std::string_view text, bool json);        // "s3gd: error: ..."; with json also {"status": "error", ..}

// --json or text, as asked for.
void print_result(const Common& common, const Json& object, std::string_view text);

// Flushes standard output. A reader that went away (| head) is no error; a full disk is: returns the exit code.
int finish_output(int exit_code);

std::string format_count(Index count);       // 1,234,567
std::string format_bytes(std::uint64_t n);   // 1.2 MB
std::string format_seconds(double seconds);  // 850 us, 12.3 ms, 4.56 s, 2 min 3 s
std::string format_number(double value);     // up to 6 significant digits

using Table = std::vector<std::vector<std::string>>;
// Columns aligned to the widest cell; numbers to the right. The first row is the heading.
std::string format_table(const Table& rows);
using Fields = std::vector<std::pair<std::string, std::string>>;
// "name   value" lines with the values aligned.
std::string format_fields(const Fields& fields);
// Breaks text at blanks so that no line is longer than `width`; lines after the first start with `indent` blanks.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent);

// Tells the reports how to write PNG pictures; does nothing in a program without librsvg.
void install_rasteriser();

// One line on standard error that is overwritten in place: only on a terminal, not with --quiet, ten times a second.
class Progress {
 public:
  Progress(const Common& common, std::string label);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::string_view text);
  void clear();
  void bytes(std::uint64_t done, std::uint64_t total);  // total 0 = not known
  bool visible() const { return visible_; }

 private:
  std::string label_;
  bool visible_ = false;
  bool drawn_ = false;
  double next_ = 0;
};

}  // namespace s3gd::app
