// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/end_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <thread>

#include "db/error.h"
#include "db/trace.h"

namespace culprit {
namespace {

constexpr std::chrono::seconds kToEnd{5};  // from SIGTERM to SIGKILL, and from there until we give up
constexpr std::chrono::milliseconds kLook{20};

struct Process {
  pid_t parent = 0;
  std::string start;  // in clock ticks since the machine's: a process id is given again, with another one
};

// None where there is no such process, or nothing but its exit status is left of it.
std::optional<Process> ProcessOf(pid_t pid) {
  std::ifstream in(fmt::format("/proc/{}/stat", pid), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::size_t name_end = text.rfind(')');  // the name may hold anything
  if (name_end == text.npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  Process process;
  std::string state, skipped;
  fields >> state >> process.parent;
  constexpr int kBetween = 17;  // proc(5): fields 5 to 21; the start is 22
  for (int i = 0; i < kBetween; ++i) fields >> skipped;
  if (!(fields >> process.start) || state == "Z" || state == "X") return std::nullopt;
  return process;
}

using Processes = std::map<pid_t, std::string>;  // and when each began

// `pid` and those between it and `ancestor`; nothing where it does not descend from it.
Processes Line(pid_t pid, pid_t ancestor) {
  Processes line;
  while (pid != ancestor) {
    const std::optional<Process> process = pid > 1 ? ProcessOf(pid) : std::nullopt;
    if (!process || !line.emplace(pid, process->start).second) return {};
    pid = process->parent;
  }
  return line;
}

Processes Traced(pid_t child, const std::filesystem::path& traces) try {
  Processes found;
  for (const ProcessTrace& trace : ReadTraces(traces)) found.merge(Line(static_cast<pid_t>(trace.pid), child));
  return found;
} catch (const Error&) {
  return {};
}

bool IsThere(const std::pair<const pid_t, std::string>& one) {
  const std::optional<Process> process = ProcessOf(one.first);
  return process && process->start == one.second;
}

bool AreGoneWithin(std::chrono::seconds patience, pid_t child, const Processes& others) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (ProcessOf(child) || std::ranges::any_of(others, IsThere)) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(kLook);
  }
  return true;
}

// The child keeps its id until we wait for it.
void Send(int signal, pid_t child, const Processes& others) {
  kill(child, signal);
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
  Send(SIGKILL, child, others);
  AreGoneWithin(kToEnd, child, others);
}

}  // namespace culprit
