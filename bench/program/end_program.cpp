// SPDX-License-Identifier: Apache-2.0
#include "bench/program/end_program.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

#include "bench/program/descendants.h"
#include "db/error.h"
#include "db/process.h"
#include "profiler/trace/trace.h"

namespace culprit {
namespace {

constexpr std::chrono::milliseconds kLook{20};

Processes Traced(pid_t child, const std::filesystem::path& traces) try {
  if (traces.empty()) return Below(child);
  Processes found;
  for (const ProcessTrace& trace : ReadTraces(traces)) found.merge(Line(static_cast<pid_t>(trace.pid), child));
  return found;
} catch (const Error&) {
  return {};
}

bool AreGoneWithin(std::chrono::seconds patience, pid_t child, const Processes& others) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (FindProcess(child) || std::ranges::any_of(others, IsThere)) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kLook);
  }
  return true;
}

// The child keeps its id until we wait for it.
void SendToAll(int signal, pid_t child, const Processes& others) {
  kill(child, signal);
  Send(signal, others);
}

}  // namespace

void EndProgram(pid_t child, const std::filesystem::path& traces, std::chrono::seconds patience) {
  // Looked for first: once the child is gone its descendants are no longer known as such.
  Processes others = Traced(child, traces);
  SendToAll(SIGTERM, child, others);
  if (AreGoneWithin(patience, child, others)) return;
  others.merge(Traced(child, traces));  // of a program that began others instead
  if (traces.empty()) {
    Send(SIGKILL, others);
    if (AreGoneWithin(kToEnd, child, others)) return;
  }
  SendToAll(SIGKILL, child, others);
  AreGoneWithin(kToEnd, child, others);
}

}  // namespace culprit
