// CSV and TSV text, read whole or block by block.
#include <algorithm>

#include "base/mention.hpp"
#include "data/csv_parser.hpp"
#include "data/labels.hpp"
#include "data/readers.hpp"
#include "data/row_stream.hpp"
#include "data/rows_builder.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

template <class T>
struct Collected {
  explicit Collected(const LoadOptions& options) : rows(options.layout, options.cols, IndexBase::zero) {}
  RowsBuilder<T> rows;
  GrowBuffer<double> labels;  // with words, their numbers
  GrowBuffer<double> weights;
  csv::Words words;
  csv::LabelsSeen seen;
  bool any_missing = false;
};

// Adds what it parses to the rows of the whole file.
template <class T>
class Collector final : public csv::CsvParser<T> {
 public:
  Collector(const CsvPlan& plan, const LoadOptions& options, Collected<T>& result)
      : csv::CsvParser<T>(plan, options), result_(result) {}

  void commit() override {
    this->check_labels(result_.seen);
    if (!result_.words.empty()) this->make_words();
    if (!this->words_.empty()) {
      if (result_.words.empty()) name_labels_before();
      renumber_words();
    }
    result_.rows.append(this->block_);
    result_.labels.append(this->block_.labels);
    result_.weights.append(this->block_.weights);
    result_.any_missing |= this->any_missing_;
  }

 private:
  // The first word: all rows before have numbers.
  void name_labels_before() {
    csv::name_numbers(result_.labels, result_.labels.size(), result_.words);
    if (static_cast<Index>(result_.words.size()) > kMostClasses) this->refuse_word();
  }

  void renumber_words() {
    std::vector<double> number(this->words_.size());
    // In the order of appearance, so that the numbers do not depend on how the file was cut.
    std::vector<const std::string*> in_order(this->words_.size());
    for (const auto& [word, local] : this->words_) in_order[static_cast<std::size_t>(local)] = &word;
    for (std::size_t k = 0; k < in_order.size(); ++k)
      number[k] = static_cast<double>(csv::number_of(result_.words, *in_order[k]));
    for (double& label : this->block_.labels) label = number[static_cast<std::size_t>(label)];
  }

  Collected<T>& result_;
};

// What the blocks of a stream have seen so far.
struct Seen {
  Index rows = 0;
  csv::LabelsSeen labels;
};

// Hands what it parses on, block by block.
template <class T>
class Streamer final : public csv::CsvParser<T> {
 public:
  Streamer(const CsvPlan& plan, const LoadOptions& options, const Dataset& shape, const BlockWork& work, Seen& seen)
      : csv::CsvParser<T>(plan, options), shape_(shape), work_(work), seen_(seen) {}

  Index parse(const char* begin, const char* end) override {
    const Index lines = csv::CsvParser<T>::parse(begin, end);
    borrowed_.take(this->block_, 0, shape_);
    Labels& labels = borrowed_.data.y;
    labels.class_names.resize(this->words_.size());
    for (const auto& [word, number] : this->words_) labels.class_names[static_cast<std::size_t>(number)] = word;
    finish_ = work_(borrowed_.data);
    return lines;
  }
  void commit() override {
    this->check_labels(seen_.labels);
    seen_.rows += this->block_.rows();
    finish_();
  }

 private:
  const Dataset& shape_;
  const BlockWork& work_;
  Seen& seen_;
  BorrowedRows<T> borrowed_;
  std::function<void()> finish_;
};

// Codes that are too many to be classes are numbers after all.
void read_as_numbers(csv::Words& words, GrowBuffer<double>& labels) {
  const bool numbers = std::all_of(words.begin(), words.end(), [](const auto& word) { return is_number(word.first); });
  if (!numbers || static_cast<Index>(words.size()) <= kMostClasses) return;
  std::vector<double> values(words.size());
  for (const auto& [word, number] : words)
    values[static_cast<std::size_t>(number)] = std::strtod(word.c_str(), nullptr);
  for (Index i = 0; i < labels.size(); ++i) labels[i] = values[static_cast<std::size_t>(labels[i])];
  words.clear();
}

// Numbers the words, if the labels are words, in their sorted order and returns them.
std::vector<std::string> sort_words(const csv::Words& words, GrowBuffer<double>& labels) {
  if (words.empty()) return {};
  std::vector<double> rank(words.size());
  std::vector<std::string> names;
  for (const auto& [word, number] : words) {
    rank[static_cast<std::size_t>(number)] = static_cast<double>(names.size());
    names.push_back(word);
  }
  for (Index i = 0; i < labels.size(); ++i) labels[i] = rank[static_cast<std::size_t>(labels[i])];
  return names;
}

CsvPlan plan_first_record(TextBlocks& blocks, std::string_view first, char separator, const LoadOptions& options) {
  try {
    CsvPlan plan = plan_csv(first, separator, options, blocks.name());
    blocks.skip(plan.header_bytes);
    return plan;
  } catch (const TextProblem& problem) {
    throw error_at(blocks.name(), first.data(), blocks.skipped_lines(), problem);
  }
}

// The plan for what follows; leaves the blocks standing before the first row.
CsvPlan plan_rows(TextBlocks& blocks, char separator, const LoadOptions& options) {
  std::string_view first = blocks.look();
  const auto blank = std::min(first.find_first_not_of("\r\n"), first.size());
  blocks.skip(blank);
  first.remove_prefix(blank);
  if (first.empty()) throw Error(blocks.name() + " holds no rows");
  return plan_first_record(blocks, first, separator, options);
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
  Collected<T> result(options);
  parse_blocks(blocks, options.threads, [&] { return std::make_unique<Collector<T>>(plan, options, result); });
  if (result.rows.rows() == 0) refuse_header_alone(input);
  if (result.any_missing)
    if (const auto column = result.rows.fill_missing_by_mean())
      throw Error(input.name() + ": feature " + std::to_string(*column) + " has no value in any row, so no mean",
                  opt("missing", "zero") + ", or leave the column out");
  Dataset data = shape_of(plan, result.rows.cols(), input);
  data.x = std::move(result.rows).finish();
  if (plan.labels) {
    read_as_numbers(result.words, result.labels);
    data.y.class_names = sort_words(result.words, result.labels);
    data.y.values = std::move(result.labels).finish();
    data.y.kind = data.y.class_names.empty() ? kind_of_labels(data.y.values.span()) : LabelKind::classes;
  }
  data.weights = std::move(result.weights).finish();
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
  const BlockWork work = start(shape);
  Seen seen;
  parse_blocks(blocks, options.threads,
               [&] { return std::make_unique<Streamer<T>>(plan, options, shape, work, seen); });
  if (seen.rows == 0) refuse_header_alone(input);
}

void stream_with(Input& input, char separator, const LoadOptions& options, const RowStart& start) {
  options.precision == Precision::float32 ? stream<float>(input, separator, options, start)
                                          : stream<double>(input, separator, options, start);
}

Dataset read_with(Input& input, char separator, const LoadOptions& options) {
  return options.precision == Precision::float32 ? read<float>(input, separator, options)
                                                 : read<double>(input, separator, options);
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
