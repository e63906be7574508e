// LIBSVM and SVMlight text, read whole or block by block.
#include <cmath>

#include "base/mention.hpp"
#include "data/checks.hpp"
#include "data/format.hpp"
#include "data/number.hpp"

namespace s3gd {
namespace {

constexpr Index kLargestIndex = Index{1} << 60;  // sizes computed from it still fit 64 bits
constexpr std::ptrdiff_t kShortestEntry = 4;     // "1:2 "

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool ends_line(const char* p) { return *p == '\n' || *p == '#' || (*p == '\r' && p[1] == '\n'); }

const char* skip_blanks(const char* p) {
  while (is_blank(*p)) ++p;
  return p;
}

const char* next_line(const char* p, const char* end) {
  return static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p))) + 1;
}

// LABEL [qid:N] INDEX:VALUE .. [# comment], one row a line.
template <class T>
class LibsvmParser {
 public:
  explicit LibsvmParser(const LoadOptions& options)
      : one_based_(options.index_base == IndexBase::one), merge_(options.index_order == IndexOrder::merge) {}

  Index parse(const char* begin, const char* end) {
    end_ = end;
    block.clear();
    const Index capacity = (end - begin) / kShortestEntry + 1;
    block.columns.resize(capacity);
    block.values.resize(capacity);
    count_ = 0;
    Index lines = 0;
    for (const char* p = begin; p < end; ++lines) {
      p = skip_blanks(p);
      if (!ends_line(p)) {
        p = parse_label(p);
        p = parse_entries(p);
        block.starts.push_back(count_);
      }
      p = *p == '\n' ? p + 1 : next_line(p, end);
    }
    block.columns.resize(count_);
    block.values.resize(count_);
    return lines;
  }

  void describe(Labels&) const {}
  void check(const LabelsSeen&) const {}

  RowBlock<T> block;

 private:
  [[noreturn]] void refuse(const char* at, const std::string& expected, const std::string& hint = {}) const {
    throw TextProblem{at, quote_token(at, end_), expected, hint};
  }

  const char* parse_label(const char* p) {
    double label = 0;
    const char* const stop = parse_number(p, label);
    if (stop == nullptr) refuse(p, "a label: " + expected_number<double>(p));
    if (!is_blank(*stop) && !ends_line(stop)) {
      if (*stop == ',')
        throw TextProblem{stop, "several labels in one row", "one label", "multi-label data is not supported"};
      if (*stop == ':') refuse(p, "a label before the first index", "put 0 where the label is not known");
      refuse(p, "a label: a number");
    }
    block.labels.push_back(label);
    return stop;
  }

  // From behind the label to the end of the row.
  const char* parse_entries(const char* p) {
    const char* const row = p;
    Index* const columns = block.columns.data();
    T* const values = block.values.data();
    const Index first = count_;
    Index count = first;
    Index previous = -1;
    Index widest = block.widest;
    bool unsorted = false;
    p += *p == ' ';
    for (;;) {
      const std::uint64_t word = load_eight(p);
      const std::uint64_t others = other_characters(word);
      const int digits = first_of(others);
      const int length = first_of(others & (others - 1));
      Index index;
      // Eight characters often hold all of "123:456 ": both ends are then known from one look, which is what the time
      // goes into, as each entry starts where the one before it ends.
      if (length < 8 && digits > 0 && p[digits] == ':' && p[length] == ' ' && length > digits + 1) {
        index = digits_value(word, digits);
        values[count] = static_cast<T>(digits_value(word >> (8 * digits + 8), length - digits - 1));
        if (index <= previous || index == 0) [[unlikely]]
          unsorted |= check_index(p, index, previous);
        p += length + 1;
      } else {
        p = skip_blanks(p);
        if (ends_line(p)) break;
        if (is_query(p)) {
          p = skip_query(p);
          continue;
        }
        const char* const entry = p;
        p = parse_index(p, index);
        if (index <= previous || index == 0) [[unlikely]]
          unsorted |= check_index(entry, index, previous);
        const char* const value = p;
        p = parse_number(value, values[count]);
        if (p == nullptr || !(is_blank(*p) || ends_line(p))) [[unlikely]]
          refuse(value, "a value: " + expected_number<T>(value));
        if (*p == ' ') ++p;
      }
      columns[count] = index;
      count += !is_plain_zero(values[count]);
      previous = index;
      widest = std::max(widest, index);
    }
    count_ = count;
    block.widest = widest;
    if (unsorted) merge_row(first, row);
    return p;
  }

  static bool is_query(const char* p) { return p[0] == 'q' && p[1] == 'i' && p[2] == 'd' && p[3] == ':'; }

  const char* skip_query(const char* p) const {
    const char* stop = p + 4;
    while (is_digit(*stop)) ++stop;
    if (stop == p + 4 || !(is_blank(*stop) || ends_line(stop))) refuse(p, "qid: and a whole number");
    return stop;
  }

  // Returns the place behind the colon.
  const char* parse_index(const char* p, Index& index) const {
    const std::uint64_t word = load_eight(p);
    const int digits = leading_digits(word);
    if (digits > 0 && p[digits] == ':') {
      index = digits_value(word, digits);
      return p + digits + 1;
    }
    index = 0;
    const char* stop = p;
    for (; is_digit(*stop); ++stop) {
      const Index next = index <= kLargestIndex / 10 ? index * 10 + (*stop - '0') : kLargestIndex + 1;
      if (next > kLargestIndex) refuse(p, "an index of at most " + std::to_string(kLargestIndex));
      index = next;
    }
    if (*p == '-') refuse(p, "an index, counted from 0 or 1");
    if (stop == p || *stop != ':') refuse(p, "INDEX:VALUE");
    return stop + 1;
  }

