// SPDX-License-Identifier: Apache-2.0
// Processes of this machine; tells a run in progress from one whose process is gone.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

namespace culprit {

struct ProcessStamp {
  std::string boot_id;  // of the machine's current boot; empty when unknown
  std::int64_t pid = 0;
  std::int64_t start = 0;  // clock ticks after boot; 0 when unknown
};

ProcessStamp ThisProcess();

struct LiveProcess {
  std::int64_t parent = 0;
  std::int64_t start = 0;  // clock ticks after boot: a process id is given again, with another one; 0 when unknown
};

// None where there is no such process, or nothing but its exit status is left of it.
std::optional<LiveProcess> FindProcess(std::int64_t pid);

// False when the process is gone, when its pid belongs to another process by now, and for another machine or boot.
bool IsAlive(const ProcessStamp& process);

}  // namespace culprit
