// CSV and TSV text, read whole or block by block.
#include <cmath>
#include <map>

#include "base/mention.hpp"
#include "data/checks.hpp"
#include "data/csv_record.hpp"
#include "data/format.hpp"
#include "data/number.hpp"

namespace s3gd {
namespace {

constexpr std::ptrdiff_t kShortestField = 2;  // "1,"

using Words = std::map<std::string, Index, std::less<>>;  // each word and its number, in order of appearance

double number_of(Words& words, const std::string& word) {
  return static_cast<double>(words.try_emplace(word, static_cast<Index>(words.size())).first->second);
}

std::vector<std::string> in_order(const Words& words) {
  std::vector<std::string> list(words.size());
  for (const auto& [word, number] : words) list[at(number)] = word;
  return list;
}

// Labels that are numbers of words get other numbers.
void renumber(std::span<double> labels, const std::vector<double>& numbers) {
  for (double& label : labels) label = numbers[static_cast<std::size_t>(label)];
}

// Where labels that are numbers stand beside words, they are words too, written as a class of that number is.
void name_numbers(std::span<double> labels, Words& words) {
  for (double& label : labels) label = number_of(words, Labels().name_of(label));
}

// One row a record, one of its fields the label, one perhaps the weight.
template <class T>
class CsvParser {
 public:
  CsvParser(const CsvPlan& plan, const LoadOptions& options)
      : plan_(plan), separator_(plan.separator), missing_(options.missing) {}

  Index parse(const char* begin, const char* end) {
    end_ = end;
    block.clear();
    words.clear();
    first_word_ = first_fraction_ = nullptr;
    any_missing = false;
    const Index capacity = (end - begin) / kShortestField + 1;
    block.columns.resize(capacity);
    block.values.resize(capacity);
    block.widest = plan_.features() - 1;
    count_ = 0;
    for (const char* p = begin; p < end;) {
      const char* const start = skip_pad(p, separator_);
      p = ends_record(start) ? start : parse_record(p);
      p += *p == '\r' ? 2 : 1;
    }
    block.columns.resize(count_);
    block.values.resize(count_);
    return std::count(begin, end, '\n');
  }

  // Words may stand beside whole numbers, which are classes as well, but not beside others.
  void check(LabelsSeen& seen) const {
    if (seen.fractions && !words.empty()) refuse_word();
    if (seen.words && first_fraction_ != nullptr) refuse_mixture(first_fraction_, false);
    seen.words |= !words.empty();
    seen.fractions |= first_fraction_ != nullptr;
  }
  void describe(Labels& labels) const { labels.class_names = in_order(words); }
  [[noreturn]] void refuse_word() const { refuse_mixture(first_word_, true); }

  RowBlock<T> block;  // labels that are words: their numbers in `words`
  Words words;
  bool any_missing = false;

 private:
  const char* parse_record(const char* p) {
    const Index fields = plan_.fields();
    for (Index field = 0;; ++field, ++p) {
      if (field == fields)
        throw TextProblem{p, "more than " + std::to_string(fields) + " fields", "as many as in the first line"};
      const Index column = plan_.columns[at(field)];
      if (column >= 0)
        p = parse_feature(p, field, column);
      else if (column == CsvPlan::kLabel)
        p = parse_label(p);
      else
        p = parse_weight(p);
      if (*p == separator_) continue;
      if (field + 1 < fields)
        throw TextProblem{p, std::to_string(field + 1) + " fields", std::to_string(fields) + " as in the first line"};
      break;
    }
    block.starts.push_back(count_);
    return p;
  }

  const char* parse_feature(const char* p, Index field, Index column) {
    T value;
    const char* stop = parse_number(skip_pad(p, separator_), value);
    if (stop != nullptr) stop = skip_pad(stop, separator_);
    if (stop == nullptr || (*stop != separator_ && !ends_record(stop))) [[unlikely]]
      stop = parse_odd_feature(p, field, value);
    block.columns[count_] = column;
    block.values[count_] = value;
    count_ += !is_plain_zero(value);
    return stop;
  }

  // Quoted, missing or wrong.
  const char* parse_odd_feature(const char* p, Index field, T& value) {
    const char* const stop = take_field(p, end_, separator_, text_);
    if (is_missing(text_)) {
      if (missing_ == Missing::error)
        throw TextProblem{skip_pad(p, separator_), "a missing value in " + plan_.name_of(field), "a number",
                          opt("missing", "zero") + " or " + opt("missing", "mean") + " fills it in"};
      value = missing_ == Missing::zero ? T{0} : std::numeric_limits<T>::quiet_NaN();
      any_missing |= missing_ == Missing::mean;
      return stop;
    }
    value = whole_number_text<T>(p, "in " + plan_.name_of(field));
    return stop;
  }

