// SPDX-License-Identifier: Apache-2.0
// Waits for the FMA pipe: eight independent chains a thread, no memory until the end.
// Per round an SM issues 64 FMAs for each of 32 warps at 4 warps a cycle: 512 cycles, so 400 rounds take about 205 000
// cycles, 105 to 117 us at 1.95 to 1.75 GHz, of which the launch itself is 2 to 3. Every thread does every round.
#include "tests/noise/kernels/run.h"

namespace {
constexpr int kChains = 8;
constexpr int kSteps = 8;  // of each chain in a round
constexpr int kThreads = 256;
constexpr int kBlocksPerSm = 4;
}  // namespace

constexpr int kLine = __LINE__ + 2;
// `factor` and `step` are 1, which the compiler does not know: each chain counts its FMAs exactly.
extern "C" __global__ void __launch_bounds__(kThreads) noise_fma(unsigned* out, int rounds, float factor, float step) {
  float chain[kChains];
#pragma unroll
  for (int c = 0; c < kChains; ++c) chain[c] = static_cast<float>(threadIdx.x + c);
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int s = 0; s < kSteps; ++s)
#pragma unroll
      for (int c = 0; c < kChains; ++c) chain[c] = fmaf(chain[c], factor, step);
  }
  float sum = 0;
#pragma unroll
  for (int c = 0; c < kChains; ++c) sum += chain[c];
  out[blockIdx.x * kThreads + threadIdx.x] = static_cast<unsigned>(sum);
}

namespace culprit {
namespace {

NoiseRun Make() {
  const int blocks = SmCount() * kBlocksPerSm;
  const std::size_t count = static_cast<std::size_t>(blocks) * kThreads;
  const auto out = std::make_shared<DeviceMemory>(count * sizeof(unsigned));
  NoiseRun run;
  run.launch = [=](int rounds, cudaStream_t stream) {
    EnqueuePlanted("noise_fma", ::noise_fma, {dim3(blocks), dim3(kThreads), 0}, stream, out->As<unsigned>(), rounds,
                   1.0f, 1.0f);
  };
  run.check = [=, launch = run.launch](int rounds) {
    FillBytes(out->As<unsigned>(), 0xff, count * sizeof(unsigned));
    launch(rounds, nullptr);
    std::vector<unsigned> wanted(count);
    // Every sum is a whole number below 2^24, so single precision holds it.
    for (std::size_t i = 0; i < count; ++i)
      wanted[i] = kChains * (static_cast<unsigned>(i % kThreads) + kSteps * rounds) + kChains * (kChains - 1) / 2;
    return CheckEqual(Downloaded(out->As<unsigned>(), count), wanted);
  };
  return run;
}

}  // namespace

NoiseKernel NoiseFma() {
  return {.id = "noise_fma",
          .idea = "keeps the FMA pipe busy from registers",
          .work_unit = "rounds",
          .work = 400,
          .source_file = "kernels/noise/fma.cu",
          .source_line = kLine,
          .block_threads = kThreads,
          .min_bytes = nullptr,
          .make = Make};
}

}  // namespace culprit
