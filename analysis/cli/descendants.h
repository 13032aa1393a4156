// SPDX-License-Identifier: Apache-2.0
// The processes below one of ours, as /proc tells of them now.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <map>

namespace culprit {

using Processes = std::map<pid_t, std::int64_t>;  // and when each began, which tells it from the next one of its id

// `pid` and those between it and `ancestor`; empty where it does not descend from it.
Processes Line(pid_t pid, pid_t ancestor);

// All that descend from `ancestor`. One whose parent has ended, as that of a daemon does, descends from nobody here.
Processes Below(pid_t ancestor);

bool IsThere(const Processes::value_type& process);

void Send(int signal, const Processes& processes);

}  // namespace culprit
