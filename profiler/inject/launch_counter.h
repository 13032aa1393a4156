// SPDX-License-Identifier: Apache-2.0
// Counts one launch of somebody else's program.
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

  // Counts the kernel that is launched in the context next. Throws CuptiError or Error, and then nothing is counted.
  virtual void Begin(CUcontext context) = 0;
  // Until the kernel has ended, where the launch comes back before: on the thread that made it. Throws as Begin does.
  virtual void Wait() {}
  // After that. Throws as Begin does.
  virtual LaunchCounts End() = 0;
  // The context goes: what is armed in it is taken down first.
  virtual void Forget(CUcontext) {}
  virtual void Close() {}  // as if all contexts went
};

}  // namespace culprit
