// Text cut into blocks of whole lines and parsed on several threads, with results and errors as if by one.
//
// Blocks are handed out in file order from one stream (so pipes and compressed files are as good as plain ones), parsed
// side by side and committed in file order. Where each block ends depends on the text alone. The first problem in the
// file wins whoever finds it. Memory: one block and what is parsed from it for each thread.
#pragma once

#include <exception>
#include <mutex>

#include "base/buffer.hpp"
#include "data/input.hpp"
#include "s3gd/error.hpp"

namespace s3gd {

constexpr std::size_t kBlockBytes = std::size_t{1} << 19;
constexpr std::size_t kLongestLine = std::size_t{32} << 20;

// Thrown by parsers: what is wrong at a place in the block. Becomes an Error with file, line and column.
struct TextProblem {
  const char* at;  // null: at the line as a whole
  std::string found;
  std::string expected;
  std::string hint = {};
};

// In quotes, shortened, unprintable bytes as \xNN.
std::string quote_text(std::string_view text);
// What stands at `at` up to the next blank, separator or line end.
std::string quote_token(const char* at, const char* end);

// The problem as an Error; `begin` is the start of the line that follows `lines_before` others.
Error error_at(const std::string& file, const char* begin, Index lines_before, const TextProblem& problem);

struct TextBlock {
  Index ticket = 0;
  // Whole lines; the last one ends in '\n' like the others, and kNumberPadding zeros follow.
  const char* begin = nullptr;
  const char* end = nullptr;
  std::exception_ptr failure;  // set when the stream, or the line that starts here, ended badly
};

class TextBlocks {
 public:
  // quoted: a newline between double quotes ends no line (CSV).
  TextBlocks(Input& input, bool quoted) : input_(input), quoted_(quoted) {}

  // The first block, for finding out what the file holds; a byte order mark at the start of the file is left out.
  std::string_view look();
  // Leaves out the first bytes of what look() showed: whole lines.
  void skip(std::size_t bytes);
  Index skipped_lines() const { return skipped_lines_; }

  // The next block, held in `buffer`; false at the end. May be called from any thread.
  bool next(Pages& buffer, TextBlock& block);
  const std::string& name() const { return input_.name(); }

 private:
  bool fill(Pages& buffer, TextBlock& block);
  std::size_t find_cut(const char* data, std::size_t size);

  Input& input_;
  const bool quoted_;
  std::mutex mutex_;
  std::vector<char> carry_;
  bool ended_ = false;
  Index tickets_ = 0;

  bool looked_ = false, pending_ = false;
  Pages first_buffer_;
  TextBlock first_;
  Index skipped_lines_ = 0;

  // Where the search for line ends stands within the block being filled.
  std::size_t scanned_ = 0, cut_ = 0;
  bool inside_quotes_ = false;
};

// One per thread. parse() keeps what it finds to itself and returns the number of lines; it throws a TextProblem.
// commit() adds that to the result and is never called by two threads at once.
struct BlockWorker {
  std::function<Index(const char* begin, const char* end)> parse;
  std::function<void()> commit;
};

void parse_blocks(TextBlocks& blocks, int threads, const std::function<BlockWorker()>& make_worker);

}  // namespace s3gd
