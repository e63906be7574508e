#include "output.hpp"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "base/clock.hpp"
#include "base/json.hpp"

namespace s3gd::app {
namespace {

constexpr double kSecondsBetweenDraws = 0.1;
int output_errno = 0;  // of the first write to standard output that failed

bool looks_numeric(const std::string& cell) {
  return !cell.empty() && cell.find_first_not_of("0123456789.,+-e% ") == std::string::npos;
}

// Letters as a terminal counts them: bytes that continue a UTF-8 sequence take no room.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

void print(std::string_view text) {
  if (output_errno != 0) return;
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) output_errno = errno != 0 ? errno : EIO;
}

bool print_now(std::string_view text) {
  print(text);
  errno = 0;
  if (std::fflush(stdout) != 0 && output_errno == 0) output_errno = errno != 0 ? errno : EIO;
  return output_errno == 0;
}

void print_json(const Json& object) { print(object.dump_repaired(2) + "\n"); }

void print_result(const Common& common, const Json& object, std::string_view text) {
  common.json ? print_json(object) : print(text);
}

void remark(const Common& common, std::string_view text) {
  if (!common.quiet) fmt::print(stderr, "{}\n", text);
}

void print_error(std::string_view text, bool json) {
  std::fflush(stdout);
  fmt::print(stderr, "s3gd: error: {}\n", text);
  if (json) print_json({{"status", "error"}, {"error", std::string(text)}});
}

int finish_output(int exit_code) {
  if (print_now("") || output_errno == EPIPE) return exit_code;
  fmt::print(stderr, "s3gd: error: cannot write standard output: {}\n", std::strerror(output_errno));
  return exit_code == kGood ? kBadInput : exit_code;
}

std::string format_count(Index count) {
  std::string digits = std::to_string(count < 0 ? -count : count);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return (count < 0 ? "-" : "") + digits;
}

std::string format_bytes(std::uint64_t n) {
  if (n < 1000) return fmt::format("{} B", n);
  auto value = static_cast<double>(n);
  const char* unit = "B";
  for (const char* next : {"kB", "MB", "GB", "TB"}) {
    if (value < 999.5) break;
    value /= 1000;
    unit = next;
  }
  return fmt::format("{:.{}f} {}", value, value < 9.95 ? 1 : 0, unit);
}

std::string format_seconds(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  if (seconds < 1e-3) return fmt::format("{:.0f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (seconds < 99.5) return fmt::format("{:.3g} s", seconds);
  const auto whole = static_cast<Index>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string format_number(double value) { return fmt::format("{:.6g}", value); }

std::string format_table(const Table& rows) {
  std::vector<std::size_t> widths;
  std::vector<bool> numeric;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      if (c == widths.size()) {
        widths.push_back(0);
        numeric.push_back(true);
      }
      widths[c] = std::max(widths[c], width_of(rows[r][c]));
      if (r > 0 && !rows[r][c].empty() && !looks_numeric(rows[r][c])) numeric[c] = false;
    }
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string padding(widths[c] - width_of(row[c]), ' ');
      line += numeric[c] ? padding + row[c] : row[c] + padding;
      if (c + 1 < row.size()) line += "  ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string format_fields(const Fields& fields) {
  std::size_t width = 0;
  for (const auto& [name, value] : fields) width = std::max(width, name.size());
  std::string text;
  for (const auto& [name, value] : fields)
    text += name + std::string(width - name.size() + 2, ' ') + wrap(value, 80 - width - 2, width + 2) + "\n";
  return text;
}

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
  std::string result;
  std::size_t used = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (used > 0 && used + 1 + width_of(word) > width) {
      result += "\n" + std::string(indent, ' ');
      used = 0;
    } else if (used > 0) {
      result += ' ';
      ++used;
    }
    result += word;
    used += width_of(word);
  }
  return result;
}

namespace {

std::size_t columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// A line that is wider than the terminal would wrap, and could not be drawn over.
std::string cut_to(std::string text, std::size_t width) {
  if (width_of(text) < width) return text;
  while (!text.empty() && width_of(text) + 3 > width) {
    while (text.size() > 1 && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.pop_back();  // UTF-8
    text.pop_back();
  }
  return text + "..";
}

}  // namespace

Progress::Progress(const Common& common, std::string label)
    : label_(std::move(label)), visible_(!common.quiet && isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
  drawn_ = false;
}

void Progress::show(std::string_view text) {
  if (!visible_ || wall_now() < next_) return;
  next_ = wall_now() + kSecondsBetweenDraws;
  drawn_ = true;
  fmt::print(stderr, "\r\x1b[K{}", cut_to(fmt::format("{} {}", label_, text), columns()));
  std::fflush(stderr);
}

void Progress::bytes(std::uint64_t done, std::uint64_t total) {
  if (!visible_) return;
  if (total == 0) return show(format_bytes(done));
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  show(fmt::format("{:3.0f} %  {} of {}", 100 * share, format_bytes(done), format_bytes(total)));
}

}  // namespace s3gd::app
