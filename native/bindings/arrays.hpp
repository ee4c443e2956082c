// The arrays that cross into and out of Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace nb = nanobind;

// What comes in: C order, read-only, on the CPU, never converted.
template <class T, int Dimensions = 1>
using View = nb::ndarray<const T, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = View<T, 2>;
using Rows = View<std::uint32_t>;

// What goes out: NumPy arrays that own their memory.
template <class T>
using Vector = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>;
template <class T>
using Table = nb::ndarray<nb::numpy, T, nb::ndim<2>, nb::c_contig>;

template <class T>
using Owned = std::unique_ptr<T[]>;

template <class T>
Owned<T> allocate(std::size_t n) {
  return std::make_unique_for_overwrite<T[]>(n);
}

template <class T>
nb::capsule owner_of(Owned<T>& data) {
  nb::capsule owner(data.get(), [](void* p) noexcept { delete[] static_cast<T*>(p); });
  data.release();
  return owner;
}

template <class T>
Vector<T> give(Owned<T> data, std::size_t n) {
  T* first = data.get();
  return Vector<T>(first, {n}, owner_of(data));
}

template <class T>
Vector<T> give(const std::vector<T>& items) {
  auto out = allocate<T>(items.size());
  std::copy(items.begin(), items.end(), out.get());
  return give(std::move(out), items.size());
}

template <class T>
Table<T> give(Owned<T> data, std::size_t rows, std::size_t columns) {
  T* first = data.get();
  return Table<T>(first, {rows, columns}, owner_of(data));
}

template <class T>
std::span<const T> span_of(const View<T>& view) {
  return {view.data(), view.shape(0)};
}
