// SPDX-License-Identifier: Apache-2.0
// The one way in which a stage's kernel is enqueued.
#pragma once
#include <string_view>

#include "kernels/stage.h"

namespace culprit {

// Blocks of `tile` that cover `extent`.
constexpr unsigned Tiles(int extent, int tile) { return (static_cast<unsigned>(extent) + tile - 1) / tile; }

// Every stage's kernel takes the problem by value: no argument lists to keep in step with.
using GemmKernel = void (*)(GemmProblem);

// Enqueues `kernel` on `stream` of the current device. Where dynamic shared memory exceeds the 48 KB that CUDA grants
// without asking, it asks first. Throws culprit::Error when CUDA refuses either.
void EnqueueKernel(std::string_view stage, GemmKernel kernel, const LaunchConfig& config, const GemmProblem& problem,
                   cudaStream_t stream);

}  // namespace culprit
