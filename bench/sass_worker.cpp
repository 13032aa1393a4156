// SPDX-License-Identifier: Apache-2.0
#include "bench/sass_worker.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "bench/reporting_processes.h"
#include "bench/sass_report.h"
#include "db/kept_instructions.h"
#include "profiler/cuda_context.h"
#include "profiler/device_info.h"
#include "profiler/sass_collector.h"

namespace culprit {
namespace {

// The slowest kernel of the ladder takes seconds under patched code; a worker that needs so long hangs.
constexpr std::chrono::minutes kDeadline{10};

std::string HowItEnded(const EndedProcess& worker) {
  if (worker.overdue)
    return fmt::format("was ended after {} minutes: look for a launch that never ends,", kDeadline.count());
  if (WIFSIGNALED(worker.status)) return fmt::format("ended by signal {}", WTERMSIG(worker.status));
  return fmt::format("ended with status {}", WEXITSTATUS(worker.status));
}

// Stores what the worker reported; without a report every metric is kFailed.
void Store(const Job& job, const EndedProcess& worker, const std::string& chip, Recorder& recorder,
           CollectorCost& cost) {
  const auto metrics = MetricsOf(MetricSource::kSass, MetricSet::kFull, chip);
  auto report = ParseSassReport(worker.report, metrics);
  if (!report) {
    std::vector<Reading> readings;
    for (const MetricDefinition& m : metrics) readings.push_back({m, std::nullopt, ReadingStatus::kFailed});
    recorder.StoreReadings(job.stored, readings);
    recorder.Warn(
        {"sass_failed", "the process that reads exact counts " + HowItEnded(worker) + " and without a report"},
        job.Name(), job.stored);
    return;
  }
  if (report->trouble) recorder.Warn(*report->trouble, job.Name(), job.stored);
  if (!report->function.empty() && !job.record.kernel.empty() && report->function != job.record.kernel) {
    // What another kernel did says nothing of the one that the launch is known by.
    for (Reading& r : report->readings)
      if (r.value) r = {r.metric, std::nullopt, ReadingStatus::kFailed};
    report->instructions.clear();
    recorder.Warn({"sass_other_kernel",
                   fmt::format("exact counts were read of {}, the first kernel that the launch starts, instead of {}, "
                               "and are left out",
                               report->function, job.record.kernel)},
                  job.Name(), job.stored);
  }
  recorder.StoreReadings(job.stored, report->readings);
  recorder.StoreInstructions(job.stored, report->instructions);
  cost.launch_s += report->seconds;
  ++cost.launches;
}

// What each is started with. The option's value names the job as Job::Name does: it is unique among the workloads that
// these arguments make.
std::vector<std::vector<std::string>> Commands(const std::vector<const Job*>& jobs, int argc, char** argv) {
  std::vector<std::vector<std::string>> commands;
  for (const Job* job : jobs) {
    commands.emplace_back(argv, argv + argc);
    commands.back().push_back("--culprit-sass-worker=" + job->Name());
    // Where nothing was timed before, nobody has asked yet what it launches. Of a single kernel, too: CUPTI counts the
    // first that it sees, and CUDA may set or copy memory by one of its own.
    if (!job->record.kernel.empty()) commands.back().push_back("--culprit-sass-kernel=" + job->record.kernel);
  }
  return commands;
}

ProcessLimits Limits() {
  return {std::min<std::size_t>(SassWorkers::kMost, std::max(1u, std::thread::hardware_concurrency())), kDeadline};
}

}  // namespace

SassWorkers::SassWorkers(std::vector<const Job*> jobs, std::string chip, int argc, char** argv)
    : jobs_(std::move(jobs)),
      chip_(std::move(chip)),
      processes_("/proc/self/exe", Commands(jobs_, argc, argv), {"--culprit-sass-report=", "--culprit-sass-go="},
                 Limits()) {}

CollectorCost SassWorkers::Finish(Recorder& recorder) {
  CollectorCost cost;
  std::size_t done = 0;
  processes_.Finish([&](std::size_t i, const EndedProcess& ended) {
    const Job& job = *jobs_[i];
    if (!job.stored || job.record.state != LaunchState::kOk) return;  // it failed after its worker had started
    Store(job, ended, chip_, recorder, cost);
    std::fprintf(stderr, "culprit: exact counts %zu/%zu %s\n", ++done, jobs_.size(), job.Name().c_str());
  });
  cost.passes = 1;
  return cost;
}

void ReportSassCounts(Job& job, const BenchOptions& options) {
  const int descriptor = options.sass_report, go = options.sass_go;
  BelongToParent(descriptor);
  BelongToParent(go);
  auto begin = std::chrono::steady_clock::now();
  SassCollector collector(MetricSet::kFull, ChipName());
  const Counted work{[&] {
                       if (job.workload.set_up) job.workload.set_up();
                       CheckCuda(cudaDeviceSynchronize(), "make the inputs of " + job.Name());
                       WriteReport(descriptor, "\n");  // ready
                       AwaitGo(go);
                       begin = std::chrono::steady_clock::now();
                     },
                     [&] { job.workload.launch(nullptr); }, job.kernels, options.sass_kernel};
  SassReport report;
  report.readings = collector.Collect({&work, 1}).front().front();
  report.instructions = KeptInstructions(collector.Instructions());
  report.function = collector.Function();
  report.trouble = collector.Trouble();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  WriteReport(descriptor, ToJsonLine(report) + '\n');
}

}  // namespace culprit
