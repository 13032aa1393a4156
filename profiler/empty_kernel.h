// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime_api.h>

namespace culprit {

// A kernel of one block that does nothing: what its launch takes is what launching takes. Throws culprit::Error when it
// cannot be launched.
void LaunchEmptyKernel(cudaStream_t stream);

}  // namespace culprit
