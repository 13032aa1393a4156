// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/end_program.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <thread>

#include "db/error.h"
#include "db/process.h"
#include "db/trace.h"

namespace culprit {
namespace {

constexpr std::chrono::seconds kToEnd{5};  // from SIGTERM to SIGKILL, and from there until we give up
constexpr std::chrono::milliseconds kLook{20};

using Processes = std::map<pid_t, std::int64_t>;  // and when each began

// `pid` and those between it and `ancestor`; nothing where it does not descend from it.
Processes Line(pid_t pid, pid_t ancestor) {
  Processes line;
  while (pid != ancestor) {
    const std::optional<LiveProcess> process = pid > 1 ? FindProcess(pid) : std::nullopt;
    if (!process || process->start == 0 || !line.emplace(pid, process->start).second) return {};
    pid = static_cast<pid_t>(process->parent);
  }
  return line;
}

Processes Below(pid_t child) {
  Processes found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename().string();
    if (std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; }))
      found.merge(Line(static_cast<pid_t>(std::strtol(name.c_str(), nullptr, 10)), child));
  }
  return found;
}

Processes Traced(pid_t child, const std::filesystem::path& traces) try {
  if (traces.empty()) return Below(child);
  Processes found;
  for (const ProcessTrace& trace : ReadTraces(traces)) found.merge(Line(static_cast<pid_t>(trace.pid), child));
  return found;
} catch (const Error&) {
  return {};
}

bool IsThere(const Processes::value_type& one) {
  const std::optional<LiveProcess> process = FindProcess(one.first);
  return process && process->start == one.second;
}

bool AreGoneWithin(std::chrono::seconds patience, pid_t child, const Processes& others) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (FindProcess(child) || std::ranges::any_of(others, IsThere)) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kLook);
  }
  return true;
}

// The child keeps its id until we wait for it. 0: to the others alone.
void Send(int signal, pid_t child, const Processes& others) {
  if (child > 0) kill(child, signal);
  for (const auto& other : others)
    if (IsThere(other)) kill(other.first, signal);
}

}  // namespace

void EndProgram(pid_t child, const std::filesystem::path& traces) {
  // Looked for first: once the child is gone its descendants are no longer known as such.
  Processes others = Traced(child, traces);
  Send(SIGTERM, child, others);
  if (AreGoneWithin(kToEnd, child, others)) return;
  others.merge(Traced(child, traces));  // of a program that began others instead
  if (traces.empty()) {
    Send(SIGKILL, 0, others);
    if (AreGoneWithin(kToEnd, child, others)) return;
  }
  Send(SIGKILL, child, others);
  AreGoneWithin(kToEnd, child, others);
}

}  // namespace culprit
