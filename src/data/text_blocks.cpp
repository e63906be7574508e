#include "data/text_blocks.hpp"

#include <algorithm>
#include <charconv>
#include <condition_variable>

#include "base/interrupt.hpp"
#include "base/threads.hpp"
#include "data/number.hpp"

namespace s3gd {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Whether a number that std::from_chars found out of range is beyond the largest rather than below the smallest:
// looks at the power of ten of its first digit that is not zero.
bool is_huge(std::string_view number) {
  std::int64_t power = 0;
  bool point = false, found = false;
  std::size_t i = 0;
  for (; i < number.size() && (is_digit(number[i]) || number[i] == '.' || number[i] == '-'); ++i) {
    if (number[i] == '.') point = true;
    if (!is_digit(number[i])) continue;
    found = found || number[i] != '0';
    if (found && !point) ++power;
    if (!found && point) --power;
  }
  std::int64_t exponent = 0;
  if (i < number.size()) {
    const bool negative = number[++i] == '-';
    for (; i < number.size(); ++i)
      if (is_digit(number[i]))
        exponent = std::min<std::int64_t>(exponent * 10 + (number[i] - '0'), std::int64_t{1} << 40);
    if (negative) exponent = -exponent;
  }
  return found && power + exponent > 0;
}

// More threads than this wait for the stream rather than parse.
constexpr int kMostThreads = 16;

Index count_lines(const char* begin, const char* end) { return std::count(begin, end, '\n'); }

}  // namespace

bool starts_number(const char* p) {
  if (*p == '+' || *p == '-') ++p;
  return is_digit(*p) || (*p == '.' && is_digit(p[1]));
}

template <class T>
const char* parse_any_number(const char* p, T& value) {
  if (!starts_number(p)) return nullptr;
  if (*p == '+') ++p;  // std::from_chars takes no plus
  const char* end = p;
  while (is_digit(*end) || *end == '.' || *end == 'e' || *end == 'E' || *end == '+' || *end == '-') ++end;
  const auto [stop, problem] = std::from_chars(p, end, value);
  if (problem == std::errc::result_out_of_range) {
    if (is_huge(std::string_view(p, static_cast<std::size_t>(stop - p)))) return nullptr;
    value = *p == '-' ? -T{0} : T{0};
  }
  return stop;
}

template <class T>
std::string expected_number(const char* p) {
  if (!starts_number(p)) return "a number";
  return std::is_same_v<T, float> ? "a number that fits a float, at most 3.4e38"
                                  : "a number that fits a double, at most 1.8e308";
}

template const char* parse_any_number(const char*, float&);
template const char* parse_any_number(const char*, double&);
template std::string expected_number<float>(const char*);
template std::string expected_number<double>(const char*);

Error error_at(const std::string& file, const char* begin, Index lines_before, const TextProblem& problem) {
  if (problem.at == nullptr) return Error({file, lines_before + 1, 0}, problem.found, problem.expected, problem.hint);
  const char* line = problem.at;
  while (line > begin && line[-1] != '\n') --line;
  const Place place{file, lines_before + count_lines(begin, problem.at) + 1, problem.at - line + 1};
  return Error(place, problem.found, problem.expected, problem.hint);
}

std::string quote_text(std::string_view text) {
  constexpr std::size_t kShown = 40;
  constexpr char kHex[] = "0123456789abcdef";
  std::string shown = "'";
  for (const char c : text.substr(0, kShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f)
      shown += c;
    else
      shown += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
  }
  return shown + (text.size() > kShown ? "..'" : "'");
}

std::string quote_token(const char* at, const char* end) {
  if (at == end || *at == '\n' || (*at == '\r' && at[1] == '\n')) return "the end of the line";
  const std::string_view rest(at, end);
  const auto size = rest.find_first_of(" \t\r\n,;");
  return quote_text(rest.substr(0, std::max<std::size_t>(size, 1)));
}

std::string_view TextBlocks::look() {
  if (!looked_) {
    looked_ = true;
    pending_ = fill(first_buffer_, first_);
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (pending_ && std::string_view(first_.begin, first_.end).starts_with(kByteOrderMark))
      first_.begin += kByteOrderMark.size();
  }
  if (!pending_) return {};
  try {
    if (first_.failure) std::rethrow_exception(first_.failure);
  } catch (const TextProblem& problem) {
    throw error_at(name(), nullptr, 0, problem);
  }
  return {first_.begin, first_.end};
}

void TextBlocks::skip(std::size_t bytes) {
  skipped_lines_ += count_lines(first_.begin, first_.begin + bytes);
  first_.begin += bytes;
}

