// SPDX-License-Identifier: Apache-2.0
#include "db/process.h"

#include <unistd.h>

#include <fstream>
#include <iterator>
#include <sstream>

namespace culprit {
namespace {

std::string BootId() {
  std::ifstream in("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(in, id);
  return id;
}

}  // namespace

// Fields 3, 4 and 22 of /proc/PID/stat (proc(5)). The second field is the program's name, which may contain anything,
// so skip to its end.
std::optional<LiveProcess> FindProcess(std::int64_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  LiveProcess process;
  char state = 0;  // 'Z': a zombie
  fields >> state >> process.parent;
  std::string skipped;
  for (int field = 5; field < 22; ++field) fields >> skipped;
  fields >> process.start;
  if (state == 0 || state == 'Z' || state == 'X') return std::nullopt;
  return process;
}

ProcessStamp ThisProcess() { return {BootId(), getpid(), FindProcess(getpid()).value_or(LiveProcess{}).start}; }

bool IsAlive(const ProcessStamp& process) {
  if (process.pid <= 0 || process.boot_id.empty() || process.boot_id != BootId()) return false;
  const std::optional<LiveProcess> now = FindProcess(process.pid);
  return now && now->start == process.start;
}

}  // namespace culprit