  const char* parse_weight(const char* p) {
    const char* const stop = take_field(p, end_, separator_, text_);
    const auto weight = whole_number_text<double>(p, "as the weight");
    if (weight < 0) throw TextProblem{p, "the weight " + quote_text(text_), "a weight that is not negative"};
    block.weights.push_back(weight);
    return stop;
  }

  const char* parse_label(const char* p) {
    const char* const stop = take_field(p, end_, separator_, text_);
    if (is_missing(text_)) throw TextProblem{p, text_.empty() ? "no label" : quote_text(text_), "a label in every row"};
    if (!is_number(text_) || is_code(text_)) {
      if (first_word_ == nullptr) first_word_ = p;
      if (first_fraction_ != nullptr) refuse_word();
      if (words.empty()) name_numbers(block.labels, words);
      if (static_cast<Index>(words.size()) > kMostClasses && first_word_ == p) refuse_word();
      block.labels.push_back(number_of(words, text_));
      return stop;
    }
    const auto label = whole_number_text<double>(p, "as the label");
    if (label != std::floor(label) && first_fraction_ == nullptr) first_fraction_ = p;
    if (words.empty()) {
      block.labels.push_back(label);
    } else {
      if (first_fraction_ != nullptr) refuse_mixture(p, false);
      block.labels.push_back(number_of(words, Labels().name_of(label)));
    }
    return stop;
  }

  // All of text_ as a number.
  template <class N>
  N whole_number_text(const char* p, const std::string& where) {
    const std::size_t size = text_.size();
    text_.append(kNumberPadding, '\0');
    N value{};
    const char* const stop = parse_number(text_.data(), value);
    const bool whole = stop == text_.data() + size;
    const std::string expected = stop == nullptr ? expected_number<N>(text_.data()) : "a number";
    text_.resize(size);
    if (!whole)
      throw TextProblem{skip_pad(p, separator_), text_.empty() ? "an empty field" : quote_text(text_),
                        expected + " " + where};
    return value;
  }

  [[noreturn]] void refuse_mixture(const char* at, bool word) const {
    throw TextProblem{skip_pad(at, separator_), word ? "a word as the label" : "a number as the label",
                      word ? "a number as in the rows before" : "a word as in the rows before"};
  }

