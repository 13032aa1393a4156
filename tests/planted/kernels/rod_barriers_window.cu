// SPDX-License-Identifier: Apache-2.0
// 256 sweeps of a smoothing of 5 points along rods of 3072 cells, a rod a block, 3 cells a thread, in two buffers of
// shared memory. A block of 32 warps has an SM to itself.
// A  a barrier after each cell, which no data needs: four barriers a sweep instead of one.
// B  the points around each cell are read again: 15 loads a thread and sweep instead of a window of 7.
// In cycles of a sweep: 32 warps load and store 10 times, 320; A adds three meetings of 32 warps, some 40 each; with B
// 18 times, 576. So 320, A 440, B 576, both 700: A is a third. Loads are volatile: as many as written here. A distance
// of 3 cells between lanes meets no bank twice.
#include <cmath>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 1024;
constexpr int kPerThread = 3;
constexpr int kCells = kThreads * kPerThread;
constexpr int kReach = 2;  // cells on either side
constexpr int kPoints = 2 * kReach + 1;
constexpr int kWindow = kPerThread + 2 * kReach;
constexpr int kSweeps = 256;                                      // even: the result is where the input was
constexpr float kSelf = 0.5f, kNear = 0.15625f, kFar = 0.09375f;  // self + 2 near + 2 far = 1
// With the buffers more than half of an SM's 227 KB: no second block, whose warps would issue while those of the first
// wait.
constexpr std::size_t kReservedBytes = 100 * 1024;

// Beyond the ends all is 0.
template <bool kMeetOften, bool kReread>
__device__ __forceinline__ void Smooth(const float* in, float* out) {
  __shared__ float buffers[2][kCells + 2 * kReach];
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < 2 * (kCells + 2 * kReach); i += kThreads) (&buffers[0][0])[i] = 0;
  __syncthreads();
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * kCells;
  for (int i = thread; i < kCells; i += kThreads) buffers[0][kReach + i] = in[first + i];
  __syncthreads();
  volatile float* from = buffers[0] + thread * kPerThread;  // kReach cells before the thread's first
  volatile float* to = buffers[1] + thread * kPerThread;
#pragma unroll 1
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    float window[kWindow], mine[kPerThread];
    if (!kReread) {
#pragma unroll
      for (int i = 0; i < kWindow; ++i) window[i] = from[i];
    }
#pragma unroll
    for (int j = 0; j < kPerThread; ++j) {
      float point[kPoints];
#pragma unroll
      for (int i = 0; i < kPoints; ++i) point[i] = kReread ? from[j + i] : window[j + i];
      mine[j] = fmaf(kSelf, point[2], fmaf(kNear, point[1] + point[3], kFar * (point[0] + point[4])));
      if (kMeetOften) __syncthreads();
    }
#pragma unroll
    for (int j = 0; j < kPerThread; ++j) to[kReach + j] = mine[j];
    __syncthreads();
    volatile float* const swap = from;
    from = to;
    to = swap;
  }
  for (int i = thread; i < kCells; i += kThreads) out[first + i] = buffers[0][kReach + i];
}
}  // namespace

constexpr int kBaseLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) rod_1_barrier_window(const float* in, float* out) {
  Smooth<false, false>(in, out);
}
constexpr int kALine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) rod_4_barriers_window(const float* in, float* out) {
  Smooth<true, false>(in, out);
}
constexpr int kBLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) rod_1_barrier_reread(const float* in, float* out) {
  Smooth<false, true>(in, out);
}
constexpr int kBothLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads) rod_4_barriers_reread(const float* in, float* out) {
  Smooth<true, true>(in, out);
}

namespace culprit {
namespace {

LaunchConfig Config(int rods) { return {dim3(rods), dim3(kThreads), kReservedBytes}; }

std::vector<double> Smoothed(const float* rod) {
  std::vector<double> from(kCells + 2 * kReach), to(from);
  for (int i = 0; i < kCells; ++i) from[kReach + i] = rod[i];
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (int i = kReach; i < kReach + kCells; ++i)
      to[i] = kSelf * from[i] + kNear * (from[i - 1] + from[i + 1]) + kFar * (from[i - 2] + from[i + 2]);
    from.swap(to);
  }
  return from;
}

template <auto* kKernel>
PlantedRun Make(int rods) {
  const auto launch = [rods](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(rods), stream, in, out);
  };
  // Cells are asked about rod by rod.
  const auto wanted = [last = std::size_t{}, rod = std::vector<double>()](const std::vector<float>& in,
                                                                          std::size_t i) mutable -> Wanted {
    if (rod.empty() || last != i / kCells) rod = Smoothed(in.data() + i / kCells * kCells);
    last = i / kCells;
    // A sweep is an average, which no error grows in, and rounds values below 2 five times.
    return {rod[kReach + i % kCells], 2 * 5 * kSweeps * kFloatUnit};
  };
  const std::size_t cells = static_cast<std::size_t>(rods) * kCells;
  return PerElementRun(UniformFloats(cells, 1), cells, 61, launch, wanted);
}

}  // namespace

PlantedMixture RodBarriersWindowMixture() {
  const MixedKernels four("smooths rods of 3072 cells, a rod a block", "barriers of a sweep", "points of a cell",
                          "kernels/planted/rod_barriers_window.cu");
  return {.id = "rod_barriers_window",
          .base = four.With("1", "in a window", "rod_1_barrier_window", kBaseLine, ::rod_1_barrier_window, Config,
                            Make<::rod_1_barrier_window>),
          .a = four.With("4", "in a window", "rod_4_barriers_window", kALine, ::rod_4_barriers_window, Config,
                         Make<::rod_4_barriers_window>),
          .b = four.With("1", "read again", "rod_1_barrier_reread", kBLine, ::rod_1_barrier_reread, Config,
                         Make<::rod_1_barrier_reread>),
          .both = four.With("4", "read again", "rod_4_barriers_reread", kBothLine, ::rod_4_barriers_reread, Config,
                            Make<::rod_4_barriers_reread>),
          .sizes = {132, 264},
          .flop = nullptr,
          .min_bytes = [](int rods) { return 2.0 * sizeof(float) * kCells * rods; }};
}

}  // namespace culprit
