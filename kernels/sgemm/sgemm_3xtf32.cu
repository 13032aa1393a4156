// SPDX-License-Identifier: Apache-2.0
// Single precision from tensor cores that multiply TF32: each operand is the sum of two TF32 numbers.
// Idea     x = big + small: big is x rounded to its 11 leading bits, small is the rest. big * big + big * small +
//          small * big then misses 2^-22 of the product; rounding to single precision alone loses 2^-24. Three
//          products on tensor cores are still faster than one on the FMA pipe. Tensor cores truncate their sums
//          instead of rounding them: over 4096 terms that gives 25 times the error of FFMA (measured on an H200).
//          So every 32 k start from 0, and their sum is added in single precision, rounded to nearest.
// Expect   sm__inst_executed_pipe_tensor, hardly any FFMA; an error against float64 below cublas_sgemm's.
// Not yet  mma.sync reaches about half of wgmma's rate, but wgmma needs B's tile with k contiguous, so
//          transposed.
// A thread's four k of a row of A are neighbours, loaded at once: an mma may take k in any order that is the same for A
// and B. B's rows are swizzled by fours, so that lanes with different k use different banks.
#include "kernels/sgemm/multistage_gemm.cuh"
#include "kernels/sgemm/tf32_split.cuh"

namespace culprit {
namespace {

constexpr int kTileM = 128, kTileN = 64, kTileK = 32, kBuffers = 3;
constexpr int kWarpM = 64, kWarpN = 32, kWarpsM = kTileM / kWarpM, kThreads = 32 * kWarpsM * (kTileN / kWarpN);
constexpr int kMmaM = 16, kPiecesM = kWarpM / kMmaM, kPiecesN = 4;  // mma tiles of 16x8 a warp
constexpr int kDepth = 16;                                          // k covered by a lane's float4 of A: 4 lanes x 4
// Two rows apart by 48 floats fill the 32 banks with the 64 bytes of four lanes each.
constexpr int kARow = kTileK + 16, kAFloats = kTileM * kARow, kFloats = kAFloats + kTileK * kTileN;
constexpr int kSharedBytes = 4 * kBuffers * kFloats;
static_assert(kWarpN == 8 * kPiecesN, "a lane's float4 of B serve four mma tiles");

__device__ __forceinline__ int BAt(int k, int column) {
  return k * kTileN + ((column / 4 ^ 2 * (k / 4 % 4)) * 4 + column % 4);
}

// Copies kWide floats (4 or 1) at a time from rows of `length` floats; `rows` and `columns` are the limits.
template <int kWide, int kRows, int kColumns, class At>
__device__ __forceinline__ void CopyTile(std::uint32_t to, const float* from, std::int64_t length, int rows,
                                         int columns, At at) {
  constexpr int kPerRow = kColumns / kWide, kRounds = kRows * kPerRow / kThreads, kRowsAtOnce = kThreads / kPerRow;
  static_assert(kRowsAtOnce >= 1 && kRounds * kRowsAtOnce == kRows, "each thread copies the same number of pieces");
  const int row = threadIdx.x / kPerRow, column = threadIdx.x % kPerRow * kWide;
#pragma unroll
  for (int i = 0; i < kRounds; ++i) {
    const int r = row + i * kRowsAtOnce;
    const bool inside = r < rows && column < columns;
    CopyAsync<4 * kWide>(to + 4 * at(r, column), inside ? from + r * length + column : from, inside);
  }
}

__device__ __forceinline__ bool FourAtOnce(const void* pointer, int length) {
  return (length & 3) == 0 && (reinterpret_cast<std::uintptr_t>(pointer) & 15) == 0;
}

__device__ __forceinline__ void CopyTiles(const GemmProblem& p, std::uint32_t to, int row, int column, int k,
                                          bool wide_a, bool wide_b) {
  const float* const a = p.a + static_cast<std::int64_t>(row) * p.shape.k + k;
  const float* const b = p.b + static_cast<std::int64_t>(k) * p.shape.n + column;
  const int m = p.shape.m - row, n = p.shape.n - column, depth = p.shape.k - k;
  const auto a_at = [](int r, int c) { return r * kARow + c; };
  if (wide_a) {
    CopyTile<4, kTileM, kTileK>(to, a, p.shape.k, m, depth, a_at);
  } else {
    CopyTile<1, kTileM, kTileK>(to, a, p.shape.k, m, depth, a_at);
  }
  if (wide_b) {
    CopyTile<4, kTileK, kTileN>(to + 4 * kAFloats, b, p.shape.n, depth, n, BAt);
  } else {
    CopyTile<1, kTileK, kTileN>(to + 4 * kAFloats, b, p.shape.n, depth, n, BAt);
  }
}

__device__ __forceinline__ void Mma(float (&sum)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2]) {
#if __CUDA_ARCH__ >= 800
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

// Adds 16 k. `a` and `b` point to this lane's first element of A's tile and to B's whole tile.
__device__ __forceinline__ void MultiplyDepth(const float* a, const float* b, int k, int column, int lane,
                                              float (&sum)[kPiecesM][kPiecesN][4]) {
  float a_four[kPiecesM][2][4];
#pragma unroll
  for (int i = 0; i < kPiecesM; ++i) {
#pragma unroll
    for (int half = 0; half < 2; ++half)
      *reinterpret_cast<float4*>(a_four[i][half]) =
          *reinterpret_cast<const float4*>(a + (i * kMmaM + half * 8) * kARow + k);
  }
#pragma unroll
  for (int step = 0; step < 2; ++step) {  // of 8 k; this lane has two of its four in each
    std::uint32_t a_big[kPiecesM][4], a_small[kPiecesM][4], b_big[kPiecesN][2], b_small[kPiecesN][2];
#pragma unroll
    for (int i = 0; i < kPiecesM; ++i) {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        const Split split = SplitInTwo(a_four[i][e % 2][2 * step + e / 2]);
        a_big[i][e] = split.big, a_small[i][e] = split.small;
      }
    }
#pragma unroll
    for (int e = 0; e < 2; ++e) {
      float b_four[kPiecesN];
      *reinterpret_cast<float4*>(b_four) =
          *reinterpret_cast<const float4*>(b + BAt(k + lane % 4 * 4 + 2 * step + e, column + lane / 4 * 4));
#pragma unroll
      for (int j = 0; j < kPiecesN; ++j) {
        const Split split = SplitInTwo(b_four[j]);
        b_big[j][e] = split.big, b_small[j][e] = split.small;
      }
    }
    // Small products first; neighbouring mma add to different sums, so none waits for the previous one.
#pragma unroll
    for (int part = 0; part < 3; ++part) {
#pragma unroll
      for (int j = 0; j < kPiecesN; ++j) {
#pragma unroll
        for (int i = 0; i < kPiecesM; ++i)
          Mma(sum[i][j], part == 0 ? a_small[i] : a_big[i], part == 1 ? b_small[j] : b_big[j]);
      }
    }
  }
}

LaunchConfig Config(const GemmShape& s) {
  return {dim3(Tiles(s.n, kTileN), Tiles(s.m, kTileM)), dim3(kThreads), kSharedBytes};
}

}  // namespace
}  // namespace culprit

