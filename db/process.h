// SPDX-License-Identifier: Apache-2.0
// Processes of this machine. They show whether a run is in progress or its process has ended.
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
  std::int64_t start = 0;  // clock ticks after boot, because process ids are reused; 0 when unknown
};

// None if there is no such process or it is a zombie.
std::optional<LiveProcess> FindProcess(std::int64_t pid);

// False when the process has ended, another process has its pid, or it belongs to another machine or boot.
bool IsAlive(const ProcessStamp& process);

}  // namespace culprit
