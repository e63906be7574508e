#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <variant>

#include "base/buffer.hpp"
#include "base/file.hpp"
#include "data/assemble.hpp"
#include "data/convert.hpp"
#include "data/npy.hpp"
#include "data/readers.hpp"
#include "data/verify.hpp"
#include "s3gd/error.hpp"

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

template <class T>
void set_once(std::optional<T>& member, T value, const std::string& name) {
  if (member) throw Error({name}, "a second array for the same purpose", "one");
  member = std::move(value);
}

class MemberReader {
 public:
  MemberReader(Members& members, Precision precision) : members_(members), precision_(precision) {}

  // Returns without reading when the name means nothing.
  void take(const std::string& member, const ByteSource& source, const std::string& name) {
    const auto is = [&](std::initializer_list<const char*> names) {
      return std::find(names.begin(), names.end(), member) != names.end();
    };
    const auto header = [&] { return read_npy_header(source, name); };
    if (is({"X", "x", "arr_0", "data"}))
      take_values(header(), source, name, member == "data");
    else if (is({"y", "labels", "arr_1"}))
      set_once(members_.labels, read_npy_labels(header(), source, name), name);
    else if (is({"sample_weight", "weights"}))
      set_once(members_.weights, read_npy_vector<double>(header(), source, name), name);
    else if (is({"indices"}))
      take_columns(header(), source, name);
    else if (is({"indptr"}))
      set_once(members_.starts, read_npy_vector<std::int64_t>(header(), source, name), name);
    else if (is({"shape"}))
      set_once(members_.shape, read_npy_vector<std::int64_t>(header(), source, name), name);
    else if (is({"format"}))
      take_format(header(), source, name);
    else if (is({"feature_names"}))
      set_once(members_.feature_names, read_npy_text(header(), source, name), name);
    else if (is({"class_names"}))
      set_once(members_.class_names, read_npy_text(header(), source, name), name);
  }

 private:
  void take_values(const NpyHeader& header, const ByteSource& source, const std::string& name, bool may_be_flat) {
    if (!may_be_flat || header.shape.size() != 1)
      return set_once(members_.matrix, read_npy_matrix(header, source, precision_, name), name);
    if (precision_ == Precision::float32)
      set_once(members_.values, Values(read_npy_vector<float>(header, source, name)), name);
    else
      set_once(members_.values, Values(read_npy_vector<double>(header, source, name)), name);
  }

  void take_columns(const NpyHeader& header, const ByteSource& source, const std::string& name) {
    if (size_of(header.element) <= 4 && header.element != Element::u4)
      set_once(members_.columns, Columns(read_npy_vector<std::int32_t>(header, source, name)), name);
    else
      set_once(members_.columns, Columns(read_npy_vector<std::int64_t>(header, source, name)), name);
  }

  void take_format(const NpyHeader& header, const ByteSource& source, const std::string& name) {
    const auto text = read_npy_text(header, source, name);
    if (text.size() != 1) throw Error({name}, std::to_string(text.size()) + " strings", "one");
    set_once(members_.format, text[0], name);
  }

  Members& members_;
  Precision precision_;
};

struct FreeArchive {
  void operator()(archive* a) const { archive_read_free(a); }
};
using ArchivePointer = std::unique_ptr<archive, FreeArchive>;

[[noreturn]] void refuse_archive(archive* a, const std::string& name) {
  const char* reason = archive_error_string(a);
  throw Error({name}, reason != nullptr ? reason : "damage", "a zip archive of NumPy arrays",
              "the file is cut short or damaged");
}

ArchivePointer new_archive() {
  ArchivePointer a(archive_read_new());
  if (!a) throw Error("out of memory");
  archive_read_support_format_zip_seekable(a.get());
  return a;
}

Members read_members(archive* a, const std::string& name, Precision precision) {
  Members members;
  MemberReader reader(members, precision);
  for (archive_entry* entry = nullptr;;) {
    const int result = archive_read_next_header(a, &entry);
    if (result == ARCHIVE_EOF) return members;
    if (result < ARCHIVE_WARN) refuse_archive(a, name);
    const char* path = archive_entry_pathname(entry);
    std::string member = path != nullptr ? path : "";
    if (!member.ends_with(".npy")) continue;
    const std::string full_name = name + ":" + member;
    member.resize(member.size() - 4);
    reader.take(
        member,
        [&](std::span<char> into) {
          const auto got = archive_read_data(a, into.data(), into.size());
          if (got < 0) refuse_archive(a, full_name);
          return static_cast<std::size_t>(got);
        },
        full_name);
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
  std::vector<T> sorted_values;
  std::vector<I> sorted_columns;
  std::vector<std::int64_t> sorted_starts{0};
  std::vector<Index> entries;
  for (Index i = 0; i + 1 < starts.size(); ++i) {
    entries.resize(static_cast<std::size_t>(starts[i + 1] - starts[i]));
    std::iota(entries.begin(), entries.end(), starts[i]);
    std::stable_sort(entries.begin(), entries.end(), [&](Index a, Index b) { return columns[a] < columns[b]; });
    for (const Index k : entries) {
      const bool again =
          sorted_starts.back() < static_cast<Index>(sorted_columns.size()) && sorted_columns.back() == columns[k];
      if (again && order == IndexOrder::strict)
        throw Error({name}, "the index " + std::to_string(columns[k]) + " twice in row " + std::to_string(i), "it once",
                    "call X.sum_duplicates() before saving");
      if (again) {
        sorted_values.back() += values[k];
      } else {
        sorted_values.push_back(values[k]);
        sorted_columns.push_back(columns[k]);
      }
    }
    sorted_starts.push_back(static_cast<std::int64_t>(sorted_columns.size()));
  }
  return Matrix::own_csr(std::move(sorted_values), std::move(sorted_columns), std::move(sorted_starts), cols);
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

template <class To, class From>
Array<To> recast(const Array<From>& from) {
  GrowBuffer<To> into;
  into.resize(from.size());
  std::transform(from.begin(), from.end(), into.data(), [](From value) { return static_cast<To>(value); });
  return std::move(into).finish();
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
          return csr_of(values, recast<std::int64_t>(columns), *members.starts, cols, order, name);
        if constexpr (std::is_same_v<std::decay_t<decltype(columns)>, Array<std::int32_t>>)
          return csr_of(values, columns, *members.starts, cols, order, name);
        else
          return csr_of(values, recast<std::int32_t>(columns), *members.starts, cols, order, name);
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

}  // namespace s3gd
