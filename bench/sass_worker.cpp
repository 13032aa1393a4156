// SPDX-License-Identifier: Apache-2.0
#include "bench/sass_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "profiler/cuda_context.h"
#include "profiler/device_info.h"
#include "profiler/sass_collector.h"
#include "profiler/trace/kept_instructions.h"

namespace culprit {
namespace {

// The slowest kernel of the ladder takes seconds under patched code; a worker that needs so long hangs.
constexpr std::chrono::minutes kDeadline{10};

// Of a worker that reported nothing.
std::vector<Reading> FailedReadings(const std::string& chip) {
  std::vector<Reading> readings;
  for (const MetricDefinition& m : MetricsOf(MetricSource::kSass, MetricSet::kFull, chip))
    readings.push_back({m, std::nullopt, ReadingStatus::kFailed});
  return readings;
}

void Store(const Job& job, const EndedProcess& worker, const std::string& chip, RunWriter& writer,
           CollectorCost& cost) {
  const ProcessTrace trace = worker.Trace();
  for (const Warning& warning : trace.warnings) writer.Warn(warning, job.Name(), job.stored);
  if (trace.counted.empty()) {
    writer.StoreReadings(job.stored, FailedReadings(chip));
    writer.Warn({"sass_failed", fmt::format("the process that reads exact counts {}{} and without a report",
                                            worker.HowItEnded(kDeadline),
                                            worker.overdue ? ": look for a launch that never ends," : "")},
                job.Name(), job.stored);
    return;
  }
  const CountedLaunch& counted = trace.counted.front();
  const std::string& function = SymbolOf(trace, counted);
  std::vector<Reading> readings = counted.readings;
  const bool is_other = !function.empty() && !job.record.kernel.empty() && function != job.record.kernel;
  if (is_other) {
    // What another kernel did says nothing of the one that the launch is known by.
    for (Reading& r : readings)
      if (r.value) r = {r.metric, std::nullopt, ReadingStatus::kFailed};
    writer.Warn({"sass_other_kernel",
                 fmt::format("exact counts were read of {}, the first kernel that the launch starts, instead of {}, "
                             "and are left out",
                             function, job.record.kernel)},
                job.Name(), job.stored);
  }
  writer.StoreReadings(job.stored, readings);
  if (!is_other) writer.StoreInstructions(job.stored, counted.instructions);
  cost.launch_s += trace.counting_s;
  ++cost.launches;
}

// Job::Name is unique among the workloads that the arguments make.
std::vector<ReportingTask> Tasks(const std::vector<const Job*>& jobs, int argc, char** argv) {
  std::vector<ReportingTask> tasks;
  for (const Job* job : jobs) {
    ReportingTask& task = tasks.emplace_back(ReportingTask{{argv, argv + argc}, {.mode = TraceMode::kExact}});
    task.plan.jobs = {job->Name()};
    // Where nothing was timed before, nobody has asked yet what it launches. Of a single kernel, too: CUPTI counts the
    // first that it sees, and CUDA may set or copy memory by one of its own.
    if (!job->record.kernel.empty()) task.plan.kernels.push_back({job->record.kernel, {}, {}});
  }
  return tasks;
}

ProcessLimits Limits() {
  return {std::min<std::size_t>(SassWorkers::kMost, std::max(1u, std::thread::hardware_concurrency())), kDeadline};
}

}  // namespace

SassWorkers::SassWorkers(std::vector<const Job*> jobs, std::string chip, int argc, char** argv)
    : jobs_(std::move(jobs)),
      chip_(std::move(chip)),
      processes_("/proc/self/exe", Tasks(jobs_, argc, argv), Limits()) {}

CollectorCost SassWorkers::Finish(RunWriter& writer) {
  CollectorCost cost;
  std::size_t done = 0;
  processes_.Finish([&](std::size_t i, const EndedProcess& ended) {
    const Job& job = *jobs_[i];
    if (!job.IsMeasured()) return;  // it failed after its worker had started
    Store(job, ended, chip_, writer, cost);
    std::fprintf(stderr, "culprit: exact counts %zu/%zu %s\n", ++done, jobs_.size(), job.Name().c_str());
  });
  cost.passes = 1;
  return cost;
}

void ReportSassCounts(Job& job, const TracePlan& plan, ParentProcess& parent, TraceWriter& trace) {
  auto begin = std::chrono::steady_clock::now();
  SassCollector collector(MetricSet::kFull, ChipName());
  const Counted work{[&] {
                       if (job.workload.set_up) job.workload.set_up();
                       CheckCuda(cudaDeviceSynchronize(), "make the inputs of " + job.Name());
                       trace.Flush();  // ready
                       parent.AwaitGo();
                       begin = std::chrono::steady_clock::now();
                     },
                     [&] { job.workload.launch(nullptr); }, job.kernels,
                     plan.kernels.empty() ? "" : plan.kernels.front().symbol};
  CountedLaunch counted;
  counted.readings = collector.Collect({&work, 1}).front().front();
  counted.instructions = KeptInstructions(collector.Instructions());
  counted.kernel = trace.KernelNumber(collector.Function());
  if (collector.Trouble()) trace.Warn(*collector.Trouble());
  trace.CountingTook(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  trace.Counted(counted);
}

}  // namespace culprit
