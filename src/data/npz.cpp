// NumPy's archives: zip files of arrays, read and written.
#include <archive.h>
#include <archive_entry.h>

#include "base/file.hpp"
#include "data/arrays.hpp"
#include "data/checks.hpp"
#include "data/convert.hpp"
#include "data/format.hpp"

namespace s3gd {
namespace {

using Values = std::variant<Array<float>, Array<double>>;
using Columns = std::variant<Array<std::int32_t>, Array<std::int64_t>>;

// What was found in the archive, in whatever order it came.
struct Members {
  std::optional<Matrix> matrix;  // dense
  std::optional<Values> values;  // the five of scipy's save_npz
  std::optional<Columns> columns;
  std::optional<Array<std::int64_t>> starts;
  std::optional<Array<std::int64_t>> shape;
  std::optional<std::string> format;
  std::optional<Labels> labels;
  std::optional<Array<double>> weights;
  std::optional<std::vector<std::string>> feature_names;
  std::optional<std::vector<std::string>> class_names;
};

// Returns without reading when the name means nothing.
void take_member(Members& members, Precision precision, const std::string& member, const ByteSource& source,
                 const std::string& name) {
  const auto is = [&](std::initializer_list<const char*> names) {
    return std::find(names.begin(), names.end(), member) != names.end();
  };
  const auto open = [&] { return open_npy(source, name); };
  const auto set = [&](auto& place, auto value) {
    if (place) throw Error({name}, "a second array for the same purpose", "one");
    place = std::move(value);
  };
  if (is({"X", "x", "arr_0", "data"})) {
    const ArrayFile file = open();
    if (member != "data" || file.shape.size() != 1)
      set(members.matrix, file.matrix(precision));
    else
      set(members.values, precision == Precision::float32 ? Values(file.numbers<float>()) : file.numbers<double>());
  } else if (is({"y", "labels", "arr_1"})) {
    set(members.labels, open().labels());
  } else if (is({"sample_weight", "weights"})) {
    set(members.weights, open().numbers<double>());
  } else if (is({"indices"})) {
    const ArrayFile file = open();
    const bool narrow = file.element_bytes() <= 4 && file.element != Element::u4;
    set(members.columns, narrow ? Columns(file.numbers<std::int32_t>()) : file.numbers<std::int64_t>());
  } else if (is({"indptr", "shape"})) {
    set(member == "shape" ? members.shape : members.starts, open().numbers<std::int64_t>());
  } else if (is({"format"})) {
    const auto text = open().strings();
    if (text.size() != 1) throw Error({name}, std::to_string(text.size()) + " strings", "one");
    set(members.format, text[0]);
  } else if (is({"feature_names", "class_names"})) {
    set(member == "class_names" ? members.class_names : members.feature_names, open().strings());
  }
}

using ArchivePointer = std::unique_ptr<archive, int (*)(archive*)>;

[[noreturn]] void refuse_archive(archive* a, const std::string& name) {
  const char* reason = archive_error_string(a);
  throw Error({name}, reason != nullptr ? reason : "damage", "a zip archive of NumPy arrays",
              "the file is cut short or damaged");
}

ArchivePointer new_archive() {
  ArchivePointer a(archive_read_new(), archive_read_free);
  if (!a) throw Error(ErrorCode::out_of_memory, {}, "out of memory");
  archive_read_support_format_zip_seekable(a.get());
  return a;
}

Members read_members(archive* a, const std::string& name, Precision precision) {
  Members members;
  for (archive_entry* entry = nullptr;;) {
    const int result = archive_read_next_header(a, &entry);
    if (result == ARCHIVE_EOF) return members;
    if (result < ARCHIVE_WARN) refuse_archive(a, name);
    const char* path = archive_entry_pathname(entry);
    std::string member = path != nullptr ? path : "";
    if (!member.ends_with(".npy")) continue;
    const std::string full_name = name + ":" + member;
    member.resize(member.size() - 4);
    const auto source = [&](std::span<char> into) {
      const auto got = archive_read_data(a, into.data(), into.size());
      if (got < 0) refuse_archive(a, full_name);
      return static_cast<std::size_t>(got);
    };
    take_member(members, precision, member, source, full_name);
  }
}

template <class I>
void check_structure(const Array<I>& columns, const Array<std::int64_t>& starts, Index entries, Index rows, Index cols,
                     const std::string& name) {
  if (starts.size() != rows + 1 || columns.size() != entries || starts[0] != 0 || starts[rows] != entries)
    throw Error({name}, "arrays whose lengths do not fit each other", "data, indices and indptr of one CSR matrix");
  for (Index i = 0; i < rows; ++i)
    if (starts[i] > starts[i + 1])
      throw Error({name}, "row " + std::to_string(i) + " that ends before it starts", "ascending indptr");
  for (const I column : columns)
    if (column < 0 || column >= cols)
      throw Error({name}, "the index " + std::to_string(column), "one from 0 to " + std::to_string(cols - 1));
}

// NumPy's rows may be unsorted and hold an index twice, ours may not.
template <class T, class I>
Matrix sorted_rows(const Array<T>& values, const Array<I>& columns, const Array<std::int64_t>& starts, Index cols,
                   IndexOrder order, const std::string& name) {
  RowsBuilder<T> sorted(Layout::sparse, cols, IndexBase::zero);
  RowBlock<T> block;
  std::vector<std::pair<I, T>> row;
  for (Index i = 0; i + 1 < starts.size(); ++i) {
    row.clear();
    for (Index k = starts[i]; k < starts[i + 1]; ++k) row.emplace_back(columns[k], values[k]);
    std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    block.clear();
    for (std::size_t k = 0; k < row.size(); ++k) {
      const bool again = k > 0 && row[k].first == row[k - 1].first;
      if (again && order == IndexOrder::strict)
        throw Error({name}, "the index " + std::to_string(row[k].first) + " twice in row " + std::to_string(i),
                    "it once", "call X.sum_duplicates() before saving");
      if (again) {
        block.values.back() += row[k].second;
        continue;
      }
      block.columns.push_back(row[k].first);
      block.values.push_back(row[k].second);
    }
    block.starts.push_back(block.entries());
    sorted.append(block);
  }
  return std::move(sorted).finish();
}

template <class T, class I>
Matrix csr_of(const Array<T>& values, const Array<I>& columns, const Array<std::int64_t>& starts, Index cols,
              IndexOrder order, const std::string& name) {
  bool ascending = true;
  for (Index i = 0; i + 1 < starts.size(); ++i)
    for (Index k = starts[i] + 1; k < starts[i + 1]; ++k) ascending = ascending && columns[k - 1] < columns[k];
  if (ascending) return csr_matrix(values, columns, starts, cols);
  return sorted_rows(values, columns, starts, cols, order, name);
}

Matrix scipy_matrix(const Members& members, const std::string& name, IndexOrder order) {
  if (members.format && *members.format != "csr")
    throw Error({name}, "a sparse matrix in format '" + *members.format + "'", "'csr'", "save X.tocsr()");
  if (!members.values || !members.columns || !members.starts || !members.shape)
    throw Error({name}, "only some of the arrays of a sparse matrix", "data, indices, indptr and shape");
  if (members.shape->size() != 2) throw Error({name}, "a shape of other than two sizes", "rows and columns");
  const Index rows = (*members.shape)[0], cols = (*members.shape)[1];
  if (rows < 0 || cols < 0 || rows >= std::numeric_limits<Index>::max())
    throw Error({name}, "a shape that is not made of sizes", "whole numbers from 0 on");
  return std::visit(
      [&](const auto& values, const auto& columns) -> Matrix {
        check_structure(columns, *members.starts, values.size(), rows, cols, name);
        if (!fits_narrow_columns(cols))
          return csr_of(values, converted<std::int64_t>(columns.span(), 1), *members.starts, cols, order, name);
        if constexpr (std::is_same_v<std::decay_t<decltype(columns)>, Array<std::int32_t>>)
          return csr_of(values, columns, *members.starts, cols, order, name);
        else
          return csr_of(values, converted<std::int32_t>(columns.span(), 1), *members.starts, cols, order, name);
      },
      *members.values, *members.columns);
}

Dataset dataset_of(Members members, const std::string& name, const LoadOptions& options) {
  const bool sparse = members.values || members.columns || members.starts;
  if (sparse && members.matrix) throw Error({name}, "a dense and a sparse matrix", "one of them");
  if (!sparse && !members.matrix)
    throw Error({name}, "no matrix", "an array X, x, data or arr_0, or a CSR matrix of scipy.sparse.save_npz");
  Dataset data;
  data.source = name;
  data.x = sparse ? scipy_matrix(members, name, options.index_order) : *members.matrix;
  if (members.labels)
    data.y = *members.labels;
  else if (!options.labels_path.empty())
    data.y = read_labels_file(options.labels_path);
  if (members.class_names && members.labels) data.y.class_names = *members.class_names;
  if (members.weights) data.weights = *members.weights;
  if (members.feature_names) data.feature_names = *members.feature_names;
  if (!data.feature_names.empty() && static_cast<Index>(data.feature_names.size()) != data.cols())
    throw Error({name}, std::to_string(data.feature_names.size()) + " feature names",
                "one for each of " + std::to_string(data.cols()) + " columns");
  if (!data.y.class_names.empty()) data.y.kind = LabelKind::classes;
  check_contents(data, name, options.threads);
  apply_options(data, options, WhenOpen::choose);
  return data;
}

// A zip archive of arrays, stored as they are: NumPy reads them faster so, and they are written at the disk's speed.
class NpzFile : public ArchiveWriter {
 public:
  NpzFile(std::ostream& out, const std::string& path) : ArchiveWriter(out, path, "write failed") {
    if (archive_write_set_format_zip(archive_.get()) < ARCHIVE_WARN ||
        archive_write_set_format_option(archive_.get(), "zip", "compression", "store") < ARCHIVE_WARN)
      fail();
    open();
  }

