// Generated data with known structure: gen:KIND?rows=..&cols=..&seed=..&noise=..&..
//
// Row i is drawn from its own random stream (seed, i): it is the same whatever the number of rows, the number of
// threads and the order in which rows are asked for, so data of any size can be streamed to a file. Labels follow a
// linear rule whose weights are known (true_weights), with `noise` on top: the share of labels drawn anew for
// classes, the standard deviation of the error for regression.
#pragma once

#include <functional>

#include "s3gd/dataset.hpp"

namespace s3gd {

struct GeneratorKind {
  std::string name;
  std::string summary;
  std::string parameters;  // "rows=10000 cols=50 ..": every one there is, each with its default
};
std::vector<GeneratorKind> generator_kinds();

inline bool is_generated(std::string_view source) { return source.starts_with("gen:"); }

struct GeneratedRow {
  double label = 0;
  std::vector<double> values;  // all of them, or those of `columns`
  std::vector<Index> columns;  // ascending; unused when the generator is dense
};

class RowGenerator {
 public:
  struct Shape {
    Index rows = 0;
    Index cols = 0;
    bool sparse = false;
    LabelKind label_kind = LabelKind::classes;
    Index classes = 2;
    Index row_entries = 0;  // about
  };

  static std::unique_ptr<const RowGenerator> from_spec(const std::string& spec);  // throws Error
  virtual ~RowGenerator() = default;

  const Shape& shape() const { return shape_; }
  virtual void row(Index i, GeneratedRow& into) const = 0;  // safe to call from any thread
  // The rule: label +1 where true_weights()'x + true_intercept() > 0 (or, with more classes, the class with the
  // largest product; or, for regression, the label itself).
  virtual std::vector<double> true_weights(Index of_class = 0) const = 0;
  virtual double true_intercept() const { return 0; }

 protected:
  Shape shape_;
};

// All rows in order, as blocks of about 8 MB: `take` may write each away, so memory stays constant.
void stream_rows(const RowGenerator& generator, const LoadOptions& options,
                 const std::function<void(const Dataset& block)>& take);

// All rows in memory.
Dataset generate(const std::string& spec, const LoadOptions& options = {});

}  // namespace s3gd
