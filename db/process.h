// SPDX-License-Identifier: Apache-2.0
// Tells a run in progress from one whose process is gone. Private to db/.
#pragma once
#include <cstdint>
#include <string>

namespace culprit {

struct ProcessStamp {
  std::string boot_id;  // of the machine's current boot; empty when unknown
  std::int64_t pid = 0;
  std::int64_t start = 0;  // clock ticks after boot; 0 when unknown
};

ProcessStamp ThisProcess();

// False when the process is gone, when its pid belongs to another process by now, and for another machine or boot.
bool IsAlive(const ProcessStamp& process);

}  // namespace culprit
