// SPDX-License-Identifier: Apache-2.0
#include "bench/timing_processes.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdio>
#include <map>
#include <string>
#include <utility>

#include "bench/reporting_processes.h"
#include "bench/timed_launches.h"
#include "bench/timing_phase.h"
#include "bench/timing_report.h"

namespace culprit {
namespace {

// Timing takes as long as the user asks for; a launch that never ends never ended in one process either.
constexpr std::chrono::hours kDeadline{240};

EndedProcess RunOne(int number, bool verified, int argc, char** argv) {
  std::vector<std::string> command(argv, argv + argc);
  if (verified) command.push_back("--culprit-verified");
  if (number > 0) command.push_back("--benchmark_out=");  // the file is the first process's, as the table is
  EndedProcess ended;
  ReportingProcesses("/proc/self/exe", {command}, {.report = "--culprit-timing-report=", .shows_output = number == 0},
                     {1, kDeadline})
      .Finish([&](std::size_t, const EndedProcess& process) { ended = process; });
  return ended;
}

// 1 is a workload that failed, which its report says; anything else is the process's own failure.
bool WasLost(const EndedProcess& process) { return !WIFEXITED(process.status) || WEXITSTATUS(process.status) > 1; }

std::string HowItEnded(const EndedProcess& process) {
  return WIFSIGNALED(process.status) ? fmt::format("ended by signal {}", WTERMSIG(process.status))
                                     : fmt::format("ended with status {}", WEXITSTATUS(process.status));
}

// What all processes say of one job together.
struct Timed {
  std::vector<Sample> samples;
  bool reported = false;
};

void Fail(Job& job, const std::string& message) {
  job.record.state = LaunchState::kFailed;
  job.record.message = message;
}

void Describe(const TimingReport& report, Job& job) {
  const LaunchRecord ours = std::move(job.record);
  job.record = report.record;
  job.record.stage = ours.stage;
  job.record.shape = ours.shape;
  job.record.flop = ours.flop;
  job.record.min_bytes = ours.min_bytes;
  job.launched = report.launched;
  job.kernels = report.kernels;
}

void Add(const TimingReport& report, int number, Job& job, Timed& timed) {
  if (!timed.reported) Describe(report, job);
  timed.reported = true;
  for (Sample s : report.samples) {
    s.process = number;
    timed.samples.push_back(s);
  }
  if (report.record.state == LaunchState::kFailed && job.record.state != LaunchState::kFailed)
    Fail(job, fmt::format("process {} of those that timed: {}", number + 1, report.record.message));
}

}  // namespace

TimingResult RunTimingProcesses(std::vector<Job>& jobs, const BenchOptions& options, Recorder& recorder, Turns& turns,
                                int argc, char** argv) {
  TimingResult result;
  TimedLaunches launches(recorder);
  std::map<std::string, std::pair<Job*, Timed>> by_name;
  for (Job& job : jobs) by_name[job.Name()].first = &job;
  bool verified = false;
  for (int number = 0; number < options.processes; ++number) {
    if (number > 0) turns.Await();  // the first turn began with the run
    const EndedProcess ended = RunOne(number, verified, argc, argv);
    for (const TimingReport& report : ParseTimingReports(ended.report)) {
      const auto found = by_name.find(report.name);
      if (found == by_name.end()) continue;
      auto& [job, timed] = found->second;
      Add(report, number, *job, timed);
      launches.Store(*job, timed.samples);
      result.ran = true;
    }
    if (WasLost(ended)) {
      result.complete = false;
      recorder.Warn({"timing_process_lost",
                     fmt::format("process {} of {} that timed {}: what it had not reported by then is missing",
                                 number + 1, options.processes, HowItEnded(ended))});
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
      Fail(job, fmt::format("none of {} processes lived to time it", options.processes));
      StoreLaunch(job, recorder);
    }
  }
  return result;
}

int ReportTimes(std::vector<Job>& jobs, const BenchOptions& options, const Device& device,
                std::vector<std::string> google_benchmark) {
  BelongToParent(options.timing_report);
  bool failed = false;
  const auto report = [&](Job& job, std::span<const Sample> samples) {
    failed = failed || job.record.state == LaunchState::kFailed;
    WriteReport(
        options.timing_report,
        ToJsonLine({job.Name(), job.record, job.launched, job.kernels, {samples.begin(), samples.end()}}) + '\n');
  };
  std::erase_if(jobs, [](const Job& job) { return !job.workload.refusal.empty(); });  // said by our parent
  RunTimingPhase(jobs, options, device, report, std::move(google_benchmark));
  return failed ? 1 : 0;
}

}  // namespace culprit
