// SPDX-License-Identifier: Apache-2.0
#include "profiler/cuda_context.h"
#include "tests/gpu/small_kernels.h"

namespace culprit {
namespace {

void CheckLaunch() { CheckCuda(cudaGetLastError(), "launch a test kernel"); }

}  // namespace

// Named without mangling, so that tests can ask for the names.
extern "C" __global__ void culprit_test_known(const float* in, float* out) {
  __shared__ float values[kKnownThreads];
  const unsigned i = blockIdx.x * kKnownThreads + threadIdx.x;
  values[threadIdx.x] = in[i];
  __syncthreads();
  float v = values[kKnownThreads - 1 - threadIdx.x];
  const float factor = static_cast<float>(gridDim.x);  // not known to the compiler: nothing folds
#pragma unroll
  for (int k = 0; k < kKnownFfma; ++k) v = __fmaf_rn(v, factor, v);
  out[i] = v;
}

namespace {
constexpr int kStridedStoreLine = __LINE__ + 1;
__device__ __forceinline__ void StoreStrided(float* tile, int lane, int row, float v) { tile[lane * 32 + row] = v; }
}  // namespace

extern "C" __global__ void culprit_test_strided(const float* in, float* out) {
  __shared__ float tile[kWarpSquare * kWarpSquare];
  const int lane = static_cast<int>(threadIdx.x);
  const unsigned square = blockIdx.x * kWarpSquare * kWarpSquare;
#pragma unroll 1  // one instruction each, executed once per row
  for (int row = 0; row < kWarpSquare; ++row) StoreStrided(tile, lane, row, in[square + row * kWarpSquare + lane]);
  __syncthreads();
#pragma unroll 1
  for (int row = 0; row < kWarpSquare; ++row) out[square + row * kWarpSquare + lane] = tile[row * kWarpSquare + lane];
}

extern "C" __global__ void culprit_test_shaped() {}

extern "C" __global__ void culprit_test_busy(int rounds, const float* in, float* out) {
  __shared__ float values[kBusyThreads];
  const unsigned i = blockIdx.x * kBusyThreads + threadIdx.x;
  values[threadIdx.x] = in[i % kBusyWindow];
  __syncthreads();
  float v = 0;
  unsigned at = i;
  for (int r = 0; r < rounds; ++r) {
    at = (at + 4099) % kBusyWindow;
    const float factor = values[(threadIdx.x + r) % kBusyThreads] + __ldcg(in + at);
#pragma unroll
    for (int k = 0; k < 16; ++k) v = __fmaf_rn(v, factor, factor);
  }
  out[i] = v;
}

extern "C" __global__ void culprit_test_spin(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

extern "C" __global__ void culprit_test_read(const float4* in, int count, float* out) {
  float sum = 0;
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count;
       i += static_cast<int>(gridDim.x * blockDim.x)) {
    const float4 v = __ldcg(in + i);
    sum += v.x + v.y + v.z + v.w;
  }
  if (sum == 12345.0f) *out = sum;  // never so with the zeros that are read, which the compiler cannot know
}

extern "C" __global__ void culprit_test_chase(int rounds, const int* next, int* out) {
  const int warp = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  int at = warp % kChaseWindow;
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) at = __ldcg(next + at);
  if (threadIdx.x % 32 == 0) out[warp] = at;
}

extern "C" __global__ void culprit_test_full_pipe(int rounds, float* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float factor = 1.0f / static_cast<float>(gridDim.x);
  float v[8];
  for (int k = 0; k < 8; ++k) v[k] = static_cast<float>(i + k);
#pragma unroll 16
  for (int r = 0; r < rounds; ++r)
#pragma unroll
    for (int k = 0; k < 8; ++k) v[k] = __fmaf_rn(v[k], factor, factor);
  out[i] = v[0] + v[1] + v[2] + v[3] + v[4] + v[5] + v[6] + v[7];
}

extern "C" __global__ void culprit_test_shared_size(int* out) {
  int bytes;
  asm volatile("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
  *out = bytes;
}

void LaunchChase(int blocks, int rounds, const int* next, int* out, cudaStream_t stream) {
  culprit_test_chase<<<blocks, kChaseThreads, 0, stream>>>(rounds, next, out);
  CheckLaunch();
}

void LaunchFullPipe(int blocks, int rounds, float* out, cudaStream_t stream) {
  culprit_test_full_pipe<<<blocks, 256, 0, stream>>>(rounds, out);
  CheckLaunch();
}

void LaunchSharedSize(LaunchWay way, std::size_t dynamic_shared_bytes, int* out, cudaStream_t stream) {
  if (way == LaunchWay::kPlain) {
    culprit_test_shared_size<<<1, 1, dynamic_shared_bytes, stream>>>(out);
    return CheckLaunch();
  }
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeIgnore;
  if (way == LaunchWay::kCooperative) {
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
  } else if (way == LaunchWay::kCluster) {
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 2;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  }
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(2);
  config.blockDim = dim3(1);
  config.dynamicSmemBytes = dynamic_shared_bytes;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CheckCuda(cudaLaunchKernelEx(&config, culprit_test_shared_size, out), "launch a test kernel");
}

void LaunchKnown(int blocks, const float* in, float* out, cudaStream_t stream, std::size_t dynamic_shared_bytes) {
  culprit_test_known<<<blocks, kKnownThreads, dynamic_shared_bytes, stream>>>(in, out);
  CheckLaunch();
}

void LaunchStrided(int blocks, const float* in, float* out, cudaStream_t stream) {
  culprit_test_strided<<<blocks, kWarpSquare, 0, stream>>>(in, out);
  CheckLaunch();
}

int StridedStoreLine() { return kStridedStoreLine; }

void LaunchShaped(dim3 grid, dim3 block, std::size_t dynamic_shared_bytes, cudaStream_t stream) {
  culprit_test_shaped<<<grid, block, dynamic_shared_bytes, stream>>>();
  CheckLaunch();
}

void LaunchBusy(int blocks, int rounds, const float* in, float* out, cudaStream_t stream) {
  culprit_test_busy<<<blocks, kBusyThreads, 0, stream>>>(rounds, in, out);
  CheckLaunch();
}

void LaunchSpin(int blocks, long long cycles, cudaStream_t stream) {
  culprit_test_spin<<<blocks, 32, 0, stream>>>(cycles);
  CheckLaunch();
}

void LaunchRead(const float* in, int count, float* out, cudaStream_t stream) {
  culprit_test_read<<<1024, 256, 0, stream>>>(reinterpret_cast<const float4*>(in), count / 4, out);
  CheckLaunch();
}

}  // namespace culprit