constexpr int kKernelLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(culprit::kThreads, 2) sgemm_3xtf32(culprit::GemmProblem p) {
#if __CUDA_ARCH__ >= 800
  using namespace culprit;
  float* const shared = multistage_shared;
  const auto to = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = blockIdx.y * kTileM, column = blockIdx.x * kTileN;
  const int warp_row = warp % kWarpsM * kWarpM, warp_column = warp / kWarpsM * kWarpN;
  const bool wide_a = FourAtOnce(p.a, p.shape.k), wide_b = FourAtOnce(p.b, p.shape.n);
  const int tiles = (p.shape.k + kTileK - 1) / kTileK;
#pragma unroll
  for (int i = 0; i < kBuffers - 1; ++i) {
    if (i < tiles) CopyTiles(p, to + 4 * kFloats * i, row, column, i * kTileK, wide_a, wide_b);
    CommitCopies();
  }
  float sum[kPiecesM][kPiecesN][4] = {};
  int reading = 0, writing = kBuffers - 1;
#pragma unroll 1
  for (int tile = 0; tile < tiles; ++tile) {
    WaitForCopies<kBuffers - 2>();
    __syncthreads();  // this tile has arrived, and all threads have read the previous one
    const int ahead = tile + kBuffers - 1;
    if (ahead < tiles) CopyTiles(p, to + 4 * kFloats * writing, row, column, ahead * kTileK, wide_a, wide_b);
    CommitCopies();
    const float* const a = shared + reading * kFloats + (warp_row + lane / 4) * kARow + lane % 4 * 4;
    const float* const b = shared + reading * kFloats + kAFloats;
    float part[kPiecesM][kPiecesN][4] = {};
#pragma unroll
    for (int k = 0; k < kTileK; k += kDepth) MultiplyDepth(a, b, k, warp_column, lane, part);
#pragma unroll
    for (int i = 0; i < kPiecesM; ++i) {
#pragma unroll
      for (int j = 0; j < kPiecesN; ++j) {
#pragma unroll
        for (int e = 0; e < 4; ++e) sum[i][j][e] += part[i][j][e];
      }
    }
    writing = writing + 1 == kBuffers ? 0 : writing + 1;
    reading = reading + 1 == kBuffers ? 0 : reading + 1;
  }
  WaitForCopies<0>();
  // Element e of mma tile j is column 4 * (2 * (lane % 4) + e % 2) + j, in row 8 * (e / 2) + lane / 4 of its 16: so a
  // lane's results are fours.
  const int first_row = row + warp_row + lane / 4, first_column = column + warp_column + lane % 4 * 8;
  bool not_finite = false;
#pragma unroll
  for (int i = 0; i < kPiecesM; ++i) {
#pragma unroll
    for (int j = 0; j < kPiecesN; ++j) not_finite |= AnyNotFinite(sum[i][j]);
  }
  if (not_finite) {
#pragma unroll 1
    for (int i = 0; i < 4 * kPiecesM * kPiecesN; ++i) {
      const int r = first_row + i / 8 * 8, c = first_column + i % 8;
      if (r < p.shape.m && c < p.shape.n)
        StoreElement(p.c + static_cast<std::int64_t>(r) * p.shape.n + c, p.alpha, DotByFma(p, r, c), p.beta);
    }
    return;
  }
  const bool wide_c = FourAtOnce(p.c, p.shape.n);
#pragma unroll
  for (int i = 0; i < kPiecesM; ++i) {
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      const int r = first_row + i * kMmaM + e / 2 * 8, c = first_column + e % 2 * 4;
      if (r >= p.shape.m || c >= p.shape.n) continue;
      float four[kPiecesN];
#pragma unroll
      for (int j = 0; j < kPiecesN; ++j) four[j] = sum[i][j][e];
      float* const out = p.c + static_cast<std::int64_t>(r) * p.shape.n + c;
      if (wide_c) {
        StoreFour(out, p.alpha, four, p.beta);
      } else {
#pragma unroll
        for (int j = 0; j < kPiecesN; ++j)
          if (c + j < p.shape.n) StoreElement(&out[j], p.alpha, four[j], p.beta);
      }
    }
  }
