// sum_i x_i m_i' over the rows of a matrix, where m_i is made of the row's products with several vectors: what Hessians of
// several outputs are, times a vector.
//
// In parts whose borders depend on the number of rows alone, added in their order: same bits at any number of threads. In float
// for float rows.
#pragma once

#include <algorithm>

#include "base/index.hpp"
#include "base/threads.hpp"
#include "problem/block_products.hpp"

namespace s3gd {

struct OutputProducts {
  const Matrix& x;
  Index outputs = 1;
  bool constant = false;  // a further feature that is 1 in every row
  int threads = 0;

  // out = sum_i x_i m_i', features x outputs as v is. make(row, u) turns the row's `outputs` products with v into m_i.
  template <class Make>
  void times(std::span<const double> v, std::span<double> out, Make&& make) const {
    x.visit([&](const auto& view) { run(view, v, out, make); });
  }

 private:
  static constexpr Index kBlockRows = 64;
  static constexpr Index kRowsPerPart = 1024;
  static constexpr Index kMostParts = 8;

  template <class View, class Make>
  void run(const View& view, std::span<const double> v, std::span<double> out, Make&& make) const {
    using T = typename View::Value;
    const Index width = kernel::table_width(outputs), cols = view.cols, count = view.rows;
    std::vector<T> table(at(cols * width), T(0)), shift(at(outputs), T(0));
    for (Index j = 0; j < cols; ++j)
      for (Index k = 0; k < outputs; ++k) table[at(j * width + k)] = static_cast<T>(v[at(j * outputs + k)]);
    for (Index k = 0; k < outputs && constant; ++k) shift[at(k)] = static_cast<T>(v[at(cols * outputs + k)]);
    const Index parts = std::clamp<Index>(count / kRowsPerPart, 1, kMostParts);
    std::vector<std::vector<T>> sums(at(parts));
    parallel_for(parts, threads, [&](Index part) {
      std::vector<T>& sum = sums[at(part)];
      sum.assign(at((cols + 1) * width), T(0));
      std::vector<T> u(at(kBlockRows * width));
      std::vector<Index> places(at(kBlockRows));
      BlockProducts<View, T> products(view, width);
      const Index end = count * (part + 1) / parts;
      for (Index first = count * part / parts; first < end; first += kBlockRows) {
        const Index size = std::min(kBlockRows, end - first);
        const std::span<const Index> rows(places.data(), at(size));
        for (Index r = 0; r < size; ++r) places[at(r)] = first + r;
        products.times(rows, true, table.data(), u.data());
        for (Index r = 0; r < size; ++r) {
          T* row = u.data() + r * width;
          for (Index k = 0; k < outputs; ++k) row[k] += shift[at(k)];
          make(first + r, row);
          for (Index k = 0; k < outputs; ++k) sum[at(cols * width + k)] += row[k];
        }
        products.add(rows, u.data(), sum.data());
      }
    });
    for (Index j = 0; j < cols + (constant ? 1 : 0); ++j)
      for (Index k = 0; k < outputs; ++k) {
        double total = 0;
        for (const auto& sum : sums) total += static_cast<double>(sum[at(j * width + k)]);
        out[at(j * outputs + k)] = total;
      }
  }
};

}  // namespace s3gd
