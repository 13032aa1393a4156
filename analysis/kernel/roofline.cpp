// SPDX-License-Identifier: Apache-2.0
#include "analysis/kernel/roofline.h"

#include <algorithm>

#include "db/stage_input.h"

namespace culprit {

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
  roof.dram_bytes_per_s = kernel.Get("dram_bytes_per_s");
  roof.ridge = roof.peak_gflops * Measured(1e9) / roof.dram_bytes_per_s;
  roof.achieved_gflops = flop / time * Measured(1e-3);
  roof.achieved_bytes_per_s = kernel.Get("dram_bytes") / time * Measured(1e6);
  roof.intensity = flop / kernel.Get("dram_bytes");
  roof.best_intensity = flop / kernel.Get("min_bytes");
  roof.compute_pct = Measured(100) * roof.achieved_gflops / roof.peak_gflops;
  roof.memory_pct = Measured(100) * roof.achieved_bytes_per_s / roof.dram_bytes_per_s;
  roof.roof_gflops = roof.intensity * roof.dram_bytes_per_s * Measured(1e-9);
  if (roof.input != kSinglePrecision) roof.roof_gflops = roof.peak_gflops;  // it may well lie above the unknown peak
  if (roof.intensity && roof.ridge) {
    roof.side = *roof.intensity < *roof.ridge ? RoofSide::kMemory : RoofSide::kCompute;
    roof.roof_gflops = std::min(*roof.peak_gflops, *roof.roof_gflops);
  }
  return roof;
}

}  // namespace culprit
