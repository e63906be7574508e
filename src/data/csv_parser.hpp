// The parser of CSV and TSV text: one row a record, one of its fields the label, one perhaps the weight. What becomes of
// the rows of a block is for the derived class to say.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "base/mention.hpp"
#include "data/csv_plan.hpp"
#include "data/csv_record.hpp"
#include "data/labels.hpp"
#include "data/number.hpp"
#include "data/rows_builder.hpp"
#include "data/text_blocks.hpp"
#include "s3gd/dataset.hpp"

namespace s3gd::csv {

inline constexpr std::ptrdiff_t kShortestField = 2;  // "1,"

using Words = std::map<std::string, Index, std::less<>>;  // each word and its number, in order of appearance

inline Index number_of(Words& words, const std::string& word) {
  return words.try_emplace(word, static_cast<Index>(words.size())).first->second;
}

// Where labels that are numbers stand beside words, they are words too, written as a class of that number is.
template <class Values>
void name_numbers(Values& labels, Index count, Words& words) {
  const Labels numbers;
  for (Index i = 0; i < count; ++i) labels[i] = static_cast<double>(number_of(words, numbers.name_of(labels[i])));
}

// What the labels of the blocks before were.
struct LabelsSeen {
  bool words = false;
  bool fractions = false;
};

template <class T>
class CsvParser : public BlockParser {
 public:
  CsvParser(const CsvPlan& plan, const LoadOptions& options)
      : plan_(plan), separator_(plan.separator), missing_(options.missing) {}

  Index parse(const char* begin, const char* end) override {
    end_ = end;
    block_.clear();
    words_.clear();
    first_word_ = first_fraction_ = nullptr;
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

 protected:
  // Words may stand beside whole numbers, which are classes as well, but not beside others.
  void check_labels(LabelsSeen& seen) const {
    if (seen.fractions && !words_.empty()) refuse_word();
    if (seen.words && first_fraction_ != nullptr) refuse_mixture(first_fraction_, false);
    seen.words |= !words_.empty();
    seen.fractions |= first_fraction_ != nullptr;
  }
  // The labels of this block as words, if they are not.
  void make_words() {
    if (!words_.empty()) return;
    auto* labels = block_.labels.data();
    name_numbers(labels, static_cast<Index>(block_.labels.size()), words_);
  }
  [[noreturn]] void refuse_word() const { refuse_mixture(first_word_, true); }

  RowBlock<T> block_;  // labels that are words: their numbers in words_
  Words words_;
  bool any_missing_ = false;

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
                          opt("missing", "zero") + " or " + opt("missing", "mean") + " fills it in"};
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
    if (!is_number(text_) || is_code(text_)) {
      if (first_word_ == nullptr) first_word_ = p;
      if (first_fraction_ != nullptr) refuse_word();
      if (words_.empty()) make_words();
      if (static_cast<Index>(words_.size()) > kMostClasses && first_word_ == p) refuse_word();
      block_.labels.push_back(static_cast<double>(number_of(words_, text_)));
      return stop;
    }
    const auto label = whole_number_text<double>(p, "as the label");
    if (label != std::floor(label) && first_fraction_ == nullptr) first_fraction_ = p;
    if (words_.empty()) {
      block_.labels.push_back(label);
    } else {
      if (first_fraction_ != nullptr) refuse_mixture(p, false);
      block_.labels.push_back(static_cast<double>(number_of(words_, Labels().name_of(label))));
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

}  // namespace s3gd::csv
