// Rows that are read once, block by block, and not kept: files and pipes of any size in the memory of a few blocks.
#pragma once

#include "data/rows_builder.hpp"

namespace s3gd {

// Is called with blocks of rows on several threads at once; the rows are gone when it returns. What it returns is
// called later, for one block after the other in the order of the rows.
using BlockWork = std::function<std::function<void()>(const Dataset& block)>;
// Is called once before any row, with a Dataset of no rows that has all else the blocks have in common.
using RowStart = std::function<BlockWork(const Dataset& shape)>;

// The same rows as those of load(source, options), with these exceptions: text is cut into blocks by its bytes alone,
// each block is sparse and numbers the words of its labels by itself, and whether LIBSVM columns are counted from 0 is
// decided by the first block. Formats that are no text are loaded (mapped, as a rule) first and then cut; so is text
// with missing values to be filled by means.
void stream_rows(const std::string& source, const LoadOptions& options, const RowStart& start);

// The blocks of rows that are loaded already.
void stream_loaded(const Dataset& data, int threads, const RowStart& start);

Matrix empty_rows(Index cols);

// A parsed block as a Dataset that has everything else from `shape` and lives no longer than the block.
template <class T>
struct BorrowedRows {
  Dataset data;
  std::vector<std::int64_t> starts;

  // base: what the block's columns are counted from; they are counted from 0 afterwards.
  void take(RowBlock<T>& block, Index base, const Dataset& shape);
};

extern template struct BorrowedRows<float>;
extern template struct BorrowedRows<double>;

// What the labels of the blocks before were, and how many rows those had.
struct LabelsSeen {
  bool words = false;
  bool fractions = false;
};
struct RowsSeen {
  Index rows = 0;
  LabelsSeen labels;
};

// A parser of text that hands its blocks on as they come.
template <class Parser, class T>
class Streamer final : public Parser {
 public:
  template <class... Args>
  Streamer(Index base, const Dataset& shape, const BlockWork& work, RowsSeen& seen, const Args&... args)
      : Parser(args...), base_(base), shape_(shape), work_(work), seen_(seen) {}

  Index parse(const char* begin, const char* end) override {
    const Index lines = Parser::parse(begin, end);
    borrowed_.take(this->block_, base_, shape_);
    this->describe(borrowed_.data.y);
    finish_ = work_(borrowed_.data);
    return lines;
  }
  void commit() override {
    this->check(seen_.labels);
    seen_.rows += this->block_.rows();
    finish_();
  }

 private:
  const Index base_;
  const Dataset& shape_;
  const BlockWork& work_;
  RowsSeen& seen_;
  BorrowedRows<T> borrowed_;
  std::function<void()> finish_;
};

}  // namespace s3gd
