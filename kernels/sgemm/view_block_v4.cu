// SPDX-License-Identifier: Apache-2.0
// V4: V3 without the two gaps that its author names, bank conflicts and edges.
// Idea     the tile of A keeps its logical (m, k) and gets other strides: transposed, each row 4 floats longer than it
//          need be. A warp then stores A into 32 banks. Lanes in z-order load fragments of 4 floats without conflicts
//          (lane_map.h). Views are clipped at the edges of A, B and C; what lies outside is fetched as 0, not stored.
// Expect   smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared equals its _ideal. Fetches stay 32 bits wide: no row of a
//          matrix of any size need be aligned to 16 bytes.
// Not yet  the text still fetches the next tiles after the multiplication.
#include <string>
#include <utility>
#include <vector>

#include "kernels/epilogue.cuh"
#include "kernels/launch.h"
#include "kernels/matrix.h"
#include "kernels/sgemm/lane_map.h"
#include "kernels/sgemm/view_factors.h"
#include "kernels/shared_access.h"

namespace {
using culprit::Matrix;

constexpr int kTileM = 128, kTileN = 128, kTileK = 8;
constexpr int kThreadM = 8, kThreadN = 8;  // results per thread
constexpr int kThreads = kTileM / kThreadM * (kTileN / kThreadN);
constexpr int kRounds = kTileM * kTileK / kThreads;
static_assert(kTileM == kTileN, "both tiles are fetched in the same number of rounds");
constexpr int kPitchA = kTileM + 4;  // a multiple of 4 floats, so that fragments are aligned to 16 bytes
constexpr int kFour = 4;

// (m, k)
CULPRIT_HOST_DEVICE constexpr Matrix<float> TileA(float* shared) { return {shared, kTileM, kTileK, 1, kPitchA}; }
// (k, n)
CULPRIT_HOST_DEVICE constexpr Matrix<float> TileB(float* shared) { return {shared, kTileK, kTileN}; }

// (k, m / 4) and (k, n / 4)
CULPRIT_HOST_DEVICE constexpr Matrix<const float4> FoursOfA(const float4* shared) {
  return {shared, kTileK, kTileM / kFour, kPitchA / kFour, 1};
}
CULPRIT_HOST_DEVICE constexpr Matrix<const float4> FoursOfB(const float4* shared) {
  return {shared, kTileK, kTileN / kFour};
}

// The block moves kThreads neighbours of a tile per round, so a thread stays in its column and moves by whole rows.
template <int kColumns>
struct Moved {
  static constexpr int kRowsDown = kThreads / kColumns;
  CULPRIT_HOST_DEVICE static constexpr int Row(int thread) { return thread / kColumns; }
  CULPRIT_HOST_DEVICE static constexpr int Column(int thread) { return thread % kColumns; }
};

template <int kColumns>
__device__ __forceinline__ void MoveTile(const Matrix<const float>& from, const Matrix<float>& to, int thread) {
  using Own = Moved<kColumns>;
  const int row = Own::Row(thread), column = Own::Column(thread);
  Matrix<const float> rest = from.Clip(row, column, from.rows(), 1);
#pragma unroll
  for (int i = 0; i < kRounds; ++i) {
    to(row + i * Own::kRowsDown, column) = rest.Contains(0, 0) ? rest(0, 0) : 0.0f;
    rest = rest.Clip(Own::kRowsDown, 0, rest.rows(), 1);
  }
}
}  // namespace

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) view_block_v4(culprit::GemmProblem p) {
  __shared__ __align__(16) float a_shared[2][kTileK * kPitchA], b_shared[2][kTileK * kTileN];
  const Matrix<const float> a(p.a, p.shape.m, p.shape.k), b(p.b, p.shape.k, p.shape.n);
  const int thread = threadIdx.x;
  const int row0 = blockIdx.y * kTileM, column0 = blockIdx.x * kTileN;
  const int row = culprit::ZOrderRow(thread) * kThreadM, column = culprit::ZOrderColumn(thread) * kThreadN;
  float sum[kThreadM][kThreadN] = {};

  const auto move = [&](int k0, int buffer) {
    MoveTile<kTileK>(a.Clip(row0, k0, kTileM, kTileK), TileA(a_shared[buffer]), thread);
    MoveTile<kTileN>(b.Clip(k0, column0, kTileK, kTileN), TileB(b_shared[buffer]), thread);
  };
  const auto multiply = [&](int buffer) {
    const Matrix<const float4> a_fours = FoursOfA(reinterpret_cast<const float4*>(a_shared[buffer]));
    const Matrix<const float4> b_fours = FoursOfB(reinterpret_cast<const float4*>(b_shared[buffer]));
#pragma unroll
    for (int i = 0; i < kTileK; ++i) {
      const float4 a0 = a_fours(i, row / kFour), a1 = a_fours(i, row / kFour + 1);
      const float4 b0 = b_fours(i, column / kFour), b1 = b_fours(i, column / kFour + 1);
      const float a_fragment[kThreadM] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
      const float b_fragment[kThreadN] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
#pragma unroll
      for (int r = 0; r < kThreadM; ++r) {
#pragma unroll
        for (int c = 0; c < kThreadN; ++c) sum[r][c] += a_fragment[r] * b_fragment[c];
      }
    }
  };

  if (p.shape.k > 0) {
    int read = 0;
    move(0, read);
    __syncthreads();
    for (int k0 = kTileK; k0 < p.shape.k; k0 += kTileK) {
      multiply(read);
      move(k0, 1 - read);
      __syncthreads();  // what was written is read next; what was read is overwritten next
      read = 1 - read;
    }
    multiply(read);
  }

  const Matrix<float> c = Matrix<float>(p.c, p.shape.m, p.shape.n)
                              .Clip(row0, column0, kTileM, kTileN)
                              .Clip(row, column, kThreadM, kThreadN);
#pragma unroll
  for (int i = 0; i < kThreadM; ++i) {
#pragma unroll
    for (int j = 0; j < kThreadN; ++j) {
      if (c.Contains(i, j)) culprit::StoreElement(&c(i, j), p.alpha, sum[i][j], p.beta);
    }
  }
}

