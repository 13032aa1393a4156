// SPDX-License-Identifier: Apache-2.0
// Counts one launch of another program.
#pragma once
#include <cuda.h>

#include <vector>

#include "db/records.h"

namespace culprit {

struct LaunchCounts {
  std::vector<Reading> readings;  // empty: CUPTI counted nothing
  std::vector<InstructionRecord> instructions = {};
};

class LaunchCounter {
 public:
  virtual ~LaunchCounter() = default;

  // Counts the next kernel that is launched in the context. If it throws CuptiError or Error, nothing is counted.
  virtual void Begin(CUcontext context) = 0;
  // Waits until the kernel has ended. Call it on the launching thread. Throws as Begin does.
  virtual void Wait() {}
  // Call it after Wait. Throws as Begin does.
  virtual LaunchCounts End() = 0;
  // Switches counting off in a context that will be destroyed.
  virtual void Forget(CUcontext) {}
  virtual void Close() {}  // the same for all contexts
};

}  // namespace culprit
