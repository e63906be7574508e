// sum_i x_i m_i' over the rows of a matrix, where m_i is made of the row's products with several vectors: what gradients of
// several outputs are, and products with their Hessians.
//
// The vectors are a table, the outputs of a column side by side, so that an entry is loaded once for all of them. Rows go by in
// blocks, within chunks whose borders depend on the sizes alone and whose sums are added in their order: same bits at any
// number of threads.
#pragma once

#include <algorithm>
#include <memory>

#include "base/index.hpp"
#include "base/threads.hpp"
#include "problem/block_products.hpp"

namespace s3gd {

struct TableSums {
  static constexpr Index kMostRows = 128;  // of a block

  const Matrix& x;
  Index outputs = 1;
  bool constant = false;  // a further feature that is 1 in every row
  int threads = 0;
  std::span<const Index> rows = {};  // empty = all

  Index width() const { return kernel::table_width(outputs); }  // numbers between two rows of products
  Index count() const { return rows.empty() ? x.rows() : static_cast<Index>(rows.size()); }
  Index chunks() const {
    const double per_row = static_cast<double>(x.stored()) / static_cast<double>(std::max<Index>(1, x.rows()));
    const auto work = static_cast<Index>(per_row * static_cast<double>(count() * outputs));
    const Index worth = work / (kWorkPerNumber * (x.cols() + 1) * outputs);
    const Index wanted = std::clamp<Index>(std::min(work / kWorkPerChunk, worth), 1, kMostChunks);
    return std::max(wanted, (count() + kRowsInFloat - 1) / kRowsInFloat);
  }

  // Has turn(chunk, first, rows, u) make m_i of the products u_i with v (rows x width, the constant's included) of each block,
  // which begins at this place among the rows; out = sum_i x_i m_i', features x outputs as v is, or empty: not wanted.
  // W is the type of the arithmetic.
  template <class W, class View, class Turn>
  void run(const View& view, std::span<const double> v, std::span<double> out, const Turn& turn) const {
    const Table<W> table = table_of<W>(view.cols, v);
    const Index all = chunks(), size = out.empty() ? 0 : view.cols * width(), each = (count() + all - 1) / all;
    const Index workers = resolve_threads(threads), fit = kSumBytes / static_cast<Index>(sizeof(W)) / (size + 1);
    const Index abreast = std::min(all, std::max<Index>(1, fit / workers) * workers);
    const std::unique_ptr<W[]> sums(new W[at(abreast * size)]);
    std::vector<double> bias(at(all * width()), 0.0);
    std::fill(out.begin(), out.end(), 0.0);
    for (Index begin = 0; begin < all; begin += abreast) {
      const Index side_by_side = std::min(abreast, all - begin);
      parallel_for(side_by_side, threads, [&](Index k) {
        const Index chunk = begin + k, first = std::min(count(), chunk * each);
        run_chunk(view, table, {chunk, first, std::min(count(), first + each)},
                  size > 0 ? sums.get() + k * size : nullptr, bias.data() + chunk * width(), turn);
      });
      for (Index k = 0; k < side_by_side && size > 0; ++k) add_packed(sums.get() + k * size, view.cols, out);
    }
    for (Index chunk = 0; chunk < all && constant && size > 0; ++chunk)
      add_packed(bias.data() + chunk * width(), 1, out.last(at(outputs)));
  }

  // The same in the arithmetic of the matrix, row by row: make(row, u) turns the row's `outputs` products with v into m_i.
  template <class Make>
  void times(std::span<const double> v, std::span<double> out, const Make& make) const {
    x.visit([&](const auto& view) {
      using T = typename std::decay_t<decltype(view)>::Value;
      run<T>(view, v, out, [&](Index, Index first, std::span<const Index> block, T* u) {
        for (std::size_t r = 0; r < block.size(); ++r)
          make(first + static_cast<Index>(r), u + static_cast<Index>(r) * width());
      });
    });
  }

 private:
  static constexpr Index kBlockEntries = 48
                                         << 10;  // of a block: it stays in the second-level cache between its two uses
  static constexpr Index kRowsInFloat = 4096;    // of a chunk at most: what is summed in float
  static constexpr Index kMostChunks = 32;       // of fewer rows than that
  static constexpr Index kWorkPerChunk = 256 << 10;  // entries times outputs; below this a chunk is not worth starting
  static constexpr Index kWorkPerNumber = 8;         // ... nor below this for each number of its sum
  static constexpr Index kSumBytes = 4 << 20;        // sums that wait to be added, beyond one for each thread

  template <class W>
  struct Table {
    std::vector<W> values, shift;  // zeros behind the outputs of each column
  };
  struct Chunk {
    Index number, begin, end;
  };

  template <class W>
  Table<W> table_of(Index cols, std::span<const double> v) const {
    Table<W> table{std::vector<W>(at(cols * width()), W(0)), std::vector<W>(at(width()), W(0))};
    for (Index j = 0; j < cols; ++j) std::copy_n(v.begin() + j * outputs, outputs, table.values.begin() + j * width());
    if (constant) std::copy_n(v.begin() + cols * outputs, outputs, table.shift.begin());
    return table;
  }

  template <class W>
  void add_packed(const W* padded, Index columns, std::span<double> out) const {
    for (Index j = 0; j < columns; ++j)
      for (Index k = 0; k < outputs; ++k) out[at(j * outputs + k)] += static_cast<double>(padded[j * width() + k]);
  }

  template <class W, class View, class Turn>
  void run_chunk(const View& view, const Table<W>& table, const Chunk& chunk, W* sum, double* bias,
                 const Turn& turn) const {
    const Index per_row = std::max<Index>(1, x.stored() / std::max<Index>(1, x.rows())), width = this->width();
    const Index block = std::clamp<Index>(kBlockEntries / per_row / 8 * 8, 8, kMostRows);
    BlockProducts<View, W> products(view, width);
    std::vector<W> u(at(block * width));
    std::vector<double> slopes(at(width), 0.0);
    Index places[kMostRows];
    if (sum != nullptr) std::fill_n(sum, view.cols * width, W(0));
    for (Index first = chunk.begin; first < chunk.end; first += block) {
      const std::span<const Index> here(places, at(std::min(block, chunk.end - first)));
      for (std::size_t r = 0; r < here.size(); ++r)
        places[r] = rows.empty() ? first + static_cast<Index>(r) : rows[at(first) + r];
      products.times(here, rows.empty(), table.values.data(), u.data());
      const W* const end = u.data() + std::ssize(here) * width;
      for (W* row = u.data(); row != end && constant; row += width)
        for (Index k = 0; k < width; ++k) row[k] += table.shift[at(k)];
      turn(chunk.number, first, here, u.data());
      if (sum == nullptr) continue;
      for (const W* row = u.data(); row != end && constant; row += width)
        for (Index k = 0; k < width; ++k) slopes[at(k)] += static_cast<double>(row[k]);
      products.add(here, u.data(), sum);
    }
    std::copy(slopes.begin(), slopes.end(), bias);
  }
};

}  // namespace s3gd
