// SPDX-License-Identifier: Apache-2.0
// Ends an execution of a recorded program that exceeds its time limit, or whose window is over.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <filesystem>

namespace culprit {

inline constexpr std::chrono::seconds kToEnd{5};

// Sends SIGTERM to `child`, to its descendants with a trace in `traces`, and to the processes between them. Sends
// SIGKILL to those that remain after `patience`. If `traces` is empty, all descendants get the signals, and the child
// gets SIGKILL five seconds after them, because it may clean up. Returns when all have ended, or after five more
// seconds, because a process may hang in a driver. Do not call waitpid for `child` before.
void EndProgram(pid_t child, const std::filesystem::path& traces, std::chrono::seconds patience = kToEnd);

}  // namespace culprit