  void begin(const std::string& member, const std::string& descr, const std::vector<Index>& shape,
             std::size_t data_bytes) {
    const std::string header = npy_header(descr, shape);
    const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(archive_entry_new(), archive_entry_free);
    archive_entry_set_pathname(entry.get(), (member + ".npy").c_str());
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), 0644);
    archive_entry_set_mtime(entry.get(), kFirstDayOfZip, 0);  // the same data gives the same file on any day
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(header.size() + data_bytes));
    if (archive_write_header(archive_.get(), entry.get()) < ARCHIVE_WARN) fail();
    write(std::as_bytes(std::span(header)));
  }
  void put(const std::string& member, const std::string& descr, const std::vector<Index>& shape,
           std::span<const std::byte> bytes) {
    begin(member, descr, shape, bytes.size());
    write(bytes);
  }
  template <class To, class From>
  void put_as(const std::string& member, const std::string& descr, std::span<const From> values) {
    begin(member, descr, {static_cast<Index>(values.size())}, values.size() * sizeof(To));
    std::vector<To> block;
    for (std::size_t at = 0; at < values.size(); at += block.size()) {
      const auto part = values.subspan(at, std::min<std::size_t>(8192, values.size() - at));
      block.assign(part.begin(), part.end());
      write(std::as_bytes(std::span(block)));
    }
  }

 private:
  static constexpr time_t kFirstDayOfZip = 315532800 + 86400;  // 2 January 1980: 1 January is 1979 in some time zones
};

