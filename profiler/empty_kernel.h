// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime_api.h>

namespace culprit {

// A kernel of one block that does nothing. Its time is the cost of a launch. Throws culprit::Error when it cannot be
// launched.
void LaunchEmptyKernel(cudaStream_t stream);

}  // namespace culprit
