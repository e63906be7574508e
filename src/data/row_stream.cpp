#include "data/row_stream.hpp"

#include <algorithm>

#include "base/interrupt.hpp"
#include "base/threads.hpp"

namespace s3gd {
namespace {

constexpr Index kRowsPerBlock = 1024;
constexpr Index kBlocksAtOnce = 64;

Array<double> part_of(const Array<double>& all, Index begin, Index end) {
  if (all.empty()) return {};
  return Array<double>::borrow(
      all.span().subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
}

Matrix part_of(const Matrix& x, Index begin, Index end) {
  return x.visit([&](auto view) {
    view.rows = end - begin;
    if constexpr (requires { view.stride; })
      view.values += begin * view.stride;
    else
      view.starts += begin;
    return Matrix::borrow(view);
  });
}

}  // namespace

Matrix empty_rows(Index cols) { return Matrix::own_csr<float, std::int32_t>({}, {}, {0}, cols); }

template <class T>
void BorrowedRows<T>::take(RowBlock<T>& block, Index base, const Dataset& shape) {
  if (data.source.empty()) data = shape;
  starts.assign(1, 0);
  starts.insert(starts.end(), block.ends.begin(), block.ends.end());
  if (base != 0)
    for (Index k = 0; k < block.entries(); ++k) block.columns[k] -= base;
  const Index cols = std::max(shape.cols(), block.widest + 1 - base);
  data.x = Matrix::borrow(
      CsrView<T, std::int64_t>{block.values.data(), block.columns.data(), starts.data(), block.rows(), cols});
  data.y.values = Array<double>::borrow(block.labels);
  data.weights = Array<double>::borrow(block.weights);
}

template struct BorrowedRows<float>;
template struct BorrowedRows<double>;

void stream_loaded(const Dataset& data, int threads, const RowStart& start) {
  data.verify(threads);
  Dataset shape = data;
  shape.verifier = nullptr;
  shape.x = part_of(data.x, 0, 0);
  shape.y.values = {};
  shape.weights = {};
  const BlockWork work = start(shape);
  std::vector<std::function<void()>> finish;
  for (Index first = 0; first < data.rows(); first += kRowsPerBlock * kBlocksAtOnce) {
    if (interrupted()) throw Interrupted("reading " + data.source + " was interrupted");
    const Index rows = std::min(data.rows() - first, kRowsPerBlock * kBlocksAtOnce);
    finish.assign(static_cast<std::size_t>((rows + kRowsPerBlock - 1) / kRowsPerBlock), {});
    parallel_ranges(rows, kRowsPerBlock, threads, [&](Index begin, Index end, Index chunk) {
      Dataset block = shape;
      block.x = part_of(data.x, first + begin, first + end);
      block.y.values = part_of(data.y.values, first + begin, first + end);
      block.weights = part_of(data.weights, first + begin, first + end);
      finish[static_cast<std::size_t>(chunk)] = work(block);
    });
    for (const auto& call : finish) call();
  }
}

}  // namespace s3gd
