// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "db/records.h"

namespace culprit {

// What cudaFuncGetAttributes says about `kernel` (the host address of a __global__ function) on the current device,
// with source "runtime": registers, static_shared_bytes, user_constant_bytes (of the user's __constant__ variables: not
// the bank 0 that the cubin counts), local_bytes, max_threads. Throws culprit::Error when the kernel has no code for
// this device.
std::vector<StaticAttribute> RuntimeAttributes(const void* kernel);

}  // namespace culprit
