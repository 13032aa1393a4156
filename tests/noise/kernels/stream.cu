// SPDX-License-Identifier: Apache-2.0
// Waits for device memory: copies rows of 640 KiB, 250 MiB of them, which is five times an H100's L2 on each side.
// At 2.7 to 3.0 TB/s 400 rows are 175 to 194 us, of which the launch is 3. What L2 keeps from the launch before does
// not grow with the rows: if it were all of 50 MB, 2 % more rows would take 2.2 % longer. A smaller copy would be
// further off. Blocks are many (16 000) and short (about 10 us), so the last ones end within 1 % of one another.
#include <cstdint>

#include "tests/noise/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kVectors = 4;  // of 16 bytes, in flight in each thread at once
constexpr int kBlocksPerRow = 40;
constexpr std::size_t kRowVectors = static_cast<std::size_t>(kThreads) * kVectors * kBlocksPerRow;

__device__ std::size_t FirstVector() {
  return static_cast<std::size_t>(blockIdx.x) * (kThreads * kVectors) + threadIdx.x;
}

// Different in all four words, and for each vector of the buffer.
__device__ uint4 Pattern(std::size_t vector) {
  const unsigned v = static_cast<unsigned>(vector) * 4 + 1;
  return make_uint4(v, v + 1, v + 2, v + 3);
}
}  // namespace

constexpr int kLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) noise_stream(const uint4* in, uint4* out) {
  const std::size_t first = FirstVector();
  uint4 held[kVectors];
#pragma unroll
  for (int i = 0; i < kVectors; ++i) held[i] = in[first + i * kThreads];
#pragma unroll
  for (int i = 0; i < kVectors; ++i) out[first + i * kThreads] = held[i];
}

namespace {
__global__ void WritePattern(uint4* out) {
  const std::size_t first = FirstVector();
  for (int i = 0; i < kVectors; ++i) out[first + i * kThreads] = Pattern(first + i * kThreads);
}

// On the device: the output is a quarter of a gigabyte.
__global__ void CountWrong(const uint4* out, unsigned* wrong) {
  const std::size_t first = FirstVector();
  for (int i = 0; i < kVectors; ++i) {
    const uint4 got = out[first + i * kThreads], wanted = Pattern(first + i * kThreads);
    if (got.x != wanted.x || got.y != wanted.y || got.z != wanted.z || got.w != wanted.w) atomicAdd(wrong, 1u);
  }
}
}  // namespace

namespace culprit {
namespace {

constexpr int kRows = 400;
constexpr std::size_t kRowBytes = kRowVectors * sizeof(uint4);

LaunchConfig Config(int rows) { return {dim3(rows * kBlocksPerRow), dim3(kThreads), 0}; }

NoiseRun Make() {
  constexpr int kMost = SlowerWork(kRows);
  const auto in = std::make_shared<DeviceMemory>(kMost * kRowBytes);
  const auto out = std::make_shared<DeviceMemory>(kMost * kRowBytes);
  const auto wrong = std::make_shared<DeviceMemory>(sizeof(unsigned));
  EnqueuePlanted("noise_stream", WritePattern, Config(kMost), nullptr, in->As<uint4>());
  NoiseRun run;
  run.launch = [=](int rows, cudaStream_t stream) {
    EnqueuePlanted("noise_stream", ::noise_stream, Config(rows), stream, in->As<uint4>(), out->As<uint4>());
  };
  run.check = [=, launch = run.launch](int rows) {
    FillBytes(out->As<uint4>(), 0, kMost * kRowBytes);
    FillBytes(wrong->As<unsigned>(), 0, sizeof(unsigned));
    launch(rows, nullptr);
    EnqueuePlanted("noise_stream", CountWrong, Config(kMost), nullptr, out->As<uint4>(), wrong->As<unsigned>());
    // The rows that were not asked for still hold zeros: neither too few nor too many were copied.
    const unsigned untouched = static_cast<unsigned>(kRowVectors * (kMost - rows));
    return CheckEqual(Downloaded(wrong->As<unsigned>(), 1), {untouched});
  };
  return run;
}

}  // namespace

NoiseKernel NoiseStream() {
  return {.id = "noise_stream",
          .idea = "copies more than L2 holds",
          .work_unit = "rows",
          .work = kRows,
          .source_file = "kernels/noise/stream.cu",
          .source_line = kLine,
          .block_threads = kThreads,
          .min_bytes = [](int rows) { return 2.0 * static_cast<double>(kRowBytes) * rows; },
          .make = Make};
}

}  // namespace culprit
