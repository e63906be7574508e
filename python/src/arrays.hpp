// Arrays of Python as the library's matrices and vectors, where they lie, and back.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <vector>

#include "s3gd/matrix.hpp"

namespace s3gd::python {

namespace nb = nanobind;

// A two-dimensional C-ordered array, or the tuple (data, indices, indptr, columns) of a CSR matrix; float32 or float64,
// int32 or int64. Nothing is copied but an int32 indptr. The Matrix borrows: `rows` must outlive it.
Matrix matrix_of(nb::handle rows);

// A one-dimensional float64 array without gaps.
Array<double> vector_of(nb::handle values, const char* name);
// The same, or a list of numbers; a copy.
std::vector<double> numbers_of(nb::handle values, const char* name);
// A copy of a one-dimensional int64 array without gaps.
std::vector<Index> indices_of(nb::handle values, const char* name);

// New arrays that own what they are given.
nb::object array_from(std::vector<double> values);
nb::object array_from(std::vector<Index> values);
nb::object array_from(std::vector<double> values, std::vector<std::size_t> shape);

// Read-only arrays over what `owner` keeps alive.
template <class T>
nb::object array_over(const T* values, std::vector<std::size_t> shape, std::shared_ptr<const void> owner);

}  // namespace s3gd::python