template <class T>
void put_rows(NpzFile& file, const DenseView<T>& view, const Matrix& matrix) {
  file.begin("X", npy_descr(matrix.precision()), {view.rows, view.cols},
             static_cast<std::size_t>(view.rows) * static_cast<std::size_t>(view.cols) * sizeof(T));
  put_dense(matrix, [&](std::span<const std::byte> bytes) { file.write(bytes); });
}

// The five arrays of scipy.sparse.save_npz. SciPy wants indices and indptr of one width.
template <class T, class I>
void put_rows(NpzFile& file, const CsrView<T, I>& view, const Matrix& matrix) {
  const auto count = static_cast<std::size_t>(view.nonzeros());
  const Index first = view.rows == 0 ? 0 : view.starts[0];
  std::vector<std::int64_t> starts{0};
  for (Index i = 1; i <= view.rows; ++i) starts.push_back(view.starts[i] - first);
  const std::span<const I> columns(view.columns + first, count);
  const std::span<const std::int64_t> ends(starts);
  const bool narrow = sizeof(I) == 4 && starts.back() <= std::numeric_limits<std::int32_t>::max();
  if (narrow) {
    file.put_as<std::int32_t>("indices", "<i4", columns);
    file.put_as<std::int32_t>("indptr", "<i4", ends);
  } else {
    file.put_as<std::int64_t>("indices", "<i8", columns);
    file.put_as<std::int64_t>("indptr", "<i8", ends);
  }
  file.put("format", "|S3", {}, std::as_bytes(std::span("csr", 3)));
  const std::int64_t shape[] = {view.rows, view.cols};
  file.put("shape", "<i8", {2}, std::as_bytes(std::span(shape)));
  file.put("data", npy_descr(matrix.precision()), {static_cast<Index>(count)},
           std::as_bytes(std::span(view.values + first, count)));
}

