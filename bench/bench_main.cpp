// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <iostream>
#include <new>
#include <optional>
#include <set>

#include "bench/build_info.h"
#include "bench/command_line.h"
#include "bench/counting_phase.h"
#include "bench/intervention_phase.h"
#include "bench/machine_phase.h"
#include "bench/options.h"
#include "bench/program/reporting_processes.h"
#include "bench/run_writer.h"
#include "bench/sampling_phase.h"
#include "bench/sass_worker.h"
#include "bench/standard_output.h"
#include "bench/timed_launches.h"
#include "bench/timing_phase.h"
#include "bench/timing_processes.h"
#include "bench/turns.h"
#include "bench/workload.h"
#include "db/new_run_id.h"
#include "db/sampled_counters.h"
#include "profiler/cuda_context.h"
#include "profiler/device_info.h"

namespace culprit {
namespace {

void Say(const std::string& sentence) { std::fprintf(stderr, "culprit: %s\n", sentence.c_str()); }

std::vector<Job> MakeJobs(const BenchOptions& options, const MakeWorkloads& make) {
  std::vector<Job> jobs;
  std::set<std::string> names;
  for (Workload& w : make(options)) {
    if (!Selected(options.stages, w.id)) continue;
    Job job;
    job.record.stage = w.id;
    job.record.shape = w.shape;
    job.record.flop = w.flop;
    job.record.min_bytes = w.min_bytes;
    job.workload = std::move(w);
    if (!names.insert(job.Name()).second)
      throw Error(fmt::format(
          "two workloads are called {}: name each shape once, and give each workload a different id", job.Name()));
    jobs.push_back(std::move(job));
  }
  return jobs;
}

RunRecord RunOf(const BenchOptions& options, std::optional<Device> device, int argc, char** argv) {
  RunRecord run;
  run.uuid = NewUuid();
  run.started_utc = NowUtc();
  run.git_sha = kGitSha;
  run.git_dirty = kGitDirty;
  run.toolchain = CurrentToolchain();
  run.label = options.label;
  run.command_line = CommandLine(argc, argv);
  run.profile = !options.profile ? "none" : *options.profile == MetricSet::kFull ? "full" : "core";
  if (options.samples_counters) run.profile = kSampledSource;
  run.l2 = options.l2 == CacheState::kFlush ? "flush" : "hot";
  run.seed = options.seed;
  if (device) run.gpu_uuids = CurrentDeviceUuid();
  run.device = std::move(device);
  return run;
}

// Refused shapes are said and recorded, and leave the list.
void RefuseWhatIsRefused(std::vector<Job>& jobs, RunWriter& writer) {
  std::erase_if(jobs, [&](Job& job) {
    if (job.workload.refusal.empty()) return false;
    job.record.state = LaunchState::kRefused;
    job.record.message = job.workload.refusal;
    Say(job.workload.refusal);
    StoreLaunch(job, writer);
    return true;
  });
}

int RecordWithoutDevice(std::vector<Job>& jobs, const BenchOptions& options, const std::string& why, int argc,
                        char** argv) {
  if (options.db.empty()) throw Error(why + "; with --db FILE the static attributes of the kernels are still recorded");
  RunWriter writer(options.db, RunOf(options, std::nullopt, argc, argv));
  for (const Job& job : jobs) StoreStage(job, writer);
  RunWriter nowhere;  // refusals are said, but nothing was going to be launched
  RefuseWhatIsRefused(jobs, nowhere);
  writer.Warn({"no_device", why + ": only static attributes were recorded"});
  writer.Finish();
  return 0;
}

int LaunchOnce(std::vector<Job>& jobs) {
  for (Job& job : jobs) {
    if (!job.workload.refusal.empty()) continue;
    if (job.workload.set_up) job.workload.set_up();
    job.workload.launch(nullptr);
    CheckCuda(cudaDeviceSynchronize(), "run " + job.Name());
    std::cout << job.Name() << '\n';  // which launches the other tool's records belong to
  }
  std::cout.flush();
  return 0;
}

// For each workload its name and the error over its bound, or what went wrong. One that has nothing to compare with is
// launched, so that the tool which this runs under sees it.
int VerifyEach(std::vector<Job>& jobs) {
  int status = 0;
  for (Job& job : jobs) {
    const Workload& w = job.workload;
    if (!w.refusal.empty()) continue;
    std::string said;
    try {
      if (w.set_up) w.set_up();
      if (w.verify) {
        const VerifyResult found = w.verify();
        said = found.passed ? fmt::format("{:.6f}", found.error_over_bound) : found.message;
        if (!found.passed) status = 1;
      } else {
        w.launch(nullptr);
        said = "launched, but not verified because there is no reference";
      }
      CheckCuda(cudaDeviceSynchronize(), "run " + job.Name());
    } catch (const std::exception& e) {
      said = e.what();
      status = 1;
    }
    std::cout << job.Name() << ' ' << said << std::endl;
  }
  return status;
}

Job& JobCalled(const std::string& name, std::vector<Job>& jobs) {
  const auto found = std::ranges::find(jobs, name, &Job::Name);
  if (found == jobs.end()) throw Error("no workload is called " + name);
  return *found;
}

// In a process that another one has started.
int MeasureForParent(std::vector<Job>& jobs, ParsedOptions parsed) {
  ParentProcess parent(parsed.options.parent);
  const TracePlan plan = parent.ReadPlan();
  TraceWriter trace(parent.report());
  if (plan.mode == TraceMode::kSample) {  // before anything else arms CUPTI
    ReportSamples(jobs, parsed.options, plan, trace);
    return 0;
  }
  std::string why;
  const auto device = CurrentDevice(&why);
  if (!device) throw Error(why);
  if (plan.mode == TraceMode::kExact) {
    ReportSassCounts(JobCalled(plan.jobs.at(0), jobs), plan, parent, trace);
    return 0;
  }
  parsed.options.verified = plan.is_verified;
  return ReportTimes(jobs, parsed.options, *device, parsed.google_benchmark, trace);
}

void SayCost(const InterventionCost& cost) {
  if (cost.launches > 0)
    Say(fmt::format("interventions: {:.3f} s per launch, {:.3f} s at most ({} launches), and {:.2f} s to set them up",
                    cost.launch_s / cost.launches, cost.longest_s, cost.launches, cost.set_up_s));
}

void SayCost(const SamplingCost& cost) {
  if (cost.processes > 0)
    Say(fmt::format("samples of instructions: {:.2f} s in {} process{} of their own ({} launches)", cost.seconds,
                    cost.processes, cost.processes == 1 ? "" : "es", cost.launches));
}

void SayCost(const CountingCost& cost) {
  if (cost.range.launches > 0)
    Say(fmt::format(
        "hardware counters: {:.2f} s to start, {:.3f} s per launch ({} passes, {} launches, repetitions included)",
        cost.range.set_up_s, cost.range.launch_s / cost.range.launches, cost.range.passes, cost.range.launches));
  if (cost.sass.launches > 0)
    Say(fmt::format("exact counts: {:.3f} s per launch in its own process ({} launches, several at a time)",
                    cost.sass.launch_s / cost.sass.launches, cost.sass.launches));
}

// Whether processes for exact counts may have their inputs on the device beside ours. A workload that does not say how
// much it moves may need any amount.
bool FitBeside(const std::vector<Job>& jobs, const Device& device) {
  constexpr double kCopies = 2;  // of what a launch reads and writes at least
  double most = 0;
  for (const Job& job : jobs) {
    if (!(job.workload.min_bytes > 0)) return false;
    most = std::max(most, job.workload.min_bytes);
  }
  return kCopies * most * static_cast<double>(SassWorkers::kMost + 1) < static_cast<double>(device.memory_bytes) / 2;
}

// Inputs, and what a library makes at its first launch, of a job that this process did not time.
void PrepareToCount(Job& job) {
  try {
    Prepare(job, false);
  } catch (const std::exception& e) {
    job.Fail(e.what());
  }
}

// In this process, or in several of their own.
TimingResult Time(std::vector<Job>& jobs, const ParsedOptions& parsed, const Device& device, RunWriter& writer,
                  Turns& turns, int argc, char** argv) {
  if (parsed.options.processes > 1) return RunTimingProcesses(jobs, parsed.options, writer, turns, argc, argv);
  TimedLaunches launches(writer);
  const bool ran = RunTimingPhase(
      jobs, parsed.options, device,
      [&](Job& job, std::span<const Sample> samples) {
        launches.Store(job, samples);
        launches.WarnOf(job, samples);
      },
      parsed.google_benchmark);
  turns.Pass();
  return {ran, true};
}

int Measure(std::vector<Job>& jobs, const ParsedOptions& parsed, const Device& device, int argc, char** argv) {
  const BenchOptions& options = parsed.options;
  Turns turns(options.turn, options.turn_done);
  turns.Await();
  RunWriter writer = options.db.empty() ? RunWriter() : RunWriter(options.db, RunOf(options, device, argc, argv));
  RefuseWhatIsRefused(jobs, writer);
  if (jobs.empty()) {
    writer.Finish();
    throw Error("no kernel accepts any of the requested shapes (see the sentences above, and 'culprit list')");
  }
  std::optional<SassWorkers> workers;
  const auto start_workers = [&](auto wanted) {
    std::vector<const Job*> chosen;
    for (const Job& job : jobs)
      if (std::invoke(wanted, job)) chosen.push_back(&job);
    workers.emplace(std::move(chosen), device.chip, argc, argv);
  };
  const bool exact = options.profile == MetricSet::kFull && !options.db.empty();
  const bool early = exact && FitBeside(jobs, device);
  bool complete = true;
  if (options.count_only) {
    if (early) start_workers([](const Job&) { return true; });
    for (Job& job : jobs) {
      PrepareToCount(job);
      StoreLaunch(job, writer);
    }
  } else {
    const auto timed = Time(jobs, parsed, device, writer, turns, argc, argv);
    complete = timed.complete;
    if (!timed.ran) Say("no recorded workload matched --benchmark_filter");
    turns.Await();  // to count
    if (options.processes > 1 && options.Counts())
      for (Job& job : jobs)
        if (job.IsMeasured()) PrepareToCount(job);
    if (timed.ran && exact) SayCost(RunInterventionPhase(jobs, options, device, writer));
    if (timed.ran && options.lines) SayCost(RunSamplingPhase(jobs, device, writer, argc, argv));
  }
  RunMachinePhase(options, device, writer);
  if (early && !workers) start_workers(&Job::IsMeasured);  // nothing else may start while something is timed
  if (options.Counts()) {
    CountingCost cost = RunCountingPhase(jobs, options, device, writer, workers ? &*workers : nullptr);
    if (exact && !early) {
      start_workers(&Job::IsMeasured);
      cost.sass = workers->Finish(writer);
    }
    SayCost(cost);
  }
  writer.Finish();
  turns.Pass();
  int failed = complete ? 0 : 1;
  for (const Job& job : jobs)
    if (job.record.state == LaunchState::kFailed) {
      Say(job.Name() + ": " + job.record.message);
      ++failed;
    }
  return failed == 0 ? 0 : 1;
}

int Run(int argc, char** argv, const MakeWorkloads& make) {
  const ParsedOptions parsed = ParseOptions(argc, argv);
  if (parsed.help) {
    std::cout << OptionsHelp(argv[0]) << "\n";
    benchmark::PrintDefaultHelp();
    return 0;
  }
  std::vector<Job> jobs = MakeJobs(parsed.options, make);
  if (jobs.empty()) throw Error("no kernel matches --stages: see --benchmark_list_tests for their names");
  if (parsed.list_only) {
    std::erase_if(jobs, [](const Job& job) { return !job.workload.refusal.empty(); });
    RunTimingPhase(
        jobs, parsed.options, std::nullopt, [](Job&, std::span<const Sample>) {}, parsed.google_benchmark);
    return 0;
  }
  if (!parsed.options.parent.empty()) return MeasureForParent(jobs, parsed);
  std::string why;
  const auto device = CurrentDevice(&why);
  if (!device) return RecordWithoutDevice(jobs, parsed.options, why, argc, argv);
  if (parsed.options.once) return LaunchOnce(jobs);
  if (parsed.options.verify_only) return VerifyEach(jobs);
  return Measure(jobs, parsed, *device, argc, argv);
}

}  // namespace

int BenchMain(int argc, char** argv, const MakeWorkloads& make) try {
  LetReadersLeave();
  const int status = Run(argc, argv, make);
  FinishStandardOutput();
  return status;
} catch (const std::bad_alloc&) {
  std::fprintf(stderr, "%s: not enough host memory for these shapes: choose smaller ones with --shapes\n",
               argc > 0 ? argv[0] : "bench");
  return 2;
} catch (const std::exception& e) {  // ours is culprit::Error; a user's workloads may throw others
  std::fprintf(stderr, "%s: %s\n", argc > 0 ? argv[0] : "bench", e.what());
  return 2;
}

int BenchMain(int argc, char** argv, const std::vector<Workload>& workloads) {
  return BenchMain(argc, argv, [&](const BenchOptions&) { return workloads; });
}

}  // namespace culprit
