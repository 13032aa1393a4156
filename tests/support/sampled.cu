// SPDX-License-Identifier: Apache-2.0
// The source of sampled.sass, which tests quote by line: do not move lines without making it anew.
constexpr int kTile = 32;
// clang-format off
// Stores a tile by rows and loads it by columns: without padding all 32 lanes meet in one bank.
template <int kPadding>
__device__ void TransposeTile(const float* in, float* out, int size) {
  __shared__ float tile[kTile][kTile + kPadding];
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  for (int row = 0; row < kTile; row += 8)
    tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * size + x];
  __syncthreads();
  const int to = blockIdx.y * kTile + threadIdx.x, from = blockIdx.x * kTile + threadIdx.y;
  for (int row = 0; row < kTile; row += 8)
    out[(from + row) * size + to] = tile[threadIdx.x][threadIdx.y + row];
}

extern "C" __global__ void transpose_unpadded(const float* in, float* out, int size) {
  TransposeTile<0>(in, out, size);
}

extern "C" __global__ void transpose_padded(const float* in, float* out, int size) {
  TransposeTile<1>(in, out, size);
}

// Sums that are indexed by a loop that is not unrolled lie in local memory.
extern "C" __global__ void local_sums(const float* in, float* out, int terms) {
  float sums[8] = {};
#pragma unroll 1
  for (int term = 0; term < terms; ++term) {
#pragma unroll 1
    for (int k = 0; k < 8; ++k)
      sums[k] += in[(term * 8 + k) * blockDim.x + threadIdx.x] * 0.5f;
  }
  for (int k = 0; k < 8; ++k) out[k * blockDim.x + threadIdx.x] = sums[k];
}
