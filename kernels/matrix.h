// SPDX-License-Identifier: Apache-2.0
// A matrix view: data, rows, columns and strides. A view does not own its elements and is cheap to copy. A sub-view or
// a transpose is another view of the same elements.
//
// Logical indices are (row, column), or one index that counts along the rows: index = row * columns + column. The
// memory index of (row, column) is row * row_stride + column * column_stride elements from data().
//
// Without NDEBUG every access and every sub-view asserts that it lies inside, on the host and in kernels. With NDEBUG
// nothing is checked and only the address arithmetic remains.
#pragma once
#include <cassert>
#include <cstdint>
#include <type_traits>

#include "kernels/host_device.h"

namespace culprit {

template <class T>
class Matrix {
 public:
  constexpr Matrix() = default;

  // Strides count elements; they may be negative or 0. The memory index is computed with 64 bits, so row * row_stride
  // may exceed what an int holds.
  CULPRIT_HOST_DEVICE constexpr Matrix(T* data, int rows, int columns, int row_stride, int column_stride)
      : data_(data), rows_(rows), columns_(columns), row_stride_(row_stride), column_stride_(column_stride) {
    assert(rows >= 0 && columns >= 0);
  }

  // Dense and row-major.
  CULPRIT_HOST_DEVICE constexpr Matrix(T* data, int rows, int columns) : Matrix(data, rows, columns, columns, 1) {}

  // Converts Matrix<float> to Matrix<const float> only: a view with another element size would be wrong.
  template <class U>
  requires(!std::is_same_v<T, U> && std::is_convertible_v<U (*)[], T (*)[]>) CULPRIT_HOST_DEVICE
      constexpr Matrix(const Matrix<U>& other)  // NOLINT(google-explicit-constructor): as T* from U*
      : Matrix(other.data(), other.rows(), other.columns(), other.row_stride(), other.column_stride()) {}

  CULPRIT_HOST_DEVICE constexpr T* data() const { return data_; }
  CULPRIT_HOST_DEVICE constexpr int rows() const { return rows_; }
  CULPRIT_HOST_DEVICE constexpr int columns() const { return columns_; }
  CULPRIT_HOST_DEVICE constexpr int row_stride() const { return row_stride_; }
  CULPRIT_HOST_DEVICE constexpr int column_stride() const { return column_stride_; }
  CULPRIT_HOST_DEVICE constexpr std::int64_t size() const { return static_cast<std::int64_t>(rows_) * columns_; }

  CULPRIT_HOST_DEVICE constexpr bool Contains(int row, int column) const {
    return row >= 0 && row < rows_ && column >= 0 && column < columns_;
  }

  // In elements from data().
  CULPRIT_HOST_DEVICE constexpr std::int64_t MemoryIndex(int row, int column) const {
    return static_cast<std::int64_t>(row) * row_stride_ + static_cast<std::int64_t>(column) * column_stride_;
  }

  // A const view can have mutable elements, as a const pointer can. T decides.
  CULPRIT_HOST_DEVICE constexpr T& operator()(int row, int column) const {
    assert(Contains(row, column));
    return data_[MemoryIndex(row, column)];
  }

  // By logical index. It is an int, like the extents, because a 64-bit division by `columns` is a function call in a
  // kernel. Matrices with more elements than an int counts are indexed by (row, column).
  CULPRIT_HOST_DEVICE constexpr T& operator()(int index) const {
    assert(index >= 0 && index < size());
    return data_[MemoryIndex(index / columns_, index % columns_)];
  }

  // `rows` x `columns` elements from (row, column) on; they must exist.
  CULPRIT_HOST_DEVICE constexpr Matrix Sub(int row, int column, int rows, int columns) const {
    assert(row >= 0 && rows >= 0 && row <= rows_ && rows <= rows_ - row);
    assert(column >= 0 && columns >= 0 && column <= columns_ && columns <= columns_ - column);
    return Matrix(data_ + MemoryIndex(row, column), rows, columns, row_stride_, column_stride_);
  }

  // The same without the part beyond the last row or column, for a tile at the edge. A tile beyond the edge is empty.
  CULPRIT_HOST_DEVICE constexpr Matrix Clip(int row, int column, int rows, int columns) const {
    const int from_row = Least(row, rows_), from_column = Least(column, columns_);
    return Sub(from_row, from_column, Least(rows, rows_ - from_row), Least(columns, columns_ - from_column));
  }

  CULPRIT_HOST_DEVICE constexpr Matrix Transposed() const {
    return Matrix(data_, columns_, rows_, column_stride_, row_stride_);
  }

 private:
  CULPRIT_HOST_DEVICE static constexpr int Least(int a, int b) { return a < b ? a : b; }

  T* data_ = nullptr;
  int rows_ = 0, columns_ = 0;
  int row_stride_ = 0, column_stride_ = 0;
};

}  // namespace culprit
