// SPDX-License-Identifier: Apache-2.0
// V1: V0 with 8x8 results per thread, the step that made the study's author ask why it got slower. Written as V0 is,
// not from the study's template; without bounds checks, as its neighbours V0 and V1.6, so that the split of the work is
// the one factor in which it differs from V1.6.
// Idea     a thread fetches what lies in its own row or column of threads, as in V0: those with x < 8 a column of A's
//          tile, those with y < 8 a row of B's, 8 single floats each.
// Expect   shared loads fall to 1/20 of V0's; `sum` lies in local memory, as in V1.6 (nvcc 13.0: a 256-byte stack frame
//          on sm_80 to sm_120), which cost the author more than the loads had. Not so on an H100: 10.3 ms at 4096
//          against V0's 16.8. Half of each warp's lanes idle while A is fetched.
// Not yet  outer products (v1_7).
#include <cstdint>

#include "kernels/epilogue.cuh"
#include "kernels/host_device.h"
#include "kernels/launch.h"
#include "kernels/sgemm/v_study_stage.h"
#include "kernels/shared_access.h"

namespace {
constexpr int kBlock = 16;  // threads in x and in y
constexpr int kEach = 8;    // results per thread in m and in n
constexpr int kTile = kBlock * kEach, kTileK = 8;
static_assert(kTileK <= kBlock, "one column of threads fetches one column of A's tile");

// The i-th float that a thread fetches: its row of A's tile, its column of B's.
CULPRIT_HOST_DEVICE constexpr int RowOfA(int y, int i) { return i * kBlock + y; }
CULPRIT_HOST_DEVICE constexpr int ColumnOfB(int x, int i) { return i * kBlock + x; }
}  // namespace

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void v1(culprit::GemmProblem p) {
  __shared__ float a_tile[kTile][kTileK];  // (m, k)
  __shared__ float b_tile[kTileK][kTile];  // (k, n)
  const int n = p.shape.n, k = p.shape.k;
  const int x = threadIdx.x, y = threadIdx.y;
  const std::int64_t row0 = static_cast<std::int64_t>(blockIdx.y) * kTile;
  const std::int64_t column0 = static_cast<std::int64_t>(blockIdx.x) * kTile;
  float sum[kEach][kEach] = {};
  for (int k0 = 0; k0 < k; k0 += kTileK) {
    if (x < kTileK) {
      for (int i = 0; i < kEach; ++i) a_tile[RowOfA(y, i)][x] = p.a[(row0 + RowOfA(y, i)) * k + k0 + x];
    }
    if (y < kTileK) {
      for (int i = 0; i < kEach; ++i) {
        b_tile[y][ColumnOfB(x, i)] = p.b[static_cast<std::int64_t>(k0 + y) * n + column0 + ColumnOfB(x, i)];
      }
    }
    __syncthreads();
    for (int r = 0; r < kEach; ++r) {
      for (int c = 0; c < kEach; ++c) {
        for (int i = 0; i < kTileK; ++i) sum[r][c] += a_tile[y * kEach + r][i] * b_tile[i][x * kEach + c];
      }
    }
    __syncthreads();  // the next iteration overwrites both tiles
  }
  for (int r = 0; r < kEach; ++r) {
    for (int c = 0; c < kEach; ++c) {
      const std::int64_t at = (row0 + y * kEach + r) * n + column0 + x * kEach + c;
      culprit::StoreElement(&p.c[at], p.alpha, sum[r][c], p.beta);
    }
  }
}

namespace culprit {
namespace {
LaunchConfig Config(const GemmShape& s) {
  return {dim3(Tiles(s.n, kTile), Tiles(s.m, kTile)), dim3(kBlock, kBlock), 0};
}
void Launch(const GemmProblem& p, cudaStream_t stream) { EnqueueKernel("v1", ::v1, Config(p.shape), p, stream); }

// Loads are the compiler's to merge.
std::vector<SharedAccess> Stores() {
  return {WarpAccess("store A", {"A", kTileK}, SharedOp::kStore, 1,
                     [](int thread) {
                       const int x = thread % kBlock;
                       return x < kTileK ? RowOfA(thread / kBlock, 0) * kTileK + x : static_cast<int>(kInactiveLane);
                     }),
          WarpAccess("store B", {"B", kTile}, SharedOp::kStore, 1,
                     [](int thread) { return thread / kBlock * kTile + ColumnOfB(thread % kBlock, 0); })};
}
}  // namespace

Stage V1Stage() {
  return {.id = "v1",
          .family = "v_study",
          .parent = "v1_6",
          .idea = "8x8 results per thread, each row and column of threads fetching a part of its own",
          .factors = VStudyFactors(
              {.move = "single float", .nest = "m->n->k", .task_split = "tiling, 8x8 per thread, 16x16 block, K=8"}),
          .constraint = {kTile, kTile, kTileK},
          .source_file = "kernels/sgemm/v1.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::v1),
          .config = Config,
          .shared_accesses = Stores(),
          .launch = Launch};
}
}  // namespace culprit
