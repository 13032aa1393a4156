// SPDX-License-Identifier: Apache-2.0
// Finds the kernels that a callable launches, and their parameters. Captures the launch into a CUDA graph that never
// runs.
#pragma once
#include <cuda_runtime_api.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "db/records.h"

namespace culprit {

struct KernelLaunch {
  std::string kernel;  // mangled name
  dim3 grid{0, 0, 0}, block{0, 0, 0};
  std::int64_t dynamic_shared_bytes = 0;
  std::string arch;  // of the loaded machine code, "sm_90"; may differ from the device's architecture
  // Attributes of the loaded function, source "runtime": registers, static_shared_bytes, user_constant_bytes,
  // local_bytes, max_threads.
  std::vector<StaticAttribute> attributes;
};

// In launch order. Empty when the callable cannot be captured (it waits for the device, for example).
std::vector<KernelLaunch> ProbeLaunch(const std::function<void(cudaStream_t)>& launch);

}  // namespace culprit
