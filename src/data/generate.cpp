#include "data/generate.hpp"
#include "base/interrupt.hpp"
#include "base/interrupted.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/buffer.hpp"
#include "base/nearest.hpp"
#include "base/threads.hpp"
#include "data/assemble.hpp"
#include "data/convert.hpp"
#include "data/generate_spec.hpp"

namespace s3gd {
namespace {

constexpr Index kEntriesPerBlock = 1 << 20;
constexpr Index kBlockParts = 16;

double parse_number(const std::string& spec, const std::string& text, const std::string& name) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    throw Error({spec}, fmt::format("{}={}", name, text), "a number");
  return value;
}

// Rows [begin, end) of one part of a block, before they are put together.
struct Part {
  std::vector<double> labels;
  std::vector<double> values;
  std::vector<Index> columns;
  std::vector<Index> row_ends;  // within this part
};

Part generate_part(const RowGenerator& generator, Index begin, Index end) {
  Part part;
  GeneratedRow row;
  for (Index i = begin; i < end; ++i) {
    generator.row(i, row);
    part.labels.push_back(row.label);
    part.values.insert(part.values.end(), row.values.begin(), row.values.end());
    if (generator.shape().sparse) part.columns.insert(part.columns.end(), row.columns.begin(), row.columns.end());
    part.row_ends.push_back(static_cast<Index>(part.values.size()));
  }
  return part;
}

template <class T, class I>
Matrix sparse_block(const std::vector<Part>& parts, Index cols) {
  std::vector<T> values;
  std::vector<I> columns;
  std::vector<std::int64_t> starts{0};
  for (const Part& part : parts) {
    const Index before = starts.back();
    for (const double value : part.values) values.push_back(static_cast<T>(value));
    for (const Index column : part.columns) columns.push_back(static_cast<I>(column));
    for (const Index row_end : part.row_ends) starts.push_back(before + row_end);
  }
  return Matrix::own_csr(std::move(values), std::move(columns), std::move(starts), cols);
}

template <class T>
Matrix block_matrix(const std::vector<Part>& parts, const RowGenerator::Shape& shape, Index rows) {
  if (shape.sparse)
    return fits_narrow_columns(shape.cols) ? sparse_block<T, std::int32_t>(parts, shape.cols)
                                           : sparse_block<T, std::int64_t>(parts, shape.cols);
  std::vector<T> values;
  for (const Part& part : parts)
    for (const double value : part.values) values.push_back(static_cast<T>(value));
  return Matrix::own_dense(std::move(values), rows, shape.cols);
}

Dataset generate_block(const RowGenerator& generator, Index begin, Index end, const LoadOptions& options) {
  std::vector<Part> parts(kBlockParts);
  const Index per_part = (end - begin + kBlockParts - 1) / kBlockParts;
  parallel_ranges(end - begin, per_part, options.threads, [&](Index from, Index to, Index chunk) {
    parts[static_cast<std::size_t>(chunk)] = generate_part(generator, begin + from, begin + to);
  });
  Dataset block;
  block.x = options.precision == Precision::float32 ? block_matrix<float>(parts, generator.shape(), end - begin)
                                                    : block_matrix<double>(parts, generator.shape(), end - begin);
  const bool sparse = options.layout == Layout::automatic ? generator.shape().sparse : options.layout == Layout::sparse;
  block.x = with_layout(block.x, sparse ? Layout::sparse : Layout::dense, options.precision, options.threads);
  block.x = with_cols(block.x, options.cols, options.threads);
  std::vector<double> labels;
  for (const Part& part : parts) labels.insert(labels.end(), part.labels.begin(), part.labels.end());
  block.y.values = Array<double>(std::move(labels));
  block.y.kind = generator.shape().label_kind;
  return block;
}

// Rows of blocks, one after the other. All blocks have the type of the first.
template <class View>
class Collector;

template <class T>
class Collector<DenseView<T>> {
 public:
  void add(const DenseView<T>& block) {
    values_.append({block.values, static_cast<std::size_t>(block.rows * block.cols)});
    rows_ += block.rows;
    cols_ = block.cols;
  }
  Matrix finish() && { return dense_matrix(std::move(values_).finish(), rows_, cols_); }

 private:
  GrowBuffer<T> values_;
  Index rows_ = 0, cols_ = 0;
};

template <class T, class I>
class Collector<CsrView<T, I>> {
 public:
  Collector() { starts_.push_back(0); }
  void add(const CsrView<T, I>& block) {
    const auto count = static_cast<std::size_t>(block.nonzeros());
    const std::int64_t before = starts_.back();
    values_.append({block.values, count});
    columns_.append({block.columns, count});
    for (Index i = 1; i <= block.rows; ++i) starts_.push_back(before + block.starts[i]);
    cols_ = block.cols;
  }
  Matrix finish() && {
    return csr_matrix(std::move(values_).finish(), std::move(columns_).finish(), std::move(starts_).finish(), cols_);
  }

