// SPDX-License-Identifier: Apache-2.0
// A failed assertion costs a process its CUDA context, so each kernel runs in a process of its own.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "tests/gpu/matrix_bounds_kernel.h"

namespace culprit {
namespace {

// Ends with the kernel's status and says on stderr what it read.
[[noreturn]] void EndAfter(MatrixTouch touch) {
  float read = -1;
  const cudaError_t status = TouchMatrix(touch, &read);
  std::fprintf(stderr, "read %g\n", read);
  std::_Exit(status == cudaSuccess ? 0 : status == cudaErrorAssert ? 1 : 2);
}

class MatrixOnGpu : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }  // CUDA does not survive a fork
};

TEST_F(MatrixOnGpu, ReadsWhatIsInside) {
  EXPECT_EXIT(EndAfter(MatrixTouch::kLastElement), ::testing::ExitedWithCode(0), "read 14");
}

TEST_F(MatrixOnGpu, AssertsThatAnAccessLiesInside) {
  for (const MatrixTouch touch : {MatrixTouch::kRowBehind, MatrixTouch::kColumnBehind, MatrixTouch::kRowBefore})
    EXPECT_EXIT(EndAfter(touch), ::testing::ExitedWithCode(1), "Contains.row, column.* failed");
  EXPECT_EXIT(EndAfter(MatrixTouch::kIndexBehind), ::testing::ExitedWithCode(1), "index < size.* failed");
}

TEST_F(MatrixOnGpu, AssertsThatASubViewLiesInside) {
  EXPECT_EXIT(EndAfter(MatrixTouch::kSubBehind), ::testing::ExitedWithCode(1), "columns <= columns_ - column.* failed");
}

}  // namespace
}  // namespace culprit