bool TextBlocks::next(Pages& buffer, TextBlock& block) {
  std::lock_guard lock(mutex_);
  if (!looked_) look();
  if (!pending_) return fill(buffer, block);
  pending_ = false;
  std::swap(buffer, first_buffer_);
  first_buffer_ = Pages();
  block = first_;
  return true;
}

// The end of the last whole line, or 0. Called again with more bytes when there was none.
std::size_t TextBlocks::find_cut(const char* data, std::size_t size) {
  while (scanned_ < size) {
    const char* from = data + scanned_;
    const auto left = size - scanned_;
    const auto* quote = quoted_ ? static_cast<const char*>(std::memchr(from, '"', left)) : nullptr;
    const auto length = quote != nullptr ? static_cast<std::size_t>(quote - from) : left;
    if (!inside_quotes_)
      if (const auto* newline = static_cast<const char*>(memrchr(from, '\n', length)))
        cut_ = static_cast<std::size_t>(newline - data) + 1;
    if (quote != nullptr) inside_quotes_ = !inside_quotes_;
    scanned_ += length + (quote != nullptr ? 1 : 0);
  }
  return cut_;
}

bool TextBlocks::fill(Pages& buffer, TextBlock& block) {
  if (ended_ && carry_.empty()) return false;
  block = TextBlock();
  block.ticket = tickets_++;
  try {
    if (buffer.bytes() > 4 * kBlockBytes) buffer = Pages();  // a long line was here: give the memory back
    std::size_t size = carry_.size();
    scanned_ = cut_ = 0;
    inside_quotes_ = false;
    buffer.resize(std::max(buffer.bytes(), size + kBlockBytes + kNumberPadding + 1));
    if (size > 0) std::memcpy(buffer.data(), carry_.data(), size);
    carry_.clear();
    for (;;) {
      buffer.resize(std::max(buffer.bytes(), size + kBlockBytes + kNumberPadding + 1));
      auto* data = static_cast<char*>(buffer.data());
      const std::size_t count = input_.read({data + size, kBlockBytes});
      size += count;
      ended_ = count < kBlockBytes;
      std::size_t cut = find_cut(data, size);
      if (ended_ && cut < size) {
        data[size++] = '\n';
        cut = size;
      }
      if (cut > 0 || ended_) {
        carry_.assign(data + cut, data + size);
        std::memset(data + cut, 0, kNumberPadding);
        block.begin = data;
        block.end = data + cut;
        break;
      }
      if (size > kLongestLine)
        throw TextProblem{nullptr, "a line without an end within " + std::to_string(kLongestLine >> 20) + " MB",
                          "lines of text", "is a quote left open, or is this a binary file?"};
    }
  } catch (...) {
    block.failure = std::current_exception();
    ended_ = true;
    carry_.clear();
  }
  const bool something = block.begin != block.end || block.failure;
  if (!something) --tickets_;
  return something;
}

void parse_blocks(TextBlocks& blocks, int threads, const std::function<BlockWorker()>& make_worker) {
  std::mutex mutex;
  std::condition_variable turn;  // to commit, in the order of the tickets
  Index next = 0, lines_before = blocks.skipped_lines();
  std::exception_ptr failure;
  const auto settle = [&](const BlockWorker& worker, const TextBlock& block, const std::exception_ptr& problem) {
    if (interrupted()) throw Interrupted("reading " + blocks.name() + " was interrupted");
    try {
      if (problem) std::rethrow_exception(problem);
      worker.commit();
    } catch (const TextProblem& text) {
      throw error_at(blocks.name(), block.begin, lines_before, text);
    }
  };
  const int workers = std::min(resolve_threads(threads), kMostThreads);
  parallel_for(workers, workers, [&](Index) {
    const BlockWorker worker = make_worker();
    Pages buffer;
    TextBlock block;
    for (bool going = true; going && blocks.next(buffer, block);) {
      Index lines = 0;
      std::exception_ptr problem = block.failure;
      try {
        if (!problem) lines = worker.parse(block.begin, block.end);
      } catch (...) {
        problem = std::current_exception();
      }
      std::unique_lock lock(mutex);
      turn.wait(lock, [&] { return failure || next == block.ticket; });
      if (failure) return;
      try {
        settle(worker, block, problem);
      } catch (...) {
        failure = std::current_exception();
      }
      going = !failure;
      lines_before += lines;
      ++next;
      turn.notify_all();
    }
  });
  if (failure) std::rethrow_exception(failure);
}

}  // namespace s3gd
