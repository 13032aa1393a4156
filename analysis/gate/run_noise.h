// SPDX-License-Identifier: Apache-2.0
// How far recordings of the same code on one GPU lie apart.
//
// What lasts as long as a process (its place in memory, its clock, the temperature) is not in the scatter of its
// samples. If each side is one process, only other recordings can show how large such effects are.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "db/database.h"

namespace culprit {

struct RunNoise {
  // In 9 of 10 pairs of recordings of one launch, |candidate / base - 1| is at most this.
  double change = 0;
  int pairs = 0;  // of launches with the same code that this was measured on
  // A phrase for people that begins as that of a noise floor: "of this GPU: 148 pairs of recordings of the same code".
  std::string source;
};

// Noise measured in runs on one GPU. Each entry of `runs` has the launches of one run. Launches of two runs are a pair
// if kernel, shape, code, grid, block, dynamic shared memory and L2 state are equal. Cycles are compared if both have
// clocks, else times.
class MeasuredRunNoise {
 public:
  MeasuredRunNoise() = default;
  explicit MeasuredRunNoise(std::span<const std::vector<KernelRecord>> runs);

  // For launches of this duration. Without enough pairs that were measured here: the known noise of GPUs of this model
  // (the table in run_noise.cpp) or, for a model without known noise, that of the model with the largest.
  RunNoise At(const std::string& device, double time_us) const;

 private:
  std::vector<double> short_, long_;  // by duration, each ascending
};

}  // namespace culprit
