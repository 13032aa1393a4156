// SPDX-License-Identifier: Apache-2.0
#include "bench/sass_worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <thread>

#include "bench/reporting_processes.h"
#include "bench/sass_report.h"
#include "profiler/device_info.h"
#include "profiler/sass_collector.h"

namespace culprit {
namespace {

// Starting CUDA is mostly time in the driver, under locks: more than a few processes at once only wait for each other.
constexpr std::size_t kMostWorkers = 6;

// The slowest kernel of the ladder takes seconds under patched code; a worker that needs so long hangs.
constexpr std::chrono::minutes kDeadline{10};

std::string HowItEnded(const ProcessOutcome& worker) {
  if (worker.overdue)
    return fmt::format("was ended after {} minutes: look for a launch that never ends,", kDeadline.count());
  if (WIFSIGNALED(worker.status)) return fmt::format("ended by signal {}", WTERMSIG(worker.status));
  return fmt::format("ended with status {}", WEXITSTATUS(worker.status));
}

// Stores what the worker reported; without a report every metric is kFailed.
void Store(const Job& job, const ProcessOutcome& worker, const std::string& chip, Recorder& recorder,
           CollectorCost& cost) {
  const auto metrics = MetricsOf(MetricSource::kSass, MetricSet::kFull, chip);
  const auto report = ParseSassReport(worker.report, metrics);
  if (!report) {
    std::vector<Reading> readings;
    for (const MetricDefinition& m : metrics) readings.push_back({m, std::nullopt, ReadingStatus::kFailed});
    recorder.StoreReadings(job, readings);
    recorder.Warn(
        {"sass_failed", "the process that reads exact counts " + HowItEnded(worker) + " and without a report"}, &job);
    return;
  }
  recorder.StoreReadings(job, report->readings);
  recorder.StoreInstructions(job, report->instructions);
  if (report->trouble) recorder.Warn(*report->trouble, &job);
  if (!report->function.empty() && !job.record.kernel.empty() && report->function != job.record.kernel)
    recorder.Warn({"sass_other_kernel",
                   fmt::format("exact counts are of {}, the first kernel that the launch starts", report->function)},
                  &job);
  cost.launch_s += report->seconds;
  ++cost.launches;
}

}  // namespace

CollectorCost RunSassWorkers(const std::vector<Job*>& jobs, const std::string& chip, Recorder& recorder, int argc,
                             char** argv) {
  CollectorCost cost;
  std::vector<std::vector<std::string>> commands;
  for (const Job* job : jobs) {
    commands.emplace_back(argv, argv + argc);
    // The option's value names the job as Job::Name does: it is unique among the workloads that these arguments make.
    commands.back().push_back("--culprit-sass-worker=" + job->Name());
  }
  const ProcessLimits limits{std::min<std::size_t>(kMostWorkers, std::max(1u, std::thread::hardware_concurrency())),
                             kDeadline};
  std::size_t done = 0;
  RunReporting(
      "/proc/self/exe", commands, "--culprit-sass-report=", limits, [&](std::size_t i, const ProcessOutcome& outcome) {
        Store(*jobs[i], outcome, chip, recorder, cost);
        std::fprintf(stderr, "culprit: exact counts %zu/%zu %s\n", ++done, jobs.size(), jobs[i]->Name().c_str());
      });
  cost.passes = 1;
  return cost;
}

void ReportSassCounts(Job& job, int descriptor) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);        // nobody reads the report of a worker whose parent was killed
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);  // a process that the workload starts must not keep the report open
  const auto begin = std::chrono::steady_clock::now();
  SassCollector collector(MetricSet::kFull, ChipName());
  const Counted work{job.workload.set_up, [&] { job.workload.launch(nullptr); }};
  SassReport report;
  report.readings = collector.Collect({&work, 1}).front().front();
  report.instructions = collector.Instructions();
  report.function = collector.Function();
  report.trouble = collector.Trouble();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const std::string line = ToJsonLine(report) + '\n';
  for (std::size_t written = 0; written < line.size();) {
    const ssize_t more = write(descriptor, line.data() + written, line.size() - written);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) throw Error("cannot report exact counts: the process that asked for them has closed the pipe");
    written += static_cast<std::size_t>(more);
  }
}

}  // namespace culprit
