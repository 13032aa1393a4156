// SPDX-License-Identifier: Apache-2.0
// Marks functions that both kernels and host tests call.
#pragma once

#ifdef __CUDACC__
#define CULPRIT_HOST_DEVICE __host__ __device__
#else
#define CULPRIT_HOST_DEVICE
#endif
