// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime_api.h>

namespace culprit {

// A kernel that does nothing but keep every SM busy for some tens of microseconds: something to time and count when
// there is nothing else. Throws culprit::Error when it cannot be launched.
void LaunchDoctorKernel(cudaStream_t stream);

}  // namespace culprit
