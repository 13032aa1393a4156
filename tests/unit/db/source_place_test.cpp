// SPDX-License-Identifier: Apache-2.0
#include "db/source_place.h"

#include <gtest/gtest.h>

namespace culprit {
namespace {

TEST(SourcePlace, KnowsTheToolkitByItsFolder) {
  EXPECT_TRUE(IsToolkitHeader("/usr/local/cuda/include/cuda_fp16.hpp"));
  EXPECT_TRUE(IsToolkitHeader("/usr/local/cuda-13.0/bin/../targets/x86_64-linux/include/crt/mma.hpp"));
  EXPECT_TRUE(IsToolkitHeader("/opt/cuda-12.8/include/cub/block/block_reduce.cuh"));
  EXPECT_TRUE(IsToolkitHeader("/home/me/env/lib/python3/site-packages/nvidia/cuda_runtime/include/cuda_fp16.hpp"));
  EXPECT_TRUE(IsToolkitHeader("/usr/include/c++/12/bits/stl_algo.h"));
}

TEST(SourcePlace, KnowsTheToolkitByTheNameThatACompilerLeftOfIt) {
  for (const char* file : {"device_atomic_functions.hpp", "sm_32_intrinsics.hpp", "sm_20_atomic_functions.hpp",
                           "mma.hpp", "cuda_fp16.hpp", "cooperative_groups.h"})
    EXPECT_TRUE(IsToolkitHeader(file)) << file;
}

TEST(SourcePlace, LeavesTheReadersOwnFilesTheirs) {
  for (const char* file : {"kernels/sgemm/naive.cu", "include/mma.hpp", "/home/me/cuda-gemm/include/tile.h",
                           "/home/me/cuda/include/tile.h", "src/cuda_fp16.hpp", "sm_count.h", "sm_90.cu", "mma.cu", ""})
    EXPECT_FALSE(IsToolkitHeader(file)) << file;
}

}  // namespace
}  // namespace culprit
