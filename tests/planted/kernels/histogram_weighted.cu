// SPDX-License-Identifier: Apache-2.0
// Weighted histogram of 64 bins for each stretch of 8192 pixels; neighbours are alike, so a warp's pixels share a bin.
// A copy of the histogram for each lane: no two lanes meet, device memory limits: 35 cycles a warp's 128 bytes.
// One copy: the 32 additions of a warp go to one word one after the other, at least 128 cycles of a quarter of an SM.
// Weights, because additions of one to a word are counted by the hardware at once.
#include <cstddef>
#include <cstdint>

#include "tests/planted/kernels/run.h"

namespace {
constexpr int kBins = 64;
constexpr int kLanes = 32;
constexpr int kStretch = 8192;
constexpr int kThreads = 256;
constexpr int kWeights = 256;
static_assert(kStretch * (kWeights - 1) < 1 << 24, "a float must hold the largest count");

// A pixel is weight * kBins + bin. Shared memory and all loops are those of `kLanes` copies whatever `kCopies` is.
template <int kCopies>
__device__ __forceinline__ void Histogram(const uint4* in, float* out) {
  __shared__ unsigned counts[kBins * kLanes];
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < kBins * kLanes; i += kThreads) counts[i] = 0;
  __syncthreads();
  in += static_cast<std::size_t>(blockIdx.x) * (kStretch / 4);
  unsigned* copy = counts + thread % kCopies;
#pragma unroll 4
  for (int i = thread; i < kStretch / 4; i += kThreads) {
    const uint4 pixels = in[i];
    atomicAdd(copy + pixels.x % kBins * kLanes, pixels.x / kBins);
    atomicAdd(copy + pixels.y % kBins * kLanes, pixels.y / kBins);
    atomicAdd(copy + pixels.z % kBins * kLanes, pixels.z / kBins);
    atomicAdd(copy + pixels.w % kBins * kLanes, pixels.w / kBins);
  }
  __syncthreads();
  if (thread >= kBins) return;
  unsigned sum = 0;
  // Each lane begins at another copy, in another bank.
  for (int i = 0; i < kLanes; ++i) sum += counts[thread * kLanes + (thread + i) % kLanes];
  out[static_cast<std::size_t>(blockIdx.x) * kBins + thread] = static_cast<float>(sum);
}
}  // namespace

constexpr int kPrivateLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) histogram_32_copies(const uint4* in, float* out) {
  Histogram<kLanes>(in, out);
}
constexpr int kSingleLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) histogram_1_copy(const uint4* in, float* out) {
  Histogram<1>(in, out);
}

namespace culprit {
namespace {

// `pixels` is a multiple of the stretch.
LaunchConfig Config(int pixels) { return {dim3(static_cast<unsigned>(pixels) / kStretch), dim3(kThreads), 0}; }

// 1024 pixels in a row share a bin: those that a block's threads load at once.
std::vector<std::uint32_t> Pixels(int count) {
  constexpr int kAlike = 1024;
  std::vector<std::uint32_t> pixels(count);
  for (int i = 0; i < count; ++i) {
    const std::uint32_t bin = static_cast<std::uint32_t>(i / kAlike) * 2654435761u >> 26;
    pixels[i] = (static_cast<std::uint32_t>(i) * 2654435761u >> 24) * kBins + bin;
  }
  return pixels;
}

template <auto* kKernel>
PlantedRun Make(int count) {
  const auto pixels = std::make_shared<std::vector<std::uint32_t>>(Pixels(count));
  const auto in = Uploaded(*pixels);
  const std::size_t outputs = static_cast<std::size_t>(count) / kStretch * kBins;
  const auto out = std::make_shared<DeviceMemory>(outputs * sizeof(float));
  PlantedRun run;
  run.launch = [=](cudaStream_t stream) {
    EnqueuePlanted(kKernel, Config(count), stream, in->As<uint4>(), out->As<float>());
  };
  run.check = [=, launch = run.launch] {
    std::vector<double> wanted(outputs);
    for (std::size_t i = 0; i < pixels->size(); ++i)
      wanted[i / kStretch * kBins + (*pixels)[i] % kBins] += (*pixels)[i] / kBins;
    return CheckFloats({launch, {}}, out->As<float>(), wanted);
  };
  return run;
}

}  // namespace

PlantedPair HistogramWeightedPair() {
  const AlikeKernels both("adds the weights of 8192 pixels to 64 bins in shared memory", "copies",
                          "kernels/planted/histogram_weighted.cu");
  return {.id = "histogram_weighted",
          .base = both.With("32", "histogram_32_copies", kPrivateLine, ::histogram_32_copies, Config,
                            Make<::histogram_32_copies>),
          .candidate =
              both.With("1", "histogram_1_copy", kSingleLine, ::histogram_1_copy, Config, Make<::histogram_1_copy>),
          .sizes = {1 << 25, 1 << 26},
          .flop = nullptr,
          .min_bytes = [](int count) { return 1.0 * sizeof(std::uint32_t) * count; }};
}

}  // namespace culprit