 private:
  GrowBuffer<T> values_;
  GrowBuffer<I> columns_;
  GrowBuffer<std::int64_t> starts_;
  Index cols_ = 0;
};

template <class View>
Dataset collect(const RowGenerator& generator, const LoadOptions& options) {
  Collector<View> rows;
  GrowBuffer<double> labels;
  stream_rows(generator, options, [&](const Dataset& block) {
    rows.add(std::get<View>(block.x.view()));
    labels.append(block.y.values.span());
  });
  Dataset data;
  data.x = std::move(rows).finish();
  data.y.values = std::move(labels).finish();
  data.y.kind = generator.shape().label_kind;
  return data;
}

}  // namespace

std::vector<GeneratorKind> generator_kinds() {
  std::vector<GeneratorKind> kinds;
  for (const auto& entry : generator_table()) {
    std::string parameters;
    for (const auto& [name, value] : entry.defaults)
      parameters += fmt::format("{}{}={}", parameters.empty() ? "" : " ", name, value);
    kinds.push_back({entry.name, entry.summary, parameters});
  }
  return kinds;
}

const GeneratorEntry& GeneratorParameters::kind_of(const std::string& spec) {
  const std::string name = spec.substr(4, spec.find('?') == std::string::npos ? spec.npos : spec.find('?') - 4);
  std::vector<std::string> names;
  for (const auto& entry : generator_table()) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  throw Error({spec}, "the kind '" + name + "'", "a kind of generated data", suggestion(name, names));
}

GeneratorParameters::GeneratorParameters(const std::string& spec, const GeneratorEntry& kind) : spec_(spec) {
  std::vector<std::string> names;
  for (const auto& [name, value] : kind.defaults) {
    values_[name] = value;
    names.push_back(name);
  }
  std::size_t at = spec.find('?');
  while (at != std::string::npos && at + 1 < spec.size()) {
    const std::size_t end = std::min(spec.find('&', at + 1), spec.size());
    const std::string item = spec.substr(at + 1, end - at - 1);
    const std::size_t equals = item.find('=');
    const std::string name = item.substr(0, equals);
    if (!values_.contains(name))
      throw Error({spec}, "'" + name + "'", "a parameter of " + kind.name, suggestion(name, names));
    if (equals == std::string::npos) throw Error({spec}, "'" + name + "' without a value", name + "=NUMBER");
    values_[name] = parse_number(spec, item.substr(equals + 1), name);
    at = end == spec.size() ? std::string::npos : end;
  }
}

void GeneratorParameters::refuse(const std::string& name, const std::string& expected) const {
  throw Error({spec_}, fmt::format("{}={}", name, values_.at(name)), expected);
}

Index GeneratorParameters::whole(const std::string& name, Index lowest) const {
  const double value = values_.at(name);
  if (value != std::floor(value) || value < static_cast<double>(lowest) || value > 0x1.0p53)
    refuse(name, fmt::format("a whole number from {} on", lowest));
  return static_cast<Index>(value);
}

double GeneratorParameters::real(const std::string& name, double lowest, double highest) const {
  const double value = values_.at(name);
  if (value < lowest || value > highest) refuse(name, fmt::format("a number from {} to {}", lowest, highest));
  return value;
}

std::uint64_t GeneratorParameters::seed() const { return static_cast<std::uint64_t>(whole("seed", 0)); }

std::unique_ptr<const RowGenerator> RowGenerator::from_spec(const std::string& spec) {
  if (!is_generated(spec)) throw Error({spec}, "no 'gen:' in front", "gen:KIND?rows=..&cols=..");
  const auto& kind = GeneratorParameters::kind_of(spec);
  return kind.make(GeneratorParameters(spec, kind));
}

void stream_rows(const RowGenerator& generator, const LoadOptions& options,
                 const std::function<void(const Dataset& block)>& take) {
  const auto& shape = generator.shape();
  const bool dense = options.layout == Layout::dense || (options.layout == Layout::automatic && !shape.sparse);
  const Index entries = dense ? std::max(shape.cols, options.cols) : shape.row_entries;
  const Index rows_per_block = std::clamp<Index>(kEntriesPerBlock / entries, 1, 1 << 16);
  for (Index begin = 0; begin < shape.rows; begin += rows_per_block) {
    if (interrupted()) throw Interrupted("generating rows was interrupted");
    take(generate_block(generator, begin, std::min(shape.rows, begin + rows_per_block), options));
  }
}

Dataset generate(const std::string& spec, const LoadOptions& options) {
  const auto generator = RowGenerator::from_spec(spec);
  const auto& shape = generator->shape();
  const double entry = options.precision == Precision::float32 ? 4 : 8;
  const bool dense = options.layout == Layout::dense || (options.layout == Layout::automatic && !shape.sparse);
  const double entries = dense ? static_cast<double>(std::max(shape.cols, options.cols)) * entry
                               : static_cast<double>(shape.row_entries) * (entry + 4) + 8;
  require_memory(static_cast<double>(shape.rows) * (entries + 8), spec);

  LoadOptions one_thread = options;
  one_thread.threads = 1;
  Dataset data = generate_block(*generator, 0, 1, one_thread).x.visit([&](const auto& view) {
    return collect<std::decay_t<decltype(view)>>(*generator, options);
  });
  data.source = spec;
  return data;
}

}  // namespace s3gd
