#include "data/generate.hpp"

#include "base/interrupt.hpp"
#include "data/rows_builder.hpp"

namespace s3gd {
namespace {

constexpr Index kEntriesPerBlock = 1 << 20;
constexpr Index kBlockParts = 16;

bool is_dense(const RowGenerator& generator, const LoadOptions& options) {
  return options.layout == Layout::automatic ? !generator.shape().sparse : options.layout == Layout::dense;
}

template <class T>
RowBlock<T> generate_part(const RowGenerator& generator, bool dense, Index begin, Index end) {
  RowBlock<T> part;
  GeneratedRow row;
  const bool sparse = generator.shape().sparse;
  for (Index i = begin; i < end; ++i) {
    generator.row(i, row);
    part.labels.push_back(row.label);
    for (std::size_t k = 0; k < row.values.size(); ++k) {
      const T value = static_cast<T>(row.values[k]);
      if (value == 0 && !sparse && !dense) continue;
      part.columns.push_back(sparse ? row.columns[k] : static_cast<Index>(k));
      part.values.push_back(value);
    }
    part.starts.push_back(part.values.size());
  }
  return part;
}

// All rows in blocks, or as one that they are joined to.
template <class T, class Take>
void generate_rows(const RowGenerator& generator, const LoadOptions& options, bool joined, const Take& take) {
  const auto& shape = generator.shape();
  const bool dense = is_dense(generator, options);
  const Index cols = std::max(shape.cols, options.cols);
  const Index rows_per_block = std::clamp<Index>(kEntriesPerBlock / (dense ? cols : shape.row_entries), 1, 1 << 16);
  std::optional<RowsBuilder<T>> rows;
  GrowBuffer<double> labels;
  for (Index begin = 0, end; begin < shape.rows; begin = end) {
    if (interrupted()) throw Interrupted("generating rows was interrupted");
    end = std::min(shape.rows, begin + rows_per_block);
    if (!rows) rows.emplace(dense ? Layout::dense : Layout::sparse, cols, IndexBase::zero);
    std::vector<RowBlock<T>> parts(at(kBlockParts));
    const Index per_part = (end - begin + kBlockParts - 1) / kBlockParts;
    parallel_ranges(end - begin, per_part, options.threads, [&](Index from, Index to, Index chunk) {
      parts[at(chunk)] = generate_part<T>(generator, dense, begin + from, begin + to);
    });
    for (const auto& part : parts) {
      rows->append(part);
      labels.append(part.labels);
    }
    if (joined && end < shape.rows) continue;
    Dataset data;
    data.x = std::move(*rows).finish();
    data.y.values = std::move(labels).finish();
    data.y.kind = shape.label_kind;
    rows.reset();
    take(data);
  }
}

template <class Take>
void generate_all(const RowGenerator& generator, const LoadOptions& options, bool joined, const Take& take) {
  options.precision == Precision::float32 ? generate_rows<float>(generator, options, joined, take)
                                          : generate_rows<double>(generator, options, joined, take);
}

}  // namespace

void stream_rows(const RowGenerator& generator, const LoadOptions& options,
                 const std::function<void(const Dataset& block)>& take) {
  generate_all(generator, options, false, take);
}

Dataset generate(const std::string& spec, const LoadOptions& options) {
  const auto generator = RowGenerator::from_spec(spec);
  const auto& shape = generator->shape();
  const double entry = options.precision == Precision::float32 ? 4 : 8;
  const double entries = is_dense(*generator, options) ? static_cast<double>(std::max(shape.cols, options.cols)) * entry
                                                       : static_cast<double>(shape.row_entries) * (entry + 4) + 8;
  require_memory(static_cast<double>(shape.rows) * (entries + 8), spec);
  Dataset data;
  generate_all(*generator, options, true, [&](const Dataset& all) { data = all; });
  data.source = spec;
  return data;
}

}  // namespace s3gd
