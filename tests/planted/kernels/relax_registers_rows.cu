// SPDX-License-Identifier: Apache-2.0
// Rows of values that pass through 64 affine maps again and again, later rows more often; a block of 16 warps an SM.
// The maps of a thread's column are in registers. A  launch bounds leave 40 registers: some 50 of the 64 coefficients
// are spilled and read again in each sweep. B  a block takes consecutive rows instead of rows dealt out in turn, so
// that the last has twice the mean work. In cycles of an SM per sweep: 256 of FMA (the chain is as slow as the pipe),
// with A 800 of L1. B doubles either: 1, A 3, B 2, both 6. A is about 60 %.
#include <cmath>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kMaps = 64;
constexpr int kThreads = 512;
constexpr int kBlocks = 132;       // one for each SM of an H100 SXM
constexpr int kRowsOfASweep = 16;  // rows in a row that make as many sweeps
constexpr int kShort = 3;          // blocks of kThreads and 40 registers that an SM would take

__host__ __device__ constexpr int SweepsOf(int row) { return 1 + row / kRowsOfASweep; }

// Turn `i` of a block. There and back again: each block gets the same work.
template <bool kConsecutive>
__device__ int RowOf(int block, int i, int rows) {
  if (kConsecutive) return block * (rows / kBlocks) + i;
  return i * kBlocks + (i % 2 == 0 ? block : kBlocks - 1 - block);
}

// maps: [kMaps][kThreads], at most 1/2 in absolute value. in, out: [rows][kThreads].
template <bool kConsecutive>
__device__ __forceinline__ void Relax(const float* maps, const float* in, float* out, int rows) {
  const int t = static_cast<int>(threadIdx.x);
  float map[kMaps];
#pragma unroll
  for (int k = 0; k < kMaps; ++k) map[k] = maps[k * kThreads + t];
#pragma unroll 1
  for (int i = 0; i < rows / kBlocks; ++i) {
    const int row = RowOf<kConsecutive>(static_cast<int>(blockIdx.x), i, rows);
    float x = in[static_cast<std::size_t>(row) * kThreads + t];
#pragma unroll 1
    for (int sweep = SweepsOf(row); sweep > 0; --sweep)
#pragma unroll
      for (int k = 0; k < kMaps; ++k) x = fmaf(map[k], x, map[(k + 1) % kMaps]);
    out[static_cast<std::size_t>(row) * kThreads + t] = x;
  }
}
}  // namespace

constexpr int kBaseLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    relax_kept_dealt(const float* maps, const float* in, float* out, int rows) {
  Relax<false>(maps, in, out, rows);
}
constexpr int kALine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads, kShort)
    relax_spilled_dealt(const float* maps, const float* in, float* out, int rows) {
  Relax<false>(maps, in, out, rows);
}
constexpr int kBLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads)
    relax_kept_consecutive(const float* maps, const float* in, float* out, int rows) {
  Relax<true>(maps, in, out, rows);
}
constexpr int kBothLine = __LINE__ + 1;
extern "C" __global__ void __launch_bounds__(kThreads, kShort)
    relax_spilled_consecutive(const float* maps, const float* in, float* out, int rows) {
  Relax<true>(maps, in, out, rows);
}

namespace culprit {
namespace {

// `rows` is an even multiple of kBlocks: blocks go through them there and back.
LaunchConfig Config(int) { return {dim3(kBlocks), dim3(kThreads), 0}; }

template <auto* kKernel>
PlantedRun Make(int rows) {
  auto maps = std::make_shared<std::vector<float>>(UniformFloats(kMaps * kThreads, 2));
  for (float& m : *maps) m /= 2;
  const auto device_maps = Uploaded(*maps);
  const auto launch = [=](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(rows), stream, device_maps->As<float>(), in, out, rows);
  };
  const auto wanted = [maps](const std::vector<float>& in, std::size_t i) -> Wanted {
    double x = in[i];
    for (int sweep = SweepsOf(static_cast<int>(i / kThreads)); sweep > 0; --sweep)
      for (int k = 0; k < kMaps; ++k)
        x = double{(*maps)[k * kThreads + i % kThreads]} * x + (*maps)[(k + 1) % kMaps * kThreads + i % kThreads];
    return {x, 2 * kFloatUnit};  // |x| <= 1 and each map at least halves the error before it
  };
  const std::size_t count = static_cast<std::size_t>(rows) * kThreads;
  return PerElementRun(UniformFloats(count, 1), count, 61, launch, wanted);
}

}  // namespace

PlantedMixture RelaxRegistersRowsMixture() {
  const MixedKernels four("passes rows of values through 64 affine maps, later rows more often", "register limit",
                          "rows of a block", "kernels/planted/relax_registers_rows.cu");
  return {.id = "relax_registers_rows",
          .base = four.With("128", "dealt", "relax_kept_dealt", kBaseLine, ::relax_kept_dealt, Config,
                            Make<::relax_kept_dealt>),
          .a = four.With("40", "dealt", "relax_spilled_dealt", kALine, ::relax_spilled_dealt, Config,
                         Make<::relax_spilled_dealt>),
          .b = four.With("128", "consecutive", "relax_kept_consecutive", kBLine, ::relax_kept_consecutive, Config,
                         Make<::relax_kept_consecutive>),
          .both = four.With("40", "consecutive", "relax_spilled_consecutive", kBothLine, ::relax_spilled_consecutive,
                            Config, Make<::relax_spilled_consecutive>),
          .sizes = {8 * kBlocks, 16 * kBlocks},
          .flop = nullptr,
          .min_bytes = nullptr};
}

}  // namespace culprit
