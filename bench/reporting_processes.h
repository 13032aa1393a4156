// SPDX-License-Identifier: Apache-2.0
// Child processes that each report to their parent on a pipe of their own: what they print elsewhere is not mixed in.
#pragma once
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace culprit {

struct EndedProcess {
  std::string report;    // all that it wrote to its pipe
  int status = 0;        // as waitpid gives it
  bool overdue = false;  // it was killed because it took too long
};

struct ProcessLimits {
  std::size_t at_a_time = 1;
  std::chrono::milliseconds deadline;  // for each, from its start or, if that was later, from Finish
};

// How a process is told its descriptors: in its last arguments, each an option and the number, "--report=" and 5.
struct DescriptorOptions {
  std::string report;   // what it writes there is its report
  std::string go = {};  // it reads there until the end before it begins; empty: it is not told, and begins at once
};

// Runs `program` once per entry of `commands` (argv, the program's name first). Their standard output is discarded.
// Processes that still run when this object goes are killed and reaped first.
class ReportingProcesses {
 public:
  // Starts as many as run at a time: they may make themselves ready until Finish. Throws culprit::Error when one cannot
  // be started; so does Finish.
  ReportingProcesses(std::string program, std::vector<std::vector<std::string>> commands, DescriptorOptions options,
                     ProcessLimits limits);
  ~ReportingProcesses();
  ReportingProcesses(const ReportingProcesses&) = delete;

  // Returns when each that was started has written something, has ended or is overdue.
  void AwaitFirstWords();

  // Lets them begin, starts the rest as others end, and tells `done` of each that ended, by index.
  void Finish(const std::function<void(std::size_t, const EndedProcess&)>& done);

 private:
  class Process;
  void StartMore();
  void ReadFrom(const std::vector<Process*>& processes);

  const std::string program_;
  const std::vector<std::vector<std::string>> commands_;
  const DescriptorOptions options_;
  const ProcessLimits limits_;
  int go_read_ = -1, go_write_ = -1;
  std::size_t next_ = 0;
  std::vector<Process> running_;
};

// In a process that was told where to wait: returns when it may begin.
void AwaitGo(int descriptor);

}  // namespace culprit
