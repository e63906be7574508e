// Rows that are read once, block by block, and not kept: files and pipes of any size in the memory of a few blocks.
#pragma once

#include "data/rows_builder.hpp"
#include "data/text_blocks.hpp"

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

// What the labels of the blocks before were.
struct LabelsSeen {
  bool words = false;
  bool fractions = false;
};

// Parses a text on several threads, each with a parser made of `arguments`; commit(parser) is called for one block
// after the other.
template <class Parser, class Commit, class... Arguments>
void collect_blocks(TextBlocks& blocks, int threads, const Commit& commit, const Arguments&... arguments) {
  parse_blocks(blocks, threads, [&] {
    const auto parser = std::make_shared<Parser>(arguments...);
    return BlockWorker{[parser](const char* begin, const char* end) { return parser->parse(begin, end); },
                       [&commit, parser] { commit(*parser); }};
  });
}

// Hands the blocks of a text on as they come, as Datasets that have all but their rows from `shape`. `base` is what
// their columns are counted from. Returns the number of rows.
template <template <class> class Parser, class T, class... Arguments>
Index hand_on_blocks(TextBlocks& blocks, int threads, Index base, const Dataset& shape, const RowStart& start,
                     const Arguments&... arguments) {
  struct Worker {
    Parser<T> parser;
    Dataset data;
    std::function<void()> finish;
  };
  const BlockWork work = start(shape);
  Index rows = 0;
  LabelsSeen seen;
  parse_blocks(blocks, threads, [&] {
    const std::shared_ptr<Worker> worker(new Worker{Parser<T>(arguments...), shape, {}});
    const auto parse = [&, worker](const char* begin, const char* end) {
      const Index lines = worker->parser.parse(begin, end);
      RowBlock<T>& block = worker->parser.block;
      if (base != 0)
        for (Index& column : block.columns.span()) column -= base;
      const Index cols = std::max(shape.cols(), block.widest + 1 - base);
      worker->data.x = Matrix::borrow(
          CsrView<T, Index>{block.values.data(), block.columns.data(), block.starts.data(), block.rows(), cols});
      worker->data.y.values = Array<double>::borrow(block.labels);
      worker->data.weights = Array<double>::borrow(block.weights);
      worker->parser.describe(worker->data.y);
      worker->finish = work(worker->data);
      return lines;
    };
    return BlockWorker{parse, [&, worker] {
                         worker->parser.check(seen);
                         rows += worker->parser.block.rows();
                         worker->finish();
                       }};
  });
  return rows;
}

}  // namespace s3gd