namespace culprit {
namespace {
LaunchConfig Config(const GemmShape& s) { return {dim3(Tiles(s.n, kTileN), Tiles(s.m, kTileM)), dim3(kThreads), 0}; }
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("view_block_v4", ::view_block_v4, Config(p.shape), p, stream);
}

template <int kColumns>
SharedAccess Store(std::string name, const SharedArray& array, const Matrix<float>& tile) {
  return WarpAccess(std::move(name), array, SharedOp::kStore, 1, [&](int thread) {
    return tile.MemoryIndex(Moved<kColumns>::Row(thread), Moved<kColumns>::Column(thread));
  });
}

SharedAccess Load(std::string name, const SharedArray& array, const Matrix<const float4>& fours, int (*piece)(int)) {
  return WarpAccess(std::move(name), array, SharedOp::kLoad, kFour,
                    [&](int thread) { return kFour * fours.MemoryIndex(0, piece(thread) * kThreadM / kFour); });
}

std::vector<SharedAccess> Accesses() {
  const SharedArray a{"A", kPitchA}, b{"B", kTileN};
  return {Store<kTileK>("store A", a, TileA(nullptr)), Store<kTileN>("store B", b, TileB(nullptr)),
          Load("load A", a, FoursOfA(nullptr), ZOrderRow), Load("load B", b, FoursOfB(nullptr), ZOrderColumn)};
}
}  // namespace

Stage ViewBlockV4Stage() {
  return {
      .id = "view_block_v4",
      .family = "view",
      .parent = "view_block_v3",
      .idea = "padded, transposed tile of A and lanes in z-order against bank conflicts; clipped views at the edges",
      .factors = ViewFactors({.block_tile = "128x128",
                              .k_tile = "8",
                              .thread_tile = "8x8",
                              .thread_block = "1-dimensional",
                              .buffers = "2",
                              .move = "256 neighbouring floats a round",
                              .load_width = "128 bit from shared memory",
                              .a_layout = "transposed, rows padded by 4 floats",
                              .lane_map = "z-order",
                              .unroll = "pragma",
                              .launch_bounds = "256 threads",
                              .bounds_checks = "yes"}),
      .source_file = "kernels/sgemm/view_block_v4.cu",
      .source_line = kKernelLine,
      .kernel = reinterpret_cast<const void*>(::view_block_v4),
      .config = Config,
      .shared_accesses = Accesses(),
      .launch = Launch};
}
}  // namespace culprit