void put_names(NpzFile& file, const std::string& member, const std::vector<std::string>& names) {
  if (names.empty()) return;
  const auto text = npy_text(names);
  file.put(member, text.descr, {static_cast<Index>(names.size())}, std::as_bytes(std::span(text.points)));
}

}  // namespace

Dataset parse_npz(std::span<const std::byte> bytes, const std::string& name, const LoadOptions& options) {
  const auto a = new_archive();
  if (archive_read_open_memory(a.get(), bytes.data(), bytes.size()) != ARCHIVE_OK) refuse_archive(a.get(), name);
  return dataset_of(read_members(a.get(), name, options.precision), name, options);
}

int recognise_npz(std::string_view name, std::span<const char> head) {
  if (head.size() >= 4 && std::memcmp(head.data(), "PK\x03\x04", 4) == 0) return 3;
  return name.ends_with(".npz") ? 2 : 0;
}

Dataset read_npz(Input& input, const LoadOptions& options) {
  const std::string& name = input.name();
  if (!is_mappable(input)) {
    const auto bytes = read_all(input);
    return parse_npz(std::as_bytes(bytes.span()), name, options);
  }
  const auto a = new_archive();
  if (archive_read_open_filename(a.get(), name.c_str(), 1 << 17) != ARCHIVE_OK) refuse_archive(a.get(), name);
  return dataset_of(read_members(a.get(), name, options.precision), name, options);
}

void write_npz(const Dataset& data, const std::string& path, const SaveOptions&) {
  refuse_compression(path, "npz");
  write_atomically(path, [&](std::ostream& out) {
    NpzFile file(out, path);
    data.x.visit([&](const auto& view) { put_rows(file, view, data.x); });
    if (data.y.kind == LabelKind::classes) file.put_as<std::int64_t>("y", "<i8", data.y.values.span());
    if (data.y.kind == LabelKind::real) file.put_as<double>("y", "<f8", data.y.values.span());
    if (!data.weights.empty()) file.put_as<double>("sample_weight", "<f8", data.weights.span());
    put_names(file, "feature_names", data.feature_names);
    put_names(file, "class_names", data.y.class_names);
    file.close();
  });
}

}  // namespace s3gd