  // For an index that is 0 or not above the one before; returns whether the row has to be sorted.
  bool check_index(const char* p, Index index, Index previous) {
    if (index == 0 && one_based_)
      refuse(p, "an index of at least 1: they are counted from 1 here", opt("index-base", "0") + " counts from 0");
    if (index == 0) block.column_zero = true;
    if (index > previous) return false;
    if (merge_) return true;
    const std::string what = index == previous ? "twice in a row" : "after " + std::to_string(previous);
    throw TextProblem{p, "index " + std::to_string(index) + " " + what, "ascending indices",
                      opt("index-order", "merge") + " sorts them and adds up duplicates"};
  }

  // Sorts the entries of the last row and adds up those of the same index, in the order of the file.
  void merge_row(Index first, const char* row) {
    const auto size = static_cast<std::size_t>(count_ - first);
    Index* const columns = block.columns.data() + first;
    T* const values = block.values.data() + first;
    std::vector<std::pair<Index, T>> entries(size);
    for (std::size_t k = 0; k < size; ++k) entries[k] = {columns[k], values[k]};
    std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    Index kept = 0;
    for (std::size_t k = 0; k < size; ++kept) {
      const Index column = entries[k].first;
      double sum = 0;
      for (; k < size && entries[k].first == column; ++k) sum += static_cast<double>(entries[k].second);
      if (std::abs(sum) > static_cast<double>(std::numeric_limits<T>::max()))
        throw TextProblem{row, "values of index " + std::to_string(column) + " whose sum is too large", "a finite sum"};
      columns[kept] = column;
      values[kept] = static_cast<T>(sum);
    }
    count_ = first + kept;
  }

  const bool one_based_;
  const bool merge_;
  const char* end_ = nullptr;
  Index count_ = 0;
};

// Are columns counted from 0? Asked of the first block alone: later ones are not there yet.
template <class T>
bool first_block_has_column_zero(TextBlocks& blocks, const LoadOptions& options) {
  LibsvmParser<T> parser(options);
  const std::string_view first = blocks.look();
  try {
    parser.parse(first.data(), first.data() + first.size());
  } catch (const TextProblem&) {  // will be met again
  }
  return parser.block.column_zero;
}

[[noreturn]] void refuse_no_rows(const Input& input) {
  throw Error(input.name() + " holds no rows", "LIBSVM text has one row a line: LABEL INDEX:VALUE ..");
}

template <class T>
Dataset read(Input& input, const LoadOptions& options) {
  RowsBuilder<T> rows(options.layout, options.cols, options.index_base);
  GrowBuffer<double> labels;
  TextBlocks blocks(input, false);
  const auto commit = [&](const LibsvmParser<T>& parsed) {
    rows.append(parsed.block);
    labels.append(parsed.block.labels);
  };
  collect_blocks<LibsvmParser<T>>(blocks, options.threads, commit, options);
  if (rows.rows() == 0) refuse_no_rows(input);
  Dataset data;
  data.index_base = rows.base();
  data.open_width = true;
  data.x = std::move(rows).finish();
  data.y.values = std::move(labels).finish();
  data.y.kind = kind_of_labels(data.y.values.span());
  data.source = input.name();
  return data;
}

template <class T>
void stream(Input& input, LoadOptions options, const RowStart& start) {
  TextBlocks blocks(input, false);
  if (options.index_base == IndexBase::detect)
    options.index_base = first_block_has_column_zero<T>(blocks, options) ? IndexBase::zero : IndexBase::one;
  Dataset shape;
  shape.index_base = options.index_base == IndexBase::zero ? 0 : 1;
  shape.open_width = true;
  shape.y.kind = LabelKind::real;
  shape.source = input.name();
  shape.x = empty_rows(options.cols);
  const Index base = *shape.index_base;
  if (hand_on_blocks<LibsvmParser, T>(blocks, options.threads, base, shape, start, options) == 0) refuse_no_rows(input);
}

bool first_row_is_libsvm(std::string_view head) {
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  while (!head.empty()) {
    const auto line = head.substr(0, head.find('\n'));
    head.remove_prefix(std::min(head.size(), line.size() + 1));
    const auto label = line.find_first_not_of(" \t\r");
    if (label == std::string_view::npos || line[label] == '#') continue;
    if (line.substr(label, line.find_first_of(" \t", label) - label).find_first_not_of("+-.,0123456789eE") !=
        std::string_view::npos)
      return false;
    const auto entry = line.find_first_not_of(" \t", line.find_first_of(" \t", label));
    if (entry == std::string_view::npos) return false;
    const auto colon = line.find_first_not_of("0123456789", entry);
    return line.substr(entry).starts_with("qid:") ||
           (colon != std::string_view::npos && colon > entry && line[colon] == ':');
  }
  return false;
}

}  // namespace

int recognise_libsvm(std::string_view name, std::span<const char> head) {
  if (first_row_is_libsvm({head.data(), head.size()})) return 3;
  for (const std::string_view extension : {".svm", ".libsvm", ".svmlight"})
    if (name.ends_with(extension)) return 2;
  return 0;
}

Dataset read_libsvm(Input& input, const LoadOptions& options) {
  return options.precision == Precision::float32 ? read<float>(input, options) : read<double>(input, options);
}

void stream_libsvm_rows(Input& input, const LoadOptions& options, const RowStart& start) {
  (options.precision == Precision::float32 ? stream<float> : stream<double>)(input, options, start);
}

}  // namespace s3gd
