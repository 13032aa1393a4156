// SPDX-License-Identifier: Apache-2.0
// How far two recordings of one and the same kernel lie apart: THE table of what was measured. docs/noise.md has how.
#pragma once
#include <string>
#include <string_view>

namespace culprit {

// Both as |candidate / base - 1|, exceeded by one pair of recordings in a hundred.
struct NoiseFloor {
  double change = 0;        // of the cycles: no smaller change is a difference
  std::string source;       // where the numbers come from, as a phrase for people
  double clock_change = 0;  // of the clock, as SM cycles over the GPU's own timer: moves times, not cycles
};

// The floor measured for kernels of this duration on this GPU model. `device` is Device::name; a model that was never
// measured gets the largest of those that were, and the source says so. `time_us` is the shorter of the two.
NoiseFloor NoiseFloorOf(std::string_view device, double time_us);

}  // namespace culprit
