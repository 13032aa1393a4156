// SPDX-License-Identifier: Apache-2.0
// What the noise kernels share: filling the GPU evenly, and looking at their output.
#pragma once
#include <cstddef>
#include <vector>

#include "tests/noise/kernels/noise.h"
#include "tests/planted/kernels/run.h"

namespace culprit {

// SMs of the current device: a grid of a multiple of it, with all blocks resident, gives each SM the same work, so that
// 2 % more of it for every thread is 2 % more for the GPU and no wave is left over.
int SmCount();

// Sets every byte, waits for the GPU, throws culprit::Error when an earlier launch failed.
void FillBytes(void* device, int byte, std::size_t bytes);

// Waits for the GPU and copies back. Throws culprit::Error when the launch failed.
std::vector<unsigned> Downloaded(const unsigned* device, std::size_t count);

// The first difference, if there is one; both are equally long.
PlantedCheck CheckEqual(const std::vector<unsigned>& got, const std::vector<unsigned>& wanted);

}  // namespace culprit
