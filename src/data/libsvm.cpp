// LIBSVM and SVMlight text, read whole or block by block.
#include <algorithm>

#include "data/labels.hpp"
#include "data/libsvm_parser.hpp"
#include "data/readers.hpp"
#include "data/row_stream.hpp"
#include "data/rows_builder.hpp"
#include "s3gd/error.hpp"

namespace s3gd {
namespace {

template <class T>
struct Collected {
  explicit Collected(const LoadOptions& options) : rows(options.layout, options.cols, options.index_base) {}
  RowsBuilder<T> rows;
  GrowBuffer<double> labels;
};

// Adds what it parses to the rows of the whole file.
template <class T>
class Collector final : public libsvm::LibsvmParser<T> {
 public:
  Collector(const LoadOptions& options, Collected<T>& result) : libsvm::LibsvmParser<T>(options), result_(result) {}
  void commit() override {
    result_.rows.append(this->block_);
    result_.labels.append(this->block_.labels);
  }

 private:
  Collected<T>& result_;
};

// Hands what it parses on, block by block.
template <class T>
class Streamer final : public libsvm::LibsvmParser<T> {
 public:
  Streamer(const LoadOptions& options, const Dataset& shape, const BlockWork& work, Index& rows)
      : libsvm::LibsvmParser<T>(options),
        base_(options.index_base == IndexBase::zero ? 0 : 1),
        shape_(shape),
        work_(work),
        rows_(rows) {}

  Index parse(const char* begin, const char* end) override {
    const Index lines = libsvm::LibsvmParser<T>::parse(begin, end);
    borrowed_.take(this->block_, base_, shape_);
    finish_ = work_(borrowed_.data);
    return lines;
  }
  void commit() override {
    rows_ += this->block_.rows();
    finish_();
  }

 private:
  const Index base_;
  const Dataset& shape_;
  const BlockWork& work_;
  Index& rows_;
  BorrowedRows<T> borrowed_;
  std::function<void()> finish_;
};

// Are columns counted from 0? Asked of the first block alone: later ones are not there yet.
template <class T>
bool first_block_has_column_zero(TextBlocks& blocks, const LoadOptions& options) {
  class Looker final : public libsvm::LibsvmParser<T> {
   public:
    using libsvm::LibsvmParser<T>::LibsvmParser;
    void commit() override {}
    bool column_zero() const { return this->block_.column_zero; }
  } looker(options);
  const std::string_view first = blocks.look();
  try {
    looker.parse(first.data(), first.data() + first.size());
  } catch (const TextProblem&) {  // will be met again
  }
  return looker.column_zero();
}

[[noreturn]] void refuse_no_rows(const Input& input) {
  throw Error(input.name() + " holds no rows", "LIBSVM text has one row a line: LABEL INDEX:VALUE ..");
}

template <class T>
Dataset read(Input& input, const LoadOptions& options) {
  Collected<T> result(options);
  TextBlocks blocks(input, false);
  parse_blocks(blocks, options.threads, [&] { return std::make_unique<Collector<T>>(options, result); });
  if (result.labels.size() == 0) refuse_no_rows(input);
  Dataset data;
  data.index_base = result.rows.base();
  data.open_width = true;
  data.x = std::move(result.rows).finish();
  data.y.values = std::move(result.labels).finish();
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
  const BlockWork work = start(shape);
  Index rows = 0;
  parse_blocks(blocks, options.threads, [&] { return std::make_unique<Streamer<T>>(options, shape, work, rows); });
  if (rows == 0) refuse_no_rows(input);
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
  options.precision == Precision::float32 ? stream<float>(input, options, start)
                                          : stream<double>(input, options, start);
}

}  // namespace s3gd