#endif
}

namespace culprit {
namespace {
void Launch(const GemmProblem& p, cudaStream_t stream) {
  EnqueueKernel("sgemm_3xtf32", ::sgemm_3xtf32, Config(p.shape), p, stream);
}
}  // namespace

Stage Sgemm3xtf32Stage() {
  return {.id = "sgemm_3xtf32",
          .family = "tf32",
          .parent = "",
          .idea = "single precision from tensor cores: each operand is the sum of two TF32 numbers",
          .factors = {{"input", "fp32 as 2 x tf32"},
                      {"instruction", "mma.sync m16n8k8"},
                      {"products", "3"},
                      {"block tile", "128x64x32"},
                      {"warp tile", "64x32"},
                      {"shared buffers", "3, one barrier a tile"},
                      {"gmem->smem", "cp.async, by warps that multiply"},
                      {"blocks", "one for each tile, row after row"},
                      {"sums", "of 32 k in tensor cores, then rounded to nearest"},
                      {"precision", "fp32"}},
          .constraint = {},
          .device = {.least = 80},
          .source_file = "kernels/sgemm/sgemm_3xtf32.cu",
          .source_line = kKernelLine,
          .kernel = reinterpret_cast<const void*>(::sgemm_3xtf32),
          .config = Config,
          .launch = Launch};
}
}  // namespace culprit
