#include "data/arrays.hpp"

#include <map>

#include "base/file.hpp"
#include "data/checks.hpp"
#include "data/compressed_output.hpp"
#include "data/convert.hpp"
#include "data/format.hpp"

namespace s3gd {
namespace {

template <class T>
Array<T> transposed(const Array<T>& by_column, Index rows, Index cols) {
  GrowBuffer<T> by_row;
  by_row.resize(rows * cols);
  constexpr Index tile = 64;
  for (Index i0 = 0; i0 < rows; i0 += tile)
    for (Index j = 0; j < cols; ++j)
      for (Index i = i0; i < std::min(rows, i0 + tile); ++i) by_row[i * cols + j] = by_column[j * rows + i];
  return std::move(by_row).finish();
}

template <class T>
Matrix read_matrix(const NpyHeader& header, const ByteSource& source, const std::string& name) {
  const auto [rows, cols] = matrix_shape(header, name);
  auto values = read_elements<T>(source, header.element, header.big_endian, header.count, name);
  expect_end(source, name);
  if (header.fortran_order) values = transposed(values, rows, cols);
  return dense_matrix(values, rows, cols);
}

// Labels by name, in the order of their alphabet.
Labels named_labels(const std::vector<std::string>& names) {
  std::map<std::string, double> numbers;
  for (const auto& name : names) numbers[name] = 0;
  Labels labels;
  for (auto& [name, number] : numbers) {
    number = static_cast<double>(labels.class_names.size());
    labels.class_names.push_back(name);
  }
  std::vector<double> values;
  for (const auto& name : names) values.push_back(numbers[name]);
  labels.values = Array<double>(std::move(values));
  labels.kind = LabelKind::classes;
  return labels;
}

// FOO.npy -> FOO.WHAT.npy
std::string beside(const std::string& path, const std::string& what) {
  const std::string stem = path.ends_with(".npy") ? path.substr(0, path.size() - 4) : path;
  return stem + "." + what + ".npy";
}

// FOO.labels.npy; FOO_y.npy; and y.npy for X.npy, y_train.npy for X_train.npy. Empty when none is there.
std::string labels_beside(const std::string& path) {
  std::vector<std::string> candidates{beside(path, "labels")};
  if (path.ends_with(".npy")) candidates.push_back(path.substr(0, path.size() - 4) + "_y.npy");
  const std::size_t base = path.find_last_of('/') + 1;
  if (base < path.size() && (path[base] == 'X' || path[base] == 'x')) {
    candidates.push_back(path);
    candidates.back()[base] = 'y';
  }
  const auto found = std::find_if(candidates.begin(), candidates.end(), file_exists);
  return found == candidates.end() ? std::string() : *found;
}

// A file whose rows can be used where they lie.
std::optional<Dataset> map_npy(const std::shared_ptr<const MappedFile>& file, const LoadOptions& options) {
  const std::string& path = file->path();
  const auto header = read_npy_header(source_of(file->bytes()), path);
  const Element wanted = options.precision == Precision::float32 ? Element::f4 : Element::f8;
  const auto [rows, cols] = matrix_shape(header, path);
  if (header.element != wanted || header.fortran_order || options.layout == Layout::sparse || options.cols > cols ||
      header.header_bytes % size_of(wanted) != 0)
    return std::nullopt;
  const auto bytes = file->bytes();
  const auto data_bytes = at(header.count) * size_of(wanted);
  if (bytes.size() < header.header_bytes || bytes.size() - header.header_bytes != data_bytes)
    throw Error({path}, std::to_string(bytes.size()) + " bytes",
                std::to_string(header.header_bytes + data_bytes) + " as its header says",
                "the file is cut short or its header is wrong");
  const auto* first = bytes.data() + header.header_bytes;
  Dataset data;
  if (wanted == Element::f4)
    data.x = Matrix(DenseView<float>{reinterpret_cast<const float*>(first), rows, cols, cols}, file);
  else
    data.x = Matrix(DenseView<double>{reinterpret_cast<const double*>(first), rows, cols, cols}, file);
  data.verifier = verify_once([data, path](int threads) { check_contents(data, path, threads); }, false);
  return data;
}

void read_labels_and_weights(Dataset& data, const std::string& path, const LoadOptions& options) {
  const std::string labels = options.labels_path.empty() ? labels_beside(path) : options.labels_path;
  if (!labels.empty()) data.y = read_labels_file(labels);
  if (const auto weights = beside(path, "weights"); file_exists(weights)) {
    const auto input = Input::open(weights);
    const auto source = source_of(*input);
    data.weights = read_npy_vector<double>(read_npy_header(source, weights), source, weights);
  }
  check_targets(data, labels.empty() ? path : labels);
}

void write_array(const std::string& path, const std::string& header, const std::function<void(const BytesOut&)>& fill) {
  write_atomically(path, [&](std::ostream& out) {
    out << header;
    fill([&](std::span<const std::byte> bytes) {
      out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    });
  });
}

}  // namespace

std::pair<Index, Index> matrix_shape(const NpyHeader& header, const std::string& name) {
  if (header.text) throw Error({name}, "an array of strings", "an array of numbers");
  if (header.shape.size() < 2)
    throw Error({name}, "an array of " + std::to_string(header.shape.size()) + " dimensions", "two: rows and columns",
                "one row or column is X.reshape(1, -1) or X.reshape(-1, 1)");
  if (header.shape.size() > 2 && header.fortran_order)
    throw Error({name}, "more than two dimensions in Fortran order", "C order", "save with numpy.ascontiguousarray(X)");
  if (header.count == 0) throw Error({name}, "an array without entries", "at least one row and one column");
  return {header.shape[0], header.count / header.shape[0]};
}

Matrix read_npy_matrix(const NpyHeader& header, const ByteSource& source, Precision precision,
                       const std::string& name) {
  return precision == Precision::float32 ? read_matrix<float>(header, source, name)
                                         : read_matrix<double>(header, source, name);
}

template <class T>
Array<T> read_npy_vector(const NpyHeader& header, const ByteSource& source, const std::string& name) {
  const bool flat = header.shape.size() == 1 || (header.shape.size() == 2 && header.shape[1] == 1);
  if (header.text || !flat)
    throw Error({name}, header.text ? "strings" : std::to_string(header.shape.size()) + " dimensions",
                "one number for each row");
  auto values = read_elements<T>(source, header.element, header.big_endian, header.count, name);
  expect_end(source, name);
  return values;
}
template Array<float> read_npy_vector(const NpyHeader&, const ByteSource&, const std::string&);
template Array<double> read_npy_vector(const NpyHeader&, const ByteSource&, const std::string&);
template Array<std::int32_t> read_npy_vector(const NpyHeader&, const ByteSource&, const std::string&);
template Array<std::int64_t> read_npy_vector(const NpyHeader&, const ByteSource&, const std::string&);

Labels read_npy_labels(const NpyHeader& header, const ByteSource& source, const std::string& name) {
  if (header.text) return named_labels(read_npy_text(header, source, name));
  Labels labels;
  labels.values = read_npy_vector<double>(header, source, name);
  labels.kind = kind_of_labels(labels.values.span());
  return labels;
}

Dataset parse_npy(const ByteSource& source, const std::string& name, const LoadOptions& options) {
  return parse_rows(read_npy_header(source, name), source, name, options);
}

Dataset parse_rows(const NpyHeader& header, const ByteSource& source, const std::string& name,
                   const LoadOptions& options) {
  Dataset data;
  data.source = name;
  data.x = read_npy_matrix(header, source, options.precision, name);
  check_contents(data, name, options.threads);
  apply_options(data, options, WhenOpen::choose);
  return data;
}

int recognise_npy(std::string_view name, std::span<const char> head) {
  if (head.size() >= 6 && std::memcmp(head.data(), "\x93NUMPY", 6) == 0) return 3;
  return name.ends_with(".npy") ? 2 : 0;
}

Dataset read_npy(Input& input, const LoadOptions& options) {
  std::optional<Dataset> mapped;
  if (is_mappable(input)) mapped = map_npy(std::make_shared<const MappedFile>(input.name()), options);
  Dataset data = mapped ? *mapped : parse_npy(source_of(input), input.name(), options);
  data.source = input.name();
  read_labels_and_weights(data, input.name(), options);
  return data;
}

void write_npy(const Dataset& data, const std::string& path, const SaveOptions& options) {
  refuse_compression(path, "npy");
  data.verify(options.threads);
  const Matrix dense = with_layout(data.x, Layout::dense, data.x.precision(), options.threads);
  write_array(path, npy_header(npy_descr(dense.precision()), {dense.rows(), dense.cols()}),
              [&](const BytesOut& out) { put_dense(dense, out); });
  const auto write_beside = [&](const char* what, const std::string& descr, std::span<const std::byte> bytes) {
    write_array(beside(path, what), npy_header(descr, {data.rows()}), [&](const BytesOut& out) { out(bytes); });
  };
  if (!data.y.class_names.empty()) {
    std::vector<std::string> names;
    for (const double value : data.y.values) names.push_back(data.y.name_of(value));
    const auto text = npy_text(names);
    write_beside("labels", text.descr, std::as_bytes(std::span(text.points)));
  } else if (data.y.kind != LabelKind::none) {
    write_beside("labels", "<f8", std::as_bytes(data.y.values.span()));
  }
  if (!data.weights.empty()) write_beside("weights", "<f8", std::as_bytes(data.weights.span()));
}

std::string npy_descr(Precision precision) { return precision == Precision::float32 ? "<f4" : "<f8"; }

void put_dense(const Matrix& matrix, const BytesOut& out) {
  matrix.visit([&](const auto& view) {
    if constexpr (requires { view.stride; })
      for (Index i = 0; i < view.rows; ++i) out(std::as_bytes(std::span(view.row(i), at(view.cols))));
  });
}

}  // namespace s3gd
