// SPDX-License-Identifier: Apache-2.0
// Energy of an 8-bit image: sums of squares over stretches of 32 KB, one block each. A thread takes 16 bytes per load,
// or one.
// Limits on an H100: 16 bytes keep 64 warps x 2 x 512 bytes in flight per SM: device memory limits, 0.27 GB in 0.09 ms.
// One byte keeps 64 x 2 x 32 = 4 KB in flight, 6 bytes a cycle of the 14 that memory could give, and issues 16 times
// the loads. 2 to 3 times as long; the multiplications are as many in both.
// Kept apart because the loop takes two steps at a time in both kernels, no more.
#include <cstddef>
#include <cstdint>
#include <random>

#include "tests/planted/kernels/block_sum.cuh"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kStretch = 32768;  // bytes of a block
// Below 2^32, so that a block's sum is exact until it is stored as a float.
static_assert(kStretch * 255ull * 255ull < (1ull << 32), "a block's sum must fit 32 bits");

__device__ std::uint32_t Energy(std::uint8_t x) { return static_cast<std::uint32_t>(x) * x; }
__device__ std::uint32_t Energy(std::uint32_t four) {
  std::uint32_t sum = 0;
#pragma unroll
  for (int shift = 0; shift < 32; shift += 8) sum += Energy(static_cast<std::uint8_t>(four >> shift));
  return sum;
}
__device__ std::uint32_t Energy(uint4 v) { return (Energy(v.x) + Energy(v.y)) + (Energy(v.z) + Energy(v.w)); }

template <class Access>
__device__ void SumEnergy(const std::uint8_t* in, float* out) {
  constexpr int kAccesses = kStretch / sizeof(Access);
  const auto* stretch = reinterpret_cast<const Access*>(in) + static_cast<std::size_t>(blockIdx.x) * kAccesses;
  std::uint32_t sum = 0;
#pragma unroll 2
  for (int i = 0; i < kAccesses; i += kThreads) sum += Energy(stretch[i + threadIdx.x]);
  sum = culprit::BlockSum<kThreads>(sum);
  if (threadIdx.x == 0) out[blockIdx.x] = static_cast<float>(sum);
}
}  // namespace

constexpr int kSixteenLine = __LINE__ + 1;
extern "C" __global__ void byte_energy_16_bytes(const std::uint8_t* in, float* out) { SumEnergy<uint4>(in, out); }
constexpr int kOneLine = __LINE__ + 1;
extern "C" __global__ void byte_energy_1_byte(const std::uint8_t* in, float* out) { SumEnergy<std::uint8_t>(in, out); }

namespace culprit {
namespace {

// Stretches of an image.
LaunchConfig Config(int stretches) { return {dim3(stretches), dim3(kThreads), 0}; }

std::vector<std::uint8_t> Pixels(std::size_t count) {
  std::mt19937_64 random(1);
  std::vector<std::uint8_t> pixels(count);
  for (std::size_t i = 0; i < count; i += sizeof(std::uint64_t)) {
    const std::uint64_t bits = random();
    for (std::size_t byte = 0; byte < sizeof bits; ++byte)
      pixels[i + byte] = static_cast<std::uint8_t>(bits >> 8 * byte);
  }
  return pixels;
}

template <auto* kKernel>
PlantedRun Make(int stretches) {
  const std::vector<std::uint8_t> pixels = Pixels(static_cast<std::size_t>(stretches) * kStretch);
  const auto in = Uploaded(pixels);
  const auto out = std::make_shared<DeviceMemory>(stretches * sizeof(float));
  std::vector<double> wanted(stretches), bound(stretches);
  for (std::size_t s = 0; s < wanted.size(); ++s) {
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < kStretch; ++i)
      sum += static_cast<std::uint32_t>(pixels[s * kStretch + i]) * pixels[s * kStretch + i];
    wanted[s] = sum;
    bound[s] = kFloatUnit * sum;  // one rounding
  }
  PlantedRun run;
  run.launch = [=](cudaStream_t stream) {
    EnqueuePlanted(kKernel, Config(stretches), stream, in->As<std::uint8_t>(), out->As<float>());
  };
  run.check = [=, launch = run.launch] { return CheckFloats({launch, {}}, out->As<float>(), wanted, bound); };
  return run;
}

}  // namespace

PlantedPair ByteEnergyWidthPair() {
  const AlikeKernels both("adds the squares of an 8-bit image, a stretch of 32 KB per block", "load",
                          "kernels/planted/byte_energy_width.cu");
  return {.id = "byte_energy_width",
          .base = both.With("16 bytes", "byte_energy_16_bytes", kSixteenLine, ::byte_energy_16_bytes, Config,
                            Make<::byte_energy_16_bytes>),
          .candidate = both.With("1 byte", "byte_energy_1_byte", kOneLine, ::byte_energy_1_byte, Config,
                                 Make<::byte_energy_1_byte>),
          .sizes = {4096, 8192},
          .flop = nullptr,
          .min_bytes = [](int stretches) { return static_cast<double>(stretches) * kStretch; }};
}

}  // namespace culprit
