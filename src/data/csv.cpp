// CSV and TSV text: one row a record, one of its fields the label, one perhaps the weight.
#include <algorithm>
#include <limits>
#include <map>

#include "data/csv_plan.hpp"
#include "data/csv_record.hpp"
#include "data/labels.hpp"
#include "data/number.hpp"
#include "data/readers.hpp"
#include "data/rows_builder.hpp"
#include "data/text_blocks.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

constexpr std::ptrdiff_t kShortestField = 2;  // "1,"

using Words = std::map<std::string, Index, std::less<>>;  // each word and its number, in order of appearance

Index number_of(Words& words, const std::string& word) {
  return words.try_emplace(word, static_cast<Index>(words.size())).first->second;
}

template <class T>
struct Collected {
  explicit Collected(const LoadOptions& options) : rows(options.layout, options.cols, IndexBase::zero) {}
  RowsBuilder<T> rows;
  GrowBuffer<double> labels;  // with words, their numbers
  GrowBuffer<double> weights;
  Words words;
  bool any_missing = false;
};

template <class T>
class CsvParser final : public BlockParser {
 public:
  CsvParser(const CsvPlan& plan, const LoadOptions& options, Collected<T>& result)
      : plan_(plan), separator_(plan.separator), missing_(options.missing), result_(result) {}

  Index parse(const char* begin, const char* end) override {
    end_ = end;
    block_.clear();
    words_.clear();
    first_label_ = nullptr;
    any_missing_ = false;
    const Index capacity = (end - begin) / kShortestField + 1;
    block_.columns.resize(capacity);
    block_.values.resize(capacity);
    block_.widest = plan_.features() - 1;
    count_ = 0;
    for (const char* p = begin; p < end;) {
      const char* const start = skip_pad(p, separator_);
      p = ends_record(start) ? start : parse_record(p);
      p += *p == '\r' ? 2 : 1;
    }
    block_.columns.resize(count_);
    block_.values.resize(count_);
    return std::count(begin, end, '\n');
  }

  void commit() override {
    if (first_label_ != nullptr) {
      const bool words = !words_.empty();
      if (result_.labels.size() > 0 && words != !result_.words.empty()) refuse_mixture(first_label_, words);
      if (words) renumber_words();
    }
    result_.rows.append(block_);
    result_.labels.append(block_.labels);
    result_.weights.append(block_.weights);
    result_.any_missing |= any_missing_;
  }

 private:
  const char* parse_record(const char* p) {
    const Index fields = plan_.fields();
    for (Index field = 0;; ++field, ++p) {
      if (field == fields)
        throw TextProblem{p, "more than " + std::to_string(fields) + " fields", "as many as in the first line"};
      const Index column = plan_.columns[static_cast<std::size_t>(field)];
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
    block_.ends.push_back(count_);
    return p;
  }

  const char* parse_feature(const char* p, Index field, Index column) {
    T value;
    const char* stop = parse_number(skip_pad(p, separator_), value);
    if (stop != nullptr) stop = skip_pad(stop, separator_);
    if (stop == nullptr || (*stop != separator_ && !ends_record(stop))) [[unlikely]]
      stop = parse_odd_feature(p, field, value);
    block_.columns[count_] = column;
    block_.values[count_] = value;
    count_ += !is_plain_zero(value);
    return stop;
  }

  // Quoted, missing or wrong.
  const char* parse_odd_feature(const char* p, Index field, T& value) {
    const char* const stop = take_field(p, end_, separator_, text_);
    if (is_missing(text_)) {
      if (missing_ == Missing::error)
        throw TextProblem{skip_pad(p, separator_), "a missing value in " + plan_.name_of(field), "a number",
                          "--missing zero or --missing mean fills it in"};
      value = missing_ == Missing::zero ? T{0} : std::numeric_limits<T>::quiet_NaN();
      any_missing_ |= missing_ == Missing::mean;
      return stop;
    }
    value = whole_number_text<T>(p, "in " + plan_.name_of(field));
    return stop;
  }

  const char* parse_weight(const char* p) {
    const char* const stop = take_field(p, end_, separator_, text_);
    const auto weight = whole_number_text<double>(p, "as the weight");
    if (weight < 0) throw TextProblem{p, "the weight " + quote_text(text_), "a weight that is not negative"};
    block_.weights.push_back(weight);
    return stop;
  }

  const char* parse_label(const char* p) {
    const char* const stop = take_field(p, end_, separator_, text_);
    if (is_missing(text_)) throw TextProblem{p, text_.empty() ? "no label" : quote_text(text_), "a label in every row"};
    const bool word = !is_number(text_);
    if (first_label_ == nullptr)
      first_label_ = p;
    else if (word != !words_.empty())
      refuse_mixture(p, word);
    block_.labels.push_back(word ? static_cast<double>(number_of(words_, text_))
                                 : whole_number_text<double>(p, "as the label"));
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

  void renumber_words() {
    std::vector<double> number(words_.size());
    // In the order of appearance, so that the numbers do not depend on how the file was cut.
    std::vector<const std::string*> in_order(words_.size());
    for (const auto& [word, local] : words_) in_order[static_cast<std::size_t>(local)] = &word;
    for (std::size_t k = 0; k < in_order.size(); ++k)
      number[k] = static_cast<double>(number_of(result_.words, *in_order[k]));
    for (double& label : block_.labels) label = number[static_cast<std::size_t>(label)];
  }

  const CsvPlan& plan_;
  const char separator_;
  const Missing missing_;
  Collected<T>& result_;
  RowBlock<T> block_;
  Words words_;
  const char* first_label_ = nullptr;
  const char* end_ = nullptr;
  Index count_ = 0;
  bool any_missing_ = false;
  std::string text_;
};

// Numbers the words, if the labels are words, in their sorted order and returns them.
std::vector<std::string> sort_words(const Words& words, GrowBuffer<double>& labels) {
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

template <class T>
Dataset read(Input& input, char separator, const LoadOptions& options) {
  TextBlocks blocks(input, true);
  std::string_view first = blocks.look();
  const auto blank = std::min(first.find_first_not_of("\r\n"), first.size());
  blocks.skip(blank);
  first.remove_prefix(blank);
  if (first.empty()) throw Error(input.name() + " holds no rows");
  const CsvPlan plan = plan_first_record(blocks, first, separator, options);
  Collected<T> result(options);
  parse_blocks(blocks, options.threads, [&] { return std::make_unique<CsvParser<T>>(plan, options, result); });
  if (result.rows.rows() == 0) throw Error(input.name() + " holds a header but no rows");
  if (result.any_missing)
    if (const auto column = result.rows.fill_missing_by_mean())
      throw Error(input.name() + ": feature " + std::to_string(*column) + " has no value in any row, so no mean",
                  "--missing zero, or leave the column out");
  Dataset data;
  data.x = std::move(result.rows).finish();
  if (plan.labels) {
    data.y.class_names = sort_words(result.words, result.labels);
    data.y.values = std::move(result.labels).finish();
    data.y.kind = data.y.class_names.empty() ? kind_of_labels(data.y.values.span()) : LabelKind::classes;
  }
  data.weights = std::move(result.weights).finish();
  data.feature_names = plan.feature_names;
  if (!data.feature_names.empty())
    while (static_cast<Index>(data.feature_names.size()) < data.cols())
      data.feature_names.push_back("x" + std::to_string(data.feature_names.size() + 1));
  data.label_column = plan.label_column;
  data.open_width = false;
  data.source = input.name();
  return data;
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

}  // namespace s3gd
