// SPDX-License-Identifier: Apache-2.0
// A kernel's position below its GPU's two ceilings (Williams, Waterman, Patterson, "Roofline", CACM 2009).
#pragma once
#include <string>

#include "analysis/launch/kernel_view.h"
#include "analysis/number/measured.h"

namespace culprit {

enum class RoofSide { kUnknown, kMemory, kCompute };

struct Roofline {
  Measured clock_mhz;
  bool clock_measured = false;  // true: the median clock of the kept samples; false: the maximum that the driver states
  std::string input;            // "fp32", "fp16": see InputOf
  Measured peak_gflops;         // of FFMA: 2 x lanes per SM x SMs x clock; undefined unless the input is fp32
  // For 16-bit inputs. Undefined unless the kernel used tensor cores and the chip's rate is known.
  Measured tensor_peak_gflops = Measured::Missing(Absence::kUndefined);
  double tensor_flop_per_cycle = 0;  // per SM; 0: not known
  Measured dram_bytes_per_s;         // the device's theoretical bandwidth
  Measured ridge;                    // FLOP per byte at which both ceilings meet
  Measured achieved_gflops;          // useful flop / median time
  Measured achieved_bytes_per_s;     // measured DRAM bytes / median time
  Measured intensity;                // useful flop / measured DRAM bytes
  Measured best_intensity;           // useful flop / compulsory bytes: the maximum for this job
  Measured compute_pct;              // of the FFMA peak
  Measured tensor_pct;               // of the tensor peak
  Measured memory_pct;               // of the DRAM peak
  Measured roof_gflops;              // min(peak, intensity x bandwidth): the ceiling above this kernel
  RoofSide side = RoofSide::kUnknown;
};

Roofline MakeRoofline(const KernelView& kernel);

}  // namespace culprit
