// SPDX-License-Identifier: Apache-2.0
// Ends an execution of a recorded program that takes longer than it may.
#pragma once
#include <sys/types.h>

#include <filesystem>

namespace culprit {

// `child`: ours, not waited for yet. SIGTERM to it, to its descendants that have a trace in `traces`, and to those
// between; SIGKILL to whichever of them is still there five seconds later. Where `traces` names no folder: to all of
// its descendants, and to the child itself, which may tidy up behind them, only five seconds after theirs. No other
// process gets a signal. Returns when all of them are gone, or five seconds after that: a process that hangs in a
// driver does not end.
void EndProgram(pid_t child, const std::filesystem::path& traces);

}  // namespace culprit
