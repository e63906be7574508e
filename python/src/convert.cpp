#include "convert.hpp"

#include <type_traits>

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

AnyArray as_vector(nb::handle object, const char* name) {
  AnyArray array = as_array(object, name, 1);
  if (array.shape(0) > 1 && array.stride(0) != 1)
    throw Error(std::string(name) + " has gaps between its elements", "give a contiguous copy of it");
  return array;
}

[[noreturn]] void refuse_type(const char* name, const char* expected) {
  throw Error(std::string(name) + " has elements of another type than " + expected, "convert it");
}

// Calls use(the first element) with the one of the two types that the elements have.
template <class A, class B, class F>
auto with_type(const AnyArray& array, const char* name, const char* expected, F&& use) {
  if (array.dtype() == nb::dtype<A>()) return use(static_cast<const A*>(array.data()));
  if (array.dtype() == nb::dtype<B>()) return use(static_cast<const B*>(array.data()));
  refuse_type(name, expected);
}
template <class F>
auto with_floats(const AnyArray& array, const char* name, F&& use) {
  return with_type<float, double>(array, name, "float32 and float64", use);
}
template <class F>
auto with_integers(const AnyArray& array, const char* name, F&& use) {
  return with_type<std::int32_t, std::int64_t>(array, name, "int32 and int64", use);
}

// Row starts are 64 bits wide in the library; SciPy's have the width of the columns.
Array<std::int64_t> starts_of(const AnyArray& array) {
  return with_integers(array, "indptr", [&]<class T>(const T* first) {
    if constexpr (std::is_same_v<T, std::int64_t>)
      return Array<std::int64_t>::borrow({first, array.shape(0)});
    else
      return Array<std::int64_t>(std::vector<std::int64_t>(first, first + array.shape(0)));
  });
}

Matrix csr_of(const nb::tuple& parts) {
  if (nb::len(parts) != 4) throw Error("sparse rows are a tuple of four: data, indices, indptr, number of columns");
  const AnyArray values = as_vector(parts[0], "data"), columns = as_vector(parts[1], "indices");
  const Array<std::int64_t> starts = starts_of(as_vector(parts[2], "indptr"));
  const auto cols = nb::cast<Index>(parts[3]);
  if (starts.empty()) throw Error("indptr is empty", "it has one number more than there are rows");
  if (cols < 0) throw Error("the number of columns is " + std::to_string(cols));
  const Index rows = starts.size() - 1, stored = static_cast<Index>(std::min(values.shape(0), columns.shape(0)));
  if (starts[0] < 0 || starts[rows] > stored)
    throw Error("indptr ends at " + std::to_string(starts[rows]) + ", but there are " + std::to_string(stored) +
                " entries");
  return with_floats(values, "data", [&]<class T>(const T* value) {
    return with_integers(columns, "indices", [&]<class I>(const I* column) {
      return Matrix(CsrView<T, I>{value, column, starts.data(), rows, cols}, starts.owner());
    });
  });
}

}  // namespace

Matrix matrix_of(nb::handle given) {
  if (nb::isinstance<nb::tuple>(given)) return csr_of(nb::borrow<nb::tuple>(given));
  const AnyArray array = as_array(given, "X", 2);
  const auto rows = static_cast<Index>(array.shape(0)), cols = static_cast<Index>(array.shape(1));
  return with_floats(array, "X", [&]<class T>(const T* values) {
    const bool side_by_side = cols <= 1 || array.stride(1) == 1;
    const Index stride = rows <= 1 ? cols : array.stride(0);
    if (rows > 0 && cols > 0 && (!side_by_side || stride < cols))
      throw Error("the rows of X do not lie one after the other", "give a C-ordered copy of it");
    return Matrix::borrow(DenseView<T>{values, rows, cols, std::max(stride, cols)});
  });
}

template <class T>
Array<T> vector_of(nb::handle values, const char* name) {
  const AnyArray array = as_vector(values, name);
  if (array.dtype() != nb::dtype<T>()) refuse_type(name, std::is_same_v<T, double> ? "float64" : "int64");
  return Array<T>::borrow({static_cast<const T*>(array.data()), array.shape(0)});
}
template Array<double> vector_of(nb::handle, const char*);
template Array<Index> vector_of(nb::handle, const char*);

std::vector<double> numbers_of(nb::handle values, const char* name) {
  if (nb::isinstance<nb::list>(values) || nb::isinstance<nb::tuple>(values)) {
    std::vector<double> numbers;
    for (const nb::handle value : nb::borrow<nb::object>(values)) numbers.push_back(nb::cast<double>(value));
    return numbers;
  }
  const Array<double> array = vector_of<double>(values, name);
  return {array.begin(), array.end()};
}

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
