// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/roofline.h"

#include <algorithm>
#include <iterator>

#include "db/stage_input.h"

namespace culprit {
namespace {

// Dense fp16 or bf16 products (equally fast) with fp32 accumulation, in flop per SM and cycle; an FMA is two. TF32 has
// half of that by the same documents (156 and 495 TFLOP/s).
//   8.0  four tensor cores of 256 FMA: NVIDIA A100 Tensor Core GPU Architecture, 2020; 108 SMs x 2048 x 1.41 GHz give
//        its 312 TFLOP/s.
//   9.0  twice that: NVIDIA H100 Tensor Core GPU Architecture, 2022; 132 SMs x 4096 x 1.83 GHz give its 989 TFLOP/s.
// 8.6 and 8.9 are missing: some of their chips halve the rate with fp32 accumulation, and the number does not tell
// which. 10.0 is missing: no document gives a rate per SM.
struct TensorRate {
  int cc_major, cc_minor;
  double flop_per_cycle;
};
constexpr TensorRate kTensorRates[] = {{8, 0, 2048}, {9, 0, 4096}};

// HFMA2.MMA, which other kernels use to move constants, is not a matrix multiplication.
bool MultipliesOnTensorCores(const KernelView& kernel) {
  const Measured hmma = kernel.Get("tensor_hmma_inst") - kernel.Get("tensor_hfma2_inst");
  const Measured gmma = kernel.Get("tensor_gmma_inst");
  return (hmma && *hmma > 0) || (gmma && *gmma > 0);
}

// Rate relative to fp16. "fp32 as 2 x tf32": each value is a sum of two; the smallest of the four products is left out.
double RateOf(const std::string& input) {
  if (input == "fp16" || input == "bf16") return 1;
  if (input == "tf32") return 1.0 / 2;
  return input == "fp32 as 2 x tf32" ? 1.0 / 2 / 3 : 0;
}

double TensorFlopPerCycle(const KernelView& kernel, const std::string& input) {
  const auto& device = kernel.record().run.run.device;
  if (!device || RateOf(input) == 0 || !MultipliesOnTensorCores(kernel)) return 0;
  const auto found = std::ranges::find_if(kTensorRates, [&](const TensorRate& r) {
    return r.cc_major == device->cc_major && r.cc_minor == device->cc_minor;
  });
  return found == std::end(kTensorRates) ? 0 : found->flop_per_cycle * RateOf(input);
}

}  // namespace

Roofline MakeRoofline(const KernelView& kernel) {
  Roofline roof;
  const auto& device = kernel.record().run.run.device;
  if (kernel.time().clock_mhz) {
    roof.clock_mhz = *kernel.time().clock_mhz;
    roof.clock_measured = true;
  } else if (device && device->sm_clock_mhz > 0) {
    roof.clock_mhz = device->sm_clock_mhz;
  }
  const Measured time = kernel.Get("time_us");
  const Measured flop = kernel.Get("flop");
  // 2 flop x lanes x SMs x MHz = Mflop/s.
  roof.input = InputOf(kernel.record().stage.factors);
  roof.peak_gflops = roof.input == kSinglePrecision
                         ? Measured(2e-3) * kernel.Get("fp32_lanes_per_sm") * kernel.Get("sm_count") * roof.clock_mhz
                         : Measured::Missing(Absence::kUndefined);
  roof.tensor_flop_per_cycle = TensorFlopPerCycle(kernel, roof.input);
  if (roof.tensor_flop_per_cycle > 0)
    roof.tensor_peak_gflops = Measured(1e-3 * roof.tensor_flop_per_cycle) * kernel.Get("sm_count") * roof.clock_mhz;
  const Measured peak = roof.tensor_flop_per_cycle > 0 ? roof.tensor_peak_gflops : roof.peak_gflops;
  roof.dram_bytes_per_s = kernel.Get("dram_bytes_per_s");
  roof.ridge = peak * Measured(1e9) / roof.dram_bytes_per_s;
  roof.achieved_gflops = flop / time * Measured(1e-3);
  roof.achieved_bytes_per_s = kernel.Get("dram_bytes") / time * Measured(1e6);
  roof.intensity = flop / kernel.Get("dram_bytes");
  roof.best_intensity = flop / kernel.Get("min_bytes");
  roof.compute_pct = Measured(100) * roof.achieved_gflops / roof.peak_gflops;
  roof.tensor_pct = Measured(100) * roof.achieved_gflops / roof.tensor_peak_gflops;
  roof.memory_pct = Measured(100) * roof.achieved_bytes_per_s / roof.dram_bytes_per_s;
  roof.roof_gflops = roof.intensity * roof.dram_bytes_per_s * Measured(1e-9);
  if (!peak) roof.roof_gflops = peak;  // the unknown peak may be lower
  if (roof.intensity && roof.ridge) {
    roof.side = *roof.intensity < *roof.ridge ? RoofSide::kMemory : RoofSide::kCompute;
    roof.roof_gflops = std::min(*peak, *roof.roof_gflops);
  }
  return roof;
}

}  // namespace culprit
