// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime_api.h>

namespace culprit {

// A kernel that keeps every SM busy for some tens of microseconds, for checking timing and counting. Throws
// culprit::Error when it cannot be launched.
void LaunchDoctorKernel(cudaStream_t stream);

}  // namespace culprit
