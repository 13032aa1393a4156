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

struct ProcessState {
  char state = 0;  // 'Z': killed, its parent has not looked yet
  std::int64_t start = 0;
};

// Fields 3 and 22 of /proc/PID/stat (proc(5)). The second field is the program's name, which may hold anything: skip to
// its end.
ProcessState StateOf(std::int64_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream fields(text.substr(name_end + 1));
  ProcessState process;
  fields >> process.state;
  std::string skipped;
  for (int field = 4; field < 22; ++field) fields >> skipped;
  fields >> process.start;
  return process;
}

}  // namespace

ProcessStamp ThisProcess() { return {BootId(), getpid(), StateOf(getpid()).start}; }

bool IsAlive(const ProcessStamp& process) {
  if (process.pid <= 0 || process.boot_id.empty() || process.boot_id != BootId()) return false;
  const ProcessState now = StateOf(process.pid);
  return now.state != 0 && now.state != 'Z' && now.state != 'X' && now.start == process.start;
}

}  // namespace culprit
