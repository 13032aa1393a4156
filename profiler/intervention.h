// SPDX-License-Identifier: Apache-2.0
// Launches of somebody else's kernel with something about them changed, without the program's help: how the driver got
// them is seen and changed on their way (CUPTI callbacks at the entry of cuLaunchKernel and its like, where the
// runtime's launches end, too). Knows nothing of whose launches they are.
//
// Fewer resident blocks come from dynamic shared memory that the kernel does not use. A kernel that reads
// %dynamic_smem_size sees it. The grid stays whole: of a part of it nobody can tell from outside whether blocks wait
// for others, count each other, or stride over the work of those that are missing.
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
  // Not empty: what it is launched as, which fewer resident blocks or another carve-out would break or not reach:
  // "a cooperative launch". To follow "it is".
  std::string special;

  int BlockWarps() const { return static_cast<int>((1ULL * block.x * block.y * block.z + 31) / 32); }
  double Blocks() const { return 1.0 * grid.x * grid.y * grid.z; }
};

// CUPTI admits one subscriber to a process: no second one of these, and nothing else that subscribes, while it lives.
class LaunchIntervention {
 public:
  // Throws culprit::Error where another tool has subscribed.
  LaunchIntervention();
  ~LaunchIntervention();
  LaunchIntervention(const LaunchIntervention&) = delete;
  LaunchIntervention& operator=(const LaunchIntervention&) = delete;

  // Runs `work`, changes nothing, and returns the kernels that this thread launched meanwhile, in order. Work that is
  // captured into a graph, or launched from one, is not among them.
  std::vector<SeenLaunch> Watch(const std::function<void()>& work);
  // Runs `work`; every kernel that this thread launches meanwhile has so much more dynamic shared memory. Throws
  // culprit::Error unless it was one.
  void LaunchWith(std::int64_t added_shared_bytes, const std::function<void()>& work);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The attributes of a loaded kernel that limit how many of its blocks an SM holds. Takes them back when it goes.
class KernelResidency {
 public:
  // Allows launches with as much dynamic shared memory as the device has for a block. Throws culprit::Error.
  explicit KernelResidency(const SeenLaunch& launch);
  ~KernelResidency();
  KernelResidency(const KernelResidency&) = delete;
  KernelResidency& operator=(const KernelResidency&) = delete;

  // How much of L1's memory is to be shared memory, in percent, or kCarveoutAsItIs (db/records.h).
  void SetCarveout(int percent);
  // Blocks that an SM can hold when each has so much more dynamic shared memory.
  int BlocksWith(std::int64_t added_shared_bytes) const;
  // How much has to be added for just so many; none where no amount does.
  std::optional<std::int64_t> BytesFor(int blocks) const;
  bool UsesSharedMemory() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace culprit
