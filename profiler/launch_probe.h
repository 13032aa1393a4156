// SPDX-License-Identifier: Apache-2.0
// Which kernels a callable launches, and how: asked of CUDA by capturing the launch into a graph that never runs.
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
  std::string arch;  // "sm_90": the machine code that is loaded, which need not be the device's own
  // Of the loaded function, source "runtime": registers, static_shared_bytes, user_constant_bytes, local_bytes,
  // max_threads.
  std::vector<StaticAttribute> attributes;
};

// In order of launching. Empty when the callable does something that cannot be captured (it waits for the device, say).
std::vector<KernelLaunch> ProbeLaunch(const std::function<void(cudaStream_t)>& launch);

}  // namespace culprit
