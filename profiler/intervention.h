// SPDX-License-Identifier: Apache-2.0
// Changes launches of any program's kernels without its help. CUPTI calls us at the entry of cuLaunchKernel and similar
// driver calls, where we see and change the launch. Launches through the runtime also reach these calls.
//
// Unused dynamic shared memory reduces the resident blocks. Only a kernel that reads %dynamic_smem_size can notice it.
// The grid is never reduced, because we cannot know whether blocks wait for each other, count each other, or take over
// the work of missing blocks.
#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace culprit {

// A kernel on its way to the driver.
struct SeenLaunch {
  void* function = nullptr;  // CUfunction
  dim3 grid{0, 0, 0}, block{0, 0, 0};
  std::int64_t dynamic_shared_bytes = 0;
  // Not empty: the launch is of a special kind, such as "a cooperative launch". Fewer resident blocks or another
  // carve-out would break it or not affect it. Messages put "it is" before the text.
  std::string special;

  int BlockWarps() const { return static_cast<int>((1ULL * block.x * block.y * block.z + 31) / 32); }
  double Blocks() const { return 1.0 * grid.x * grid.y * grid.z; }
};

// CUPTI allows one subscriber per process, so only one such object may exist, and no other subscriber with it.
class LaunchIntervention {
 public:
  // Throws culprit::Error when another tool has subscribed.
  LaunchIntervention();
  ~LaunchIntervention();
  LaunchIntervention(const LaunchIntervention&) = delete;
  LaunchIntervention& operator=(const LaunchIntervention&) = delete;

  // Runs `work` unchanged and returns the kernels that this thread launched in it, in order. Leaves out launches that
  // are captured into a graph or come from one.
  std::vector<SeenLaunch> Watch(const std::function<void()>& work);
  // Runs `work` and adds dynamic shared memory to the kernel that this thread launches in it. Throws culprit::Error
  // unless it launches exactly one.
  void LaunchWith(std::int64_t added_shared_bytes, const std::function<void()>& work);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Changes attributes of a loaded kernel that limit its resident blocks per SM. The destructor restores them.
class KernelResidency {
 public:
  // Allows launches to use as much dynamic shared memory as the device allows per block. Throws culprit::Error.
  explicit KernelResidency(const SeenLaunch& launch);
  ~KernelResidency();
  KernelResidency(const KernelResidency&) = delete;
  KernelResidency& operator=(const KernelResidency&) = delete;

  // `percent`: shared memory as a percentage of L1's memory, or kCarveoutAsItIs (db/records.h).
  void SetCarveout(int percent);
  // Resident blocks per SM when each block gets this much more dynamic shared memory.
  int BlocksWith(std::int64_t added_shared_bytes) const;
  // The bytes to add for exactly this many resident blocks. None if no number of bytes gives it.
  std::optional<std::int64_t> BytesFor(int blocks) const;
  bool UsesSharedMemory() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace culprit
