#include "convert.hpp"

#include <memory>

#include "base/mention.hpp"
#include "base/text.hpp"
#include "saved/trace_file.hpp"
#include "solve/options/table.hpp"

namespace s3gd::python {
namespace {

using AnyArray = nb::ndarray<nb::ro, nb::device::cpu>;

AnyArray as_array(nb::handle object, const char* name, std::size_t dimensions) {
  AnyArray array;
  if (!nb::try_cast(object, array))
    throw Error(std::string(name) + " is no array of numbers in this machine's memory", "give a NumPy array");
  if (array.ndim() != dimensions)
    throw Error(std::string(name) + " has " + std::to_string(array.ndim()) + " dimensions, expected " +
                std::to_string(dimensions));
  if (reinterpret_cast<std::uintptr_t>(array.data()) % std::max<std::size_t>(1, array.itemsize()) != 0)
    throw Error(std::string(name) + " does not lie at a multiple of its element size", "give a copy of it");
  return array;
}

Index length(const AnyArray& array, std::size_t dimension) { return static_cast<Index>(array.shape(dimension)); }

// One after the other.
void require_contiguous(const AnyArray& array, const char* name) {
  if (array.shape(0) > 1 && array.stride(0) != 1)
    throw Error(std::string(name) + " has gaps between its elements", "give a contiguous copy of it");
}

template <class T>
const T* elements(const AnyArray& array) {
  return static_cast<const T*>(array.data());
}

[[noreturn]] void refuse_type(const char* name, const char* expected) {
  throw Error(std::string(name) + " has elements of another type than " + expected, "convert it");
}

template <class T>
Matrix dense(const AnyArray& array) {
  const Index rows = length(array, 0), cols = length(array, 1);
  const bool side_by_side = cols <= 1 || array.stride(1) == 1;
  const Index stride = rows <= 1 ? cols : array.stride(0);
  if (rows > 0 && cols > 0 && (!side_by_side || stride < cols))
    throw Error("the rows of X do not lie one after the other", "give a C-ordered copy of it");
  return Matrix::borrow(DenseView<T>{elements<T>(array), rows, cols, std::max(stride, cols)});
}

struct CsrParts {
  AnyArray values, columns, starts;
  Index cols = 0;
};

// Row starts are 64 bits wide in the library; SciPy's have the width of the columns.
struct Starts {
  const std::int64_t* values = nullptr;
  std::shared_ptr<const void> owner;
};

Starts starts_of(const AnyArray& array) {
  if (array.dtype() == nb::dtype<std::int64_t>()) return {elements<std::int64_t>(array), nullptr};
  if (array.dtype() != nb::dtype<std::int32_t>()) refuse_type("indptr", "int32 and int64");
  const auto* narrow = elements<std::int32_t>(array);
  auto wide = std::make_shared<const std::vector<std::int64_t>>(narrow, narrow + array.shape(0));
  return {wide->data(), wide};
}

template <class T, class I>
Matrix csr(const CsrParts& parts) {
  const Index rows = length(parts.starts, 0) - 1;
  const Starts starts = starts_of(parts.starts);
  const Index stored = std::min(length(parts.values, 0), length(parts.columns, 0));
  if (starts.values[0] < 0 || starts.values[rows] > stored)
    throw Error("indptr ends at " + std::to_string(starts.values[rows]) + ", but there are " + std::to_string(stored) +
                " entries");
  return Matrix(CsrView<T, I>{elements<T>(parts.values), elements<I>(parts.columns), starts.values, rows, parts.cols},
                starts.owner);
}

template <class T>
Matrix csr(const CsrParts& parts) {
  if (parts.columns.dtype() == nb::dtype<std::int32_t>()) return csr<T, std::int32_t>(parts);
  if (parts.columns.dtype() == nb::dtype<std::int64_t>()) return csr<T, std::int64_t>(parts);
  refuse_type("indices", "int32 and int64");
}

Matrix csr_of(const nb::tuple& parts) {
  if (nb::len(parts) != 4) throw Error("sparse rows are a tuple of four: data, indices, indptr, number of columns");
  const CsrParts arrays{as_array(parts[0], "data", 1), as_array(parts[1], "indices", 1),
                        as_array(parts[2], "indptr", 1), nb::cast<Index>(parts[3])};
  if (arrays.starts.shape(0) == 0) throw Error("indptr is empty", "it has one number more than there are rows");
  if (arrays.cols < 0) throw Error("the number of columns is " + std::to_string(arrays.cols));
  require_contiguous(arrays.values, "data");
  require_contiguous(arrays.columns, "indices");
  require_contiguous(arrays.starts, "indptr");
  if (arrays.values.dtype() == nb::dtype<float>()) return csr<float>(arrays);
  if (arrays.values.dtype() == nb::dtype<double>()) return csr<double>(arrays);
  refuse_type("data", "float32 and float64");
}

}  // namespace

Matrix matrix_of(nb::handle rows) {
  if (nb::isinstance<nb::tuple>(rows)) return csr_of(nb::borrow<nb::tuple>(rows));
  const AnyArray array = as_array(rows, "X", 2);
  if (array.dtype() == nb::dtype<float>()) return dense<float>(array);
  if (array.dtype() == nb::dtype<double>()) return dense<double>(array);
  refuse_type("X", "float32 and float64");
}

Array<double> vector_of(nb::handle values, const char* name) {
  const AnyArray array = as_array(values, name, 1);
  if (array.dtype() != nb::dtype<double>()) refuse_type(name, "float64");
  require_contiguous(array, name);
  return Array<double>::borrow({elements<double>(array), array.shape(0)});
}

std::vector<double> numbers_of(nb::handle values, const char* name) {
  if (nb::isinstance<nb::list>(values) || nb::isinstance<nb::tuple>(values)) {
    std::vector<double> numbers;
    for (const nb::handle value : nb::borrow<nb::object>(values)) numbers.push_back(nb::cast<double>(value));
    return numbers;
  }
  const Array<double> array = vector_of(values, name);
  return {array.begin(), array.end()};
}

std::vector<Index> indices_of(nb::handle values, const char* name) {
  const AnyArray array = as_array(values, name, 1);
  if (array.dtype() != nb::dtype<std::int64_t>()) refuse_type(name, "int64");
  require_contiguous(array, name);
  const auto* first = elements<std::int64_t>(array);
  return {first, first + array.shape(0)};
}

template <class T>
nb::object array_from(std::vector<T> values, std::vector<std::size_t> shape) {
  if (shape.empty()) shape = {values.size()};
  auto kept = std::make_unique<std::vector<T>>(std::move(values));
  T* data = kept->data();
  nb::capsule owner(kept.get(), [](void* pointer) noexcept { delete static_cast<std::vector<T>*>(pointer); });
  kept.release();
  return nb::ndarray<nb::numpy, T>(data, shape.size(), shape.data(), owner).cast();
}

template nb::object array_from(std::vector<double>, std::vector<std::size_t>);
template nb::object array_from(std::vector<Index>, std::vector<std::size_t>);

template <class T>
nb::object array_over(const T* values, std::vector<std::size_t> shape, std::shared_ptr<const void> owner) {
  auto kept = std::make_unique<std::shared_ptr<const void>>(std::move(owner));
  nb::capsule capsule(kept.get(),
                      [](void* pointer) noexcept { delete static_cast<std::shared_ptr<const void>*>(pointer); });
  kept.release();
  return nb::ndarray<nb::numpy, const T>(values, shape.size(), shape.data(), capsule).cast();
}

template nb::object array_over(const float*, std::vector<std::size_t>, std::shared_ptr<const void>);
template nb::object array_over(const double*, std::vector<std::size_t>, std::shared_ptr<const void>);
template nb::object array_over(const std::int32_t*, std::vector<std::size_t>, std::shared_ptr<const void>);
template nb::object array_over(const std::int64_t*, std::vector<std::size_t>, std::shared_ptr<const void>);

void DictReader::finish() const {
  for (const auto& [key, value] : dict_) {
    const std::string name = nb::cast<std::string>(key);
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    if (const OptionRow* row = find_option(with_hyphens(name)))
      throw Error(ErrorCode::idle_option, row->name, opt(row->name) + " changes nothing as a key of " + what_,
                  "these do: " + join(known_));
    throw_unknown_name("key of " + what_, name, known_);
  }
}

std::string python_words(const Mention& mention) {
  if (mention.kind == Mention::Kind::class_name) return std::string(mention.name);
  std::string text = plain_words({mention.kind, with_underscores(std::string(mention.name)), {}});
  for (std::size_t at = 0; at < mention.value.size();) {  // solver='auto', 'newton'
    const std::size_t end = std::min(mention.value.find(", ", at), mention.value.size());
    text.append(at == 0 ? "='" : ", '").append(mention.value.substr(at, end - at)).append("'");
    at = end + 2;
  }
  return text;
}

nb::object text(const std::string& words) {
  return nb::steal(PyUnicode_DecodeUTF8(words.data(), static_cast<Py_ssize_t>(words.size()), "replace"));
}

nb::object to_python(const Json& json) {
  if (json.is_object()) {
    nb::dict dict;
    for (const auto& [key, value] : json.items()) dict[text(key)] = to_python(value);
    return dict;
  }
  if (json.is_array()) {
    nb::list list;
    for (const Json& value : json) list.append(to_python(value));
    return list;
  }
  if (json.is_string()) return text(json.get<std::string>());
  if (json.is_boolean()) return nb::cast(json.get<bool>());
  if (json.is_count()) return nb::cast(json.get<std::uint64_t>());
  if (json.is_integer()) return nb::cast(json.get<std::int64_t>());
  if (json.is_number()) return nb::cast(json.get<double>());
  return nb::none();
}

nb::dict to_python(const TraceRow& row) {
  nb::dict dict;
  dict["iteration"] = row.iteration;
  for (const TraceColumn& column : kTraceColumns) dict[column.name] = row.*column.value;
  dict["stage"] = text(row.stage);
  return dict;
}

nb::dict to_python(const std::vector<TraceRow>& trace) {
  nb::dict dict;
  std::vector<Index> iterations;
  for (const TraceRow& row : trace) iterations.push_back(row.iteration);
  dict["iteration"] = array_from(std::move(iterations));
  for (const TraceColumn& column : kTraceColumns) {
    std::vector<double> values;
    for (const TraceRow& row : trace) values.push_back(row.*column.value);
    dict[column.name] = array_from(std::move(values));
  }
  nb::list stages;
  for (const TraceRow& row : trace) stages.append(text(row.stage));
  dict["stage"] = stages;
  return dict;
}

}  // namespace s3gd::python
