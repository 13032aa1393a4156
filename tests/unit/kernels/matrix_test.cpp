// SPDX-License-Identifier: Apache-2.0
// Built with assertions, whatever the build type: what the view promises, and that it stops where it promises.
#include "kernels/matrix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <numeric>
#include <type_traits>
#include <vector>

#ifdef NDEBUG
#error "this test is about the assertions: build it without NDEBUG"
#endif

namespace culprit {
namespace {

using ::testing::ElementsAre;

// Elements that name their own memory index.
std::vector<int> Numbers(int count) {
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

std::vector<int> Elements(const Matrix<const int>& view) {
  std::vector<int> elements;
  for (int row = 0; row < view.rows(); ++row) {
    for (int column = 0; column < view.columns(); ++column) elements.push_back(view(row, column));
  }
  return elements;
}

struct Window {
  int row, column, rows, columns;
};

int Between(int low, int high) { return *rc::gen::inRange(low, high + 1); }

// Any part of a matrix of that size, empty ones among them.
Window AnyWindow(int rows, int columns) {
  const int row = Between(0, rows), column = Between(0, columns);
  return {row, column, Between(0, rows - row), Between(0, columns - column)};
}

// The figure in the description of the view: 4 x 3 elements of a 4 x 6 array, whose (1, 1) is element 7 from its start.
TEST(Matrix, FindsAnElementOfASubViewWhereTheFigurePutsIt) {
  std::vector<int> memory = Numbers(24);
  const Matrix<int> part = Matrix<int>(memory.data(), 4, 6).Sub(0, 2, 4, 3);
  EXPECT_EQ(part.data(), &memory[2]);
  EXPECT_EQ(part.row_stride(), 6);
  EXPECT_EQ(part.column_stride(), 1);
  EXPECT_EQ(part.MemoryIndex(1, 1), 7);
  EXPECT_EQ(part(1, 1), 9);
  part(1, 1) = -1;
  EXPECT_EQ(memory[9], -1);
}

TEST(Matrix, CountsOneLogicalIndexAlongTheRows) {
  std::vector<int> memory = Numbers(24);
  const Matrix<int> part = Matrix<int>(memory.data(), 4, 6).Sub(1, 2, 2, 3);
  std::vector<int> by_index;
  for (int i = 0; i < part.size(); ++i) by_index.push_back(part(i));
  EXPECT_THAT(by_index, ElementsAre(8, 9, 10, 14, 15, 16));
  EXPECT_EQ(part.Transposed()(1), 14);  // along the rows of the transpose
}

RC_GTEST_PROP(Matrix, HasTheSameElementsByOneIndexAsByTwo, ()) {
  const int rows = Between(1, 9), columns = Between(1, 9), spare = Between(0, 3);
  const std::vector<int> memory = Numbers(rows * (columns + spare));
  Matrix<const int> view(memory.data(), rows, columns, columns + spare, 1);
  if (*rc::gen::arbitrary<bool>()) view = view.Transposed();
  std::vector<int> by_index;
  for (int i = 0; i < view.size(); ++i) by_index.push_back(view(i));
  RC_ASSERT(by_index == Elements(view));
}

RC_GTEST_PROP(Matrix, TakesASubViewOfASubViewAsOneSubView, ()) {
  const int rows = Between(1, 12), columns = Between(1, 12);
  const std::vector<int> memory = Numbers(rows * columns);
  const Matrix<const int> whole(memory.data(), rows, columns);
  const Window outer = AnyWindow(rows, columns), inner = AnyWindow(outer.rows, outer.columns);
  const Matrix<const int> twice = whole.Sub(outer.row, outer.column, outer.rows, outer.columns)
                                      .Sub(inner.row, inner.column, inner.rows, inner.columns);
  RC_ASSERT(Elements(twice) ==
            Elements(whole.Sub(outer.row + inner.row, outer.column + inner.column, inner.rows, inner.columns)));
  RC_ASSERT(twice.size() == std::int64_t{inner.rows} * inner.columns);
}

RC_GTEST_PROP(Matrix, TransposesByExchangingStrides, ()) {
  const int rows = Between(1, 9), columns = Between(1, 9);
  const std::vector<int> memory = Numbers(rows * columns);
  const Matrix<const int> view(memory.data(), rows, columns), transposed = view.Transposed();
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) RC_ASSERT(&transposed(column, row) == &view(row, column));
  }
  RC_ASSERT(Elements(transposed.Transposed()) == Elements(view));
  const Window part = AnyWindow(rows, columns);
  RC_ASSERT(Elements(view.Sub(part.row, part.column, part.rows, part.columns).Transposed()) ==
            Elements(transposed.Sub(part.column, part.row, part.columns, part.rows)));
}

RC_GTEST_PROP(Matrix, ClipsToWhatIsThere, ()) {
  const int rows = Between(0, 9), columns = Between(0, 9);
  const std::vector<int> memory = Numbers(rows * columns);
  const Matrix<const int> view(memory.data(), rows, columns);
  const int row = Between(0, 12), column = Between(0, 12), height = Between(0, 12), width = Between(0, 12);
  const Matrix<const int> clipped = view.Clip(row, column, height, width);
  std::vector<int> expected;
  for (int i = row; i < row + height; ++i) {
    for (int j = column; j < column + width; ++j) {
      if (view.Contains(i, j)) expected.push_back(i * columns + j);
      RC_ASSERT(view.Contains(i, j) == clipped.Contains(i - row, j - column));
    }
  }
  RC_ASSERT(Elements(clipped) == expected);
}

TEST(Matrix, ComputesMemoryIndicesBeyondAnInt) {
  const Matrix<const float> large(nullptr, 100'000, 100'000);
  EXPECT_EQ(large.MemoryIndex(99'999, 99'999), 9'999'999'999);
  EXPECT_EQ(large.size(), 10'000'000'000);
  EXPECT_EQ(large.Transposed().MemoryIndex(99'999, 99'998), 9'999'899'999);
}

TEST(Matrix, WalksBackwardsAndStandsStill) {
  std::vector<int> memory = Numbers(6);
  EXPECT_THAT(Elements(Matrix<int>(&memory[5], 2, 3, -3, -1)), ElementsAre(5, 4, 3, 2, 1, 0));
  EXPECT_THAT(Elements(Matrix<int>(memory.data(), 2, 3, 0, 1)), ElementsAre(0, 1, 2, 0, 1, 2));
}

TEST(Matrix, IsEmptyUntilItViewsSomething) {
  const Matrix<float> nothing;
  EXPECT_EQ(nothing.data(), nullptr);
  EXPECT_EQ(nothing.size(), 0);
  EXPECT_FALSE(nothing.Contains(0, 0));
}

TEST(Matrix, BecomesReadOnlyAndNothingElse) {
  std::vector<int> memory = Numbers(6);
  const Matrix<int> view = Matrix<int>(memory.data(), 3, 2).Transposed();
  const Matrix<const int> read_only = view;
  EXPECT_EQ(Elements(read_only), Elements(view));
  EXPECT_EQ(read_only.data(), memory.data());

  static_assert(std::is_convertible_v<Matrix<float>, Matrix<const float>>);
  static_assert(std::is_convertible_v<Matrix<float>, Matrix<volatile float>>);
  static_assert(!std::is_constructible_v<Matrix<float>, Matrix<const float>>);
  static_assert(!std::is_constructible_v<Matrix<double>, Matrix<float>>);
  struct Base {};
  struct Derived : Base {
    int more;
  };
  static_assert(!std::is_constructible_v<Matrix<Base>, Matrix<Derived>>);  // as pointers they would convert
  static_assert(std::is_same_v<decltype(read_only(0, 0)), const int&>);
  static_assert(std::is_same_v<decltype(view(0, 0)), int&>);   // a const view of elements that are not
  static_assert(std::is_trivially_copyable_v<Matrix<float>>);  // so it may be a kernel's argument
}

TEST(Matrix, IsUsableByTheCompiler) {
  constexpr int kMemory[] = {0, 1, 2, 3, 4, 5};
  constexpr int kElement = Matrix<const int>(kMemory, 2, 3).Sub(0, 1, 2, 2).Transposed()(1, 1);
  static_assert(kElement == 5);
}

using MatrixDeathTest = ::testing::Test;

TEST(MatrixDeathTest, StopsAtEveryAccessOutside) {
  std::vector<int> memory = Numbers(24);
  const Matrix<int> part = Matrix<int>(memory.data(), 4, 6).Sub(1, 1, 2, 3);  // all within the memory
  EXPECT_DEATH(part(2, 0), "Contains");
  EXPECT_DEATH(part(0, 3), "Contains");
  EXPECT_DEATH(part(-1, 0), "Contains");
  EXPECT_DEATH(part(0, -1), "Contains");
  EXPECT_DEATH(part(6), "index");
  EXPECT_DEATH(part(-1), "index");
  EXPECT_DEATH(Matrix<int>()(0, 0), "Contains");
}

TEST(MatrixDeathTest, StopsAtSubViewsThatReachOutside) {
  std::vector<int> memory = Numbers(24);
  const Matrix<int> view(memory.data(), 4, 6);
  EXPECT_DEATH(view.Sub(2, 0, 3, 1), "rows");
  EXPECT_DEATH(view.Sub(0, 5, 1, 2), "columns");
  EXPECT_DEATH(view.Sub(-1, 0, 1, 1), "row");
  EXPECT_DEATH(view.Sub(0, 0, 1, -1), "columns");
  EXPECT_DEATH(view.Clip(-1, 0, 1, 1), "row");
  EXPECT_DEATH(Matrix<int>(memory.data(), -1, 1), "rows");
}

}  // namespace
}  // namespace culprit