  const CsvPlan& plan_;
  const char separator_;
  const Missing missing_;
  const char* first_word_ = nullptr;      // among the labels of the block
  const char* first_fraction_ = nullptr;  // among those that are numbers
  const char* end_ = nullptr;
  Index count_ = 0;
  std::string text_;
};

// Codes that are too many to be classes are numbers after all.
void read_as_numbers(Words& words, GrowBuffer<double>& labels) {
  const bool numbers = std::all_of(words.begin(), words.end(), [](const auto& word) { return is_number(word.first); });
  if (!numbers || static_cast<Index>(words.size()) <= kMostClasses) return;
  std::vector<double> values(words.size());
  for (const auto& [word, number] : words) values[at(number)] = std::strtod(word.c_str(), nullptr);
  renumber(labels.span(), values);
  words.clear();
}

// Numbers the words, if the labels are words, in their sorted order and returns them.
std::vector<std::string> sort_words(const Words& words, GrowBuffer<double>& labels) {
  if (words.empty()) return {};
  std::vector<double> rank(words.size());
  std::vector<std::string> names;
  for (const auto& [word, number] : words) {
    rank[at(number)] = static_cast<double>(names.size());
    names.push_back(word);
  }
  renumber(labels.span(), rank);
  return names;
}

// The plan for what follows; leaves the blocks standing before the first row.
CsvPlan plan_rows(TextBlocks& blocks, char separator, const LoadOptions& options) {
  std::string_view first = blocks.look();
  const auto blank = std::min(first.find_first_not_of("\r\n"), first.size());
  blocks.skip(blank);
  first.remove_prefix(blank);
  if (first.empty()) throw Error(blocks.name() + " holds no rows");
  try {
    CsvPlan plan = plan_csv(first, separator, options, blocks.name());
    blocks.skip(plan.header_bytes);
    return plan;
  } catch (const TextProblem& problem) {
    throw error_at(blocks.name(), first.data(), blocks.skipped_lines(), problem);
  }
}

[[noreturn]] void refuse_header_alone(const Input& input) { throw Error(input.name() + " holds a header but no rows"); }

// All that the first record and the options say about the columns, `cols` in number.
Dataset shape_of(const CsvPlan& plan, Index cols, const Input& input) {
  Dataset data;
  data.feature_names = plan.feature_names;
  if (!data.feature_names.empty())
    while (static_cast<Index>(data.feature_names.size()) < cols)
      data.feature_names.push_back("x" + std::to_string(data.feature_names.size() + 1));
  data.label_column = plan.label_column;
  data.open_width = false;
  data.source = input.name();
  return data;
}

template <class T>
Dataset read(Input& input, char separator, const LoadOptions& options) {
  TextBlocks blocks(input, true);
  const CsvPlan plan = plan_rows(blocks, separator, options);
  RowsBuilder<T> rows(options.layout, options.cols, IndexBase::zero);
  GrowBuffer<double> labels, weights;
  Words words;  // labels: their numbers
  LabelsSeen seen;
  bool any_missing = false;
  const auto commit = [&](CsvParser<T>& parsed) {
    parsed.check(seen);
    if (!words.empty() && parsed.words.empty()) name_numbers(parsed.block.labels, parsed.words);
    if (!parsed.words.empty() && words.empty()) {  // the first word: all rows before have numbers
      name_numbers(labels.span(), words);
      if (static_cast<Index>(words.size()) > kMostClasses) parsed.refuse_word();
    }
    // In the order of appearance, so that the numbers do not depend on how the file was cut.
    std::vector<double> numbers;
    for (const std::string& word : in_order(parsed.words)) numbers.push_back(number_of(words, word));
    if (!numbers.empty()) renumber(parsed.block.labels, numbers);
    rows.append(parsed.block);
    labels.append(parsed.block.labels);
    weights.append(parsed.block.weights);
    any_missing |= parsed.any_missing;
  };
  collect_blocks<CsvParser<T>>(blocks, options.threads, commit, plan, options);
  if (rows.rows() == 0) refuse_header_alone(input);
  if (any_missing)
    if (const auto column = rows.fill_missing_by_mean())
      throw Error(input.name() + ": feature " + std::to_string(*column) + " has no value in any row, so no mean",
                  opt("missing", "zero") + ", or leave the column out");
  Dataset data = shape_of(plan, rows.cols(), input);
  data.x = std::move(rows).finish();
  if (plan.labels) {
    read_as_numbers(words, labels);
    data.y.class_names = sort_words(words, labels);
    data.y.values = std::move(labels).finish();
    data.y.kind = data.y.class_names.empty() ? kind_of_labels(data.y.values.span()) : LabelKind::classes;
  }
  data.weights = std::move(weights).finish();
  return data;
}

template <class T>
void stream(Input& input, char separator, const LoadOptions& options, const RowStart& start) {
  TextBlocks blocks(input, true);
  const CsvPlan plan = plan_rows(blocks, separator, options);
  const Index cols = std::max(options.cols, plan.features());
  Dataset shape = shape_of(plan, cols, input);
  shape.x = empty_rows(cols);
  if (plan.labels) shape.y.kind = LabelKind::real;
  if (hand_on_blocks<CsvParser, T>(blocks, options.threads, 0, shape, start, plan, options) == 0)
    refuse_header_alone(input);
}

void stream_with(Input& input, char separator, const LoadOptions& options, const RowStart& start) {
  (options.precision == Precision::float32 ? stream<float> : stream<double>)(input, separator, options, start);
}

Dataset read_with(Input& input, char separator, const LoadOptions& options) {
  return (options.precision == Precision::float32 ? read<float> : read<double>)(input, separator, options);
}

std::string_view first_line(std::span<const char> head) {
  const std::string_view text(head.data(), head.size());
  return text.find('\0') == std::string_view::npos ? text.substr(0, text.find('\n')) : std::string_view();
}

}  // namespace

int recognise_csv(std::string_view name, std::span<const char> head) {
  if (name.ends_with(".csv")) return 2;
  return first_line(head).find_first_of(",;") != std::string_view::npos ? 1 : 0;
}

int recognise_tsv(std::string_view name, std::span<const char> head) {
  if (name.ends_with(".tsv") || name.ends_with(".tab")) return 2;
  return first_line(head).find('\t') != std::string_view::npos ? 1 : 0;
}

Dataset read_csv(Input& input, const LoadOptions& options) { return read_with(input, '\0', options); }
Dataset read_tsv(Input& input, const LoadOptions& options) { return read_with(input, '\t', options); }

void stream_csv_rows(Input& input, const LoadOptions& options, const RowStart& start) {
  stream_with(input, '\0', options, start);
}
void stream_tsv_rows(Input& input, const LoadOptions& options, const RowStart& start) {
  stream_with(input, '\t', options, start);
}

}  // namespace s3gd
