// SPDX-License-Identifier: Apache-2.0
#include "bench/timing_processes.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdio>
#include <map>
#include <string>
#include <utility>

#include "bench/program/reporting_processes.h"
#include "bench/timed_launches.h"
#include "bench/timing_phase.h"

namespace culprit {
namespace {

// Timing takes as long as the user asks for; a launch that never ends never ended in one process either.
constexpr std::chrono::hours kDeadline{240};

EndedProcess RunOne(int number, bool is_verified, int argc, char** argv) {
  ReportingTask task{{argv, argv + argc}, {.mode = TraceMode::kTime, .is_verified = is_verified}};
  if (number > 0) task.words.push_back("--benchmark_out=");  // the file is the first process's, as the table is
  return RunReporting(std::move(task), kDeadline, number == 0);
}

// 1 is a workload that failed, which its report says; anything else is the process's own failure.
bool WasLost(const EndedProcess& process) { return !WIFEXITED(process.status) || WEXITSTATUS(process.status) > 1; }

// What all processes say of one job together.
struct Timed {
  std::vector<Sample> samples;
  bool reported = false;
};

void Describe(const TracedTiming& report, Job& job) {
  job.record = report.record;
  job.record.stage = job.workload.id;
  job.launched = report.launched;
  job.kernels = static_cast<std::size_t>(report.kernels);
}

void Add(const TracedTiming& report, int number, Job& job, Timed& timed) {
  if (!timed.reported) Describe(report, job);
  timed.reported = true;
  for (Sample s : report.samples) {
    s.process = number;
    timed.samples.push_back(s);
  }
  if (report.record.state == LaunchState::kFailed && job.record.state != LaunchState::kFailed)
    job.Fail(fmt::format("process {} of those that timed: {}", number + 1, report.record.message));
}

}  // namespace

TimingResult RunTimingProcesses(std::vector<Job>& jobs, const BenchOptions& options, RunWriter& writer, Turns& turns,
                                int argc, char** argv) {
  TimingResult result;
  TimedLaunches launches(writer);
  std::map<std::string, std::pair<Job*, Timed>> by_name;
  for (Job& job : jobs) by_name[job.Name()].first = &job;
  bool verified = false;
  for (int number = 0; number < options.processes; ++number) {
    if (number > 0) turns.Await();  // the first turn began with the run
    const EndedProcess ended = RunOne(number, verified, argc, argv);
    const ProcessTrace trace = ended.Trace();
    for (const Warning& warning : trace.warnings) writer.Warn(warning);
    for (const TracedTiming& report : trace.timed) {
      const auto found = by_name.find(report.about);
      if (found == by_name.end()) continue;
      auto& [job, timed] = found->second;
      Add(report, number, *job, timed);
      launches.Store(*job, timed.samples);
      result.ran = true;
    }
    if (WasLost(ended)) {
      result.complete = false;
      writer.Warn({"timing_process_lost",
                   fmt::format("process {} of {} that timed {}; the samples that it had not reported are missing",
                               number + 1, options.processes, ended.HowItEnded(kDeadline))});
    } else {
      verified = true;
      std::fprintf(stderr, "culprit: process %d of %d has timed\n", number + 1, options.processes);
    }
    turns.Pass();
  }
  for (Job& job : jobs) {
    const Timed& timed = by_name.at(job.Name()).second;
    if (timed.reported)
      launches.WarnOf(job, timed.samples);
    else if (!result.complete) {
      job.Fail(fmt::format("all of {} processes ended before they timed it", options.processes));
      StoreLaunch(job, writer);
    }
  }
  return result;
}

int ReportTimes(std::vector<Job>& jobs, const BenchOptions& options, const Device& device,
                std::vector<std::string> google_benchmark, TraceWriter& trace) {
  bool failed = false;
  const auto report = [&](Job& job, std::span<const Sample> samples) {
    failed = failed || job.record.state == LaunchState::kFailed;
    trace.Timed({job.Name(),
                 job.record,
                 static_cast<std::int64_t>(job.kernels),
                 job.launched,
                 {samples.begin(), samples.end()}});
    trace.Flush();
  };
  std::erase_if(jobs, [](const Job& job) { return !job.workload.refusal.empty(); });  // said by our parent
  RunTimingPhase(jobs, options, device, report, std::move(google_benchmark));
  return failed ? 1 : 0;
}

}  // namespace culprit
