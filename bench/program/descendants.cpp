// SPDX-License-Identifier: Apache-2.0
#include "bench/program/descendants.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>

#include "db/process.h"

namespace culprit {

Processes Line(pid_t pid, pid_t ancestor) {
  Processes line;
  while (pid != ancestor) {
    const std::optional<LiveProcess> process = pid > 1 ? FindProcess(pid) : std::nullopt;
    if (!process || process->start == 0 || !line.emplace(pid, process->start).second) return {};
    pid = static_cast<pid_t>(process->parent);
  }
  return line;
}

Processes Below(pid_t ancestor) {
  Processes found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename().string();
    if (std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; }))
      found.merge(Line(static_cast<pid_t>(std::strtol(name.c_str(), nullptr, 10)), ancestor));
  }
  return found;
}

bool IsThere(const Processes::value_type& one) {
  const std::optional<LiveProcess> process = FindProcess(one.first);
  return process && process->start == one.second;
}

void Send(int signal, const Processes& processes) {
  for (const auto& process : processes)
    if (IsThere(process)) kill(process.first, signal);
}

}  // namespace culprit
