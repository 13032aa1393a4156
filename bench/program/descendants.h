// SPDX-License-Identifier: Apache-2.0
// The descendants of one of our processes, read from /proc.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <map>

namespace culprit {

using Processes = std::map<pid_t, std::int64_t>;  // with the start time of each, because ids are reused

// `pid` and the processes between it and `ancestor`. Empty if it is no descendant.
Processes Line(pid_t pid, pid_t ancestor);

// All descendants of `ancestor`. A process is no descendant if its parent has ended, as for a daemon.
Processes Below(pid_t ancestor);

bool IsThere(const Processes::value_type& process);

void Send(int signal, const Processes& processes);

}  // namespace culprit
