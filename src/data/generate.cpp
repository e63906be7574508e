#include "data/generate.hpp"

#include <fmt/core.h>

#include <charconv>
#include <cmath>

#include "base/interrupt.hpp"
#include "base/nearest.hpp"
#include "data/rows_builder.hpp"

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

const GeneratorEntry& kind_of(const std::string& spec) {
  const std::string name = spec.substr(4, spec.find('?') == std::string::npos ? spec.npos : spec.find('?') - 4);
  std::vector<std::string> names;
  for (const auto& entry : generator_table()) {
    if (entry.kind.name == name) return entry;
    names.push_back(entry.kind.name);
  }
  throw Error({spec}, "the kind '" + name + "'", "a kind of generated data", suggestion(name, names));
}

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
    part.ends.push_back(part.values.size());
  }
  return part;
}

template <class T>
std::vector<RowBlock<T>> generate_block(const RowGenerator& generator, bool dense, Index begin, Index rows,
                                        int threads) {
  std::vector<RowBlock<T>> parts(at(kBlockParts));
  const Index per_part = (rows + kBlockParts - 1) / kBlockParts;
  parallel_ranges(rows, per_part, threads, [&](Index from, Index to, Index chunk) {
    parts[at(chunk)] = generate_part<T>(generator, dense, begin + from, begin + to);
  });
  return parts;
}

// All rows in blocks, or as one that they are joined to.
template <class T>
void generate_rows(const RowGenerator& generator, const LoadOptions& options, bool joined,
                   const std::function<void(const Dataset& block)>& take) {
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
    for (const auto& part : generate_block<T>(generator, dense, begin, end - begin, options.threads)) {
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

}  // namespace

std::vector<GeneratorKind> generator_kinds() {
  std::vector<GeneratorKind> kinds;
  for (const auto& entry : generator_table()) kinds.push_back(entry.kind);
  return kinds;
}

GeneratorParameters::GeneratorParameters(const std::string& spec, const GeneratorKind& kind) : spec_(spec) {
  // Calls take(name, value) for each "name=value"; without a "=" there is no value.
  const auto for_each_item = [](const std::string& text, std::size_t at, char between, const auto& take) {
    for (; at != std::string::npos && at + 1 < text.size(); at = text.find(between, at + 1)) {
      const std::string item = text.substr(at + 1, text.find(between, at + 1) - at - 1);
      const std::size_t equals = item.find('=');
      take(item.substr(0, equals), equals == std::string::npos ? std::nullopt : std::optional(item.substr(equals + 1)));
    }
  };
  std::vector<std::string> names;
  for_each_item(" " + kind.parameters, 0, ' ', [&](const std::string& name, const auto& value) {
    values_[name] = parse_number(spec, *value, name);
    names.push_back(name);
  });
  for_each_item(spec, spec.find('?'), '&', [&](const std::string& name, const auto& value) {
    if (!values_.contains(name))
      throw Error({spec}, "'" + name + "'", "a parameter of " + kind.name, suggestion(name, names));
    if (!value) throw Error({spec}, "'" + name + "' without a value", name + "=NUMBER");
    values_[name] = parse_number(spec, *value, name);
  });
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
  const GeneratorEntry& entry = kind_of(spec);
  return entry.make(GeneratorParameters(spec, entry.kind));
}

void stream_rows(const RowGenerator& generator, const LoadOptions& options,
                 const std::function<void(const Dataset& block)>& take) {
  (options.precision == Precision::float32 ? generate_rows<float> : generate_rows<double>)(generator, options, false,
                                                                                           take);
}

Dataset generate(const std::string& spec, const LoadOptions& options) {
  const auto generator = RowGenerator::from_spec(spec);
  const auto& shape = generator->shape();
  const double entry = options.precision == Precision::float32 ? 4 : 8;
  const double entries = is_dense(*generator, options) ? static_cast<double>(std::max(shape.cols, options.cols)) * entry
                                                       : static_cast<double>(shape.row_entries) * (entry + 4) + 8;
  require_memory(static_cast<double>(shape.rows) * (entries + 8), spec);
  Dataset data;
  const auto take = [&](const Dataset& all) { data = all; };
  (options.precision == Precision::float32 ? generate_rows<float> : generate_rows<double>)(*generator, options, true,
                                                                                           take);
  data.source = spec;
  return data;
}

}  // namespace s3gd
