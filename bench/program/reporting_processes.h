// SPDX-License-Identifier: Apache-2.0
// Processes that measure for their parent. Each is told a plan on a pipe, and writes a trace to another: what it prints
// elsewhere is not mixed in.
#pragma once
#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <string>
#include <vector>

#include "profiler/trace/trace.h"

namespace culprit {

struct EndedProcess {
  std::string report;    // all that it wrote to its pipe
  int status = 0;        // as waitpid gives it
  bool overdue = false;  // it was killed because it took too long

  bool EndedWell() const { return status == 0 && !overdue; }
  // Nothing where it wrote nothing.
  ProcessTrace Trace() const;
  // "was ended after 5 minutes", "ended by signal 9", "ended with status 1".
  std::string HowItEnded(std::chrono::minutes deadline) const;
};

struct ReportingTask {
  std::vector<std::string> words;  // argv, the program's name first; the pipe descriptors are appended
  TracePlan plan;
};

struct ProcessLimits {
  std::size_t at_a_time = 1;
  std::chrono::milliseconds deadline;  // for each, from its start or, if that was later, from Finish
};

// Runs `program` once for each task. Processes that still run when this object goes are killed.
class ReportingProcesses {
 public:
  // Starts as many as run at a time: they may make themselves ready until Finish. Throws culprit::Error when one cannot
  // be started; so does Finish. The standard output of each is ours where `shows_output`, else it is discarded.
  ReportingProcesses(std::string program, std::vector<ReportingTask> tasks, ProcessLimits limits,
                     bool shows_output = false);
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
  const std::vector<ReportingTask> tasks_;
  const ProcessLimits limits_;
  const bool shows_output_;
  bool may_begin_ = false;
  std::size_t next_ = 0;
  std::list<Process> running_;
};

// Runs this program once more, for one task, until it has ended.
EndedProcess RunReporting(ReportingTask task, std::chrono::milliseconds deadline, bool shows_output = false);

// The option by which such a process learns of its pipes: the two descriptors follow it, as in "3,6".
inline constexpr const char* kParentOption = "--culprit-parent";

// In such a process: the one that started it.
class ParentProcess {
 public:
  // `descriptors`: as kParentOption has them. What this process starts does not hold them open.
  explicit ParentProcess(const std::string& descriptors);
  TracePlan ReadPlan();
  // Returns when this process may begin.
  void AwaitGo();
  // For a TraceWriter.
  int report() const { return report_; }

 private:
  int plan_ = -1, report_ = -1;
};

}  // namespace culprit
