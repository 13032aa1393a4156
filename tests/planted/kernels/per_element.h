// SPDX-License-Identifier: Apache-2.0
// Runs whose outputs the host can compute one at a time, for jobs of which a full reference would take seconds.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <vector>

#include "tests/planted/kernels/planted.h"

namespace culprit {

// What output i must be, and how far from it rounding may lead.
struct Wanted {
  double value = 0, bound = 0;
};

// A run that reads `in` and writes `outputs` floats. Output 0, `every`, 2 * `every` ... are compared with `wanted`; the
// others must have been written. An odd `every` meets all lanes.
PlantedRun PerElementRun(std::vector<float> in, std::size_t outputs, std::size_t every,
                         std::function<void(cudaStream_t, const float* in, float* out)> launch,
                         std::function<Wanted(const std::vector<float>& in, std::size_t i)> wanted);

}  // namespace culprit
