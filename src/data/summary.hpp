// What a dataset looks like: ranges, empty and constant columns, row norms, classes. For people and for advice.
//
// One parallel pass over the entries. Memory: three numbers for each column and chunk of rows (chunks are few for
// wide data), one for each row. The same bits at any number of threads.
#pragma once

#include "s3gd/dataset.hpp"

namespace s3gd {

struct ClassCount {
  double value = 0;
  std::string name;
  Index rows = 0;
};

struct DataSummary {
  Index nonzeros = 0;  // entries that are not zero
  double density = 0;  // their share
  double least = 0;    // smallest and largest entry, zeros included
  double largest = 0;
  Index zero_columns = 0;
  Index constant_columns = 0;  // the same value other than zero in every row
  Index zero_rows = 0;
  double least_column_scale = 0;    // largest magnitude of a column: over the columns that are not zero, the least ..
  double largest_column_scale = 0;  // .. and the largest
  std::vector<double> norm_quantiles;  // of the rows' 2-norms at kNormQuantiles
  std::uint64_t memory_bytes = 0;      // held (or mapped) by values, columns, starts, labels and weights

  std::vector<ClassCount> classes;                            // label kind classes: ascending
  double label_least = 0, label_largest = 0, label_mean = 0;  // label kind real
};

inline const std::vector<double> kNormQuantiles{0, 0.05, 0.25, 0.5, 0.75, 0.95, 1};

DataSummary summarise(const Dataset& data, int threads = 0);

}  // namespace s3gd
