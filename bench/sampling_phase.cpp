// SPDX-License-Identifier: Apache-2.0
#include "bench/sampling_phase.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "bench/intervention_plan.h"
#include "bench/program/reporting_processes.h"
#include "db/error.h"
#include "profiler/cuda_context.h"
#include "profiler/loaded_modules.h"
#include "profiler/sampling_plan.h"
#include "profiler/sampling_session.h"
#include "profiler/timer.h"

namespace culprit {
namespace {

// A process makes inputs and samples some hundred launches of each job: one that takes so long hangs.
constexpr std::chrono::minutes kDeadline{5};
// Wall time of the launches of one job that have to be prepared one by one.
constexpr double kMostPreparingS = 1;
constexpr const char* kNotSampledCode = "not_sampled";

int PeriodOf(const Job& job, const Device& device) {
  const LaunchRecord& r = job.record;
  const double blocks = static_cast<double>(r.grid_x) * r.grid_y * r.grid_z;
  const double sms = blocks > 0 && job.kernels == 1 ? std::min<double>(blocks, device.sm_count) : device.sm_count;
  return PeriodFor({job.time_us, job.clock_mhz > 0 ? job.clock_mhz : device.sm_clock_mhz, static_cast<int>(sms)});
}

EndedProcess RunOne(int period, const std::vector<Job*>& jobs, int argc, char** argv) {
  TracePlan plan{.mode = TraceMode::kSample, .sampling_period = period};
  for (const Job* job : jobs) plan.jobs.push_back(job->Name());
  return RunReporting({{argv, argv + argc}, std::move(plan)}, kDeadline);
}

// What the process reported of `jobs`, which sampled at one period.
void Store(const EndedProcess& ended, const std::vector<Job*>& jobs, RunWriter& writer, SamplingCost& cost) {
  ProcessTrace reported = ended.Trace();
  for (const Warning& warning : reported.warnings) writer.Warn(warning);
  std::size_t stored = 0;
  for (Job* job : jobs) {
    const std::string name = job->Name();
    const auto found = std::ranges::find(reported.sampled, name, &TracedSampling::about);
    if (found == reported.sampled.end()) continue;
    const SamplingRecord& sampling = found->sampling;
    if (sampling.rows.empty()) {
      writer.Warn(
          {kNotSampledCode, fmt::format("CUPTI gave no samples of its instructions in {} launches", sampling.launches)},
          name, job->stored);
      continue;
    }
    try {
      writer.StoreSampling(job->stored, sampling);
      ++stored;
    } catch (const Error& e) {
      writer.Warn({kNotSampledCode, e.what()}, name, job->stored);
      continue;
    }
    if (sampling.samples < kEnoughSamples)
      writer.Warn(
          {std::string(kFewSamples),
           fmt::format("only {} samples of instructions in {} launches, but {} are needed: shares by line are rough",
                       sampling.samples, sampling.launches, kEnoughSamples)},
          name, job->stored);
    if (sampling.dropped > 0)
      writer.Warn({"samples_dropped", fmt::format("the hardware dropped {} of {} samples of instructions",
                                                  sampling.dropped, sampling.samples + sampling.dropped)},
                  name, job->stored);
    job->sampling = std::move(found->sampling);
  }
  cost.launches += static_cast<int>(stored);
  if (!ended.EndedWell())
    writer.Warn({kNotSampledCode, fmt::format("the process that samples instructions {}: {} of its {} launches have "
                                              "samples",
                                              ended.HowItEnded(kDeadline), stored, jobs.size())});
}

// --- the process that samples ---

class Sampler {
 public:
  Sampler(int period, CacheState l2)
      : period_(period), l2_(l2), session_(StartSampling(CurrentContext(), period)), caches_(l2) {}

  // What came of it; nothing where a buffer was full.
  std::optional<SamplingRecord> Sample(Job& job) {
    SampleSums sums;
    Prepare(job);
    Launch(job);
    if (l2_ == CacheState::kFlush) Prepare(job);
    std::int64_t launches = 0;
    const double begin = SteadySeconds();
    for (std::int64_t more = 1; more > 0;) {
      if (l2_ == CacheState::kHot) {
        Range(job, more, sums);
        launches += more;
      } else {
        for (std::int64_t i = 0; i < more && (launches == 0 || (SteadySeconds() - begin) < kMostPreparingS);
             ++i, ++launches) {
          if (launches > 0) Prepare(job);
          Range(job, 1, sums);
        }
      }
      // A second round by what the first gave, and no third.
      more = launches == 1 ? MoreLaunches(launches, sums.samples(), last_launch_us_) : 0;
    }
    if (session_->WasFull()) return std::nullopt;
    SamplingRecord record = sums.Record();
    record.period_cycles = std::int64_t{1} << period_;
    record.launches = launches;
    return record;
  }

 private:
  void Prepare(Job& job) {
    if (job.workload.set_up) job.workload.set_up();
    caches_.PrepareCaches();
    CheckCuda(cudaDeviceSynchronize(), "prepare " + job.Name());
  }

  void Launch(Job& job) {
    job.workload.launch(nullptr);
    CheckCuda(cudaDeviceSynchronize(), "run " + job.Name());
  }

  void Range(Job& job, std::int64_t launches, SampleSums& sums) {
    session_->Start();
    const double begin = SteadySeconds();
    try {
      for (std::int64_t i = 0; i < launches; ++i) job.workload.launch(nullptr);
    } catch (...) {  // the next job starts anew
      session_->Stop();
      throw;
    }
    const cudaError_t ran = cudaDeviceSynchronize();
    last_launch_us_ = 1e6 * (SteadySeconds() - begin) / static_cast<double>(launches);
    session_->Stop();
    session_->Read(sums);
    CheckCuda(ran, "run " + job.Name());
  }

  const int period_;
  const CacheState l2_;
  std::unique_ptr<SamplingSession> session_;  // before anything is loaded
  Timer caches_;
  double last_launch_us_ = 0;
};

void AddCode(SamplingRecord& record, const LoadedModules& modules) {
  std::set<std::string> functions;
  for (const PcSample& row : record.rows) functions.insert(row.function);
  for (const std::string& function : functions)
    if (auto code = modules.Code(function)) record.code.push_back(*std::move(code));
}

}  // namespace

SamplingCost RunSamplingPhase(std::vector<Job>& jobs, const Device& device, RunWriter& writer, int argc, char** argv) {
  SamplingCost cost;
  std::map<int, std::vector<Job*>> by_period;
  for (Job& job : jobs)
    if (job.IsMeasured() && job.time_us > 0) by_period[PeriodOf(job, device)].push_back(&job);
  const double begin = SteadySeconds();
  for (const auto& [period, chosen] : by_period) {
    std::fprintf(stderr, "culprit: sampling instructions of %zu launches, every %d cycles\n", chosen.size(),
                 1 << period);
    try {
      Store(RunOne(period, chosen, argc, argv), chosen, writer, cost);
      ++cost.processes;
    } catch (const Error& e) {  // the process could not be started
      writer.Warn({kNotSampledCode, fmt::format("{}: instructions were not sampled", e.what())});
    }
  }
  cost.seconds = SteadySeconds() - begin;
  return cost;
}

void ReportSamples(std::vector<Job>& jobs, const BenchOptions& options, const TracePlan& plan, TraceWriter& trace) {
  const LoadedModules modules(LoadedModules::Keep::kAll);
  std::optional<Sampler> sampler;
  try {
    sampler.emplace(plan.sampling_period, options.l2);
  } catch (const std::exception& e) {
    return trace.Warn(NotSampled(e));
  }
  for (const std::string& name : plan.jobs) {
    const auto job = std::ranges::find_if(jobs, [&](const Job& j) { return j.Name() == name; });
    if (job == jobs.end()) continue;
    try {
      if (std::optional<SamplingRecord> record = sampler->Sample(*job)) {
        AddCode(*record, modules);
        trace.Sampled({name, *std::move(record)});
        trace.Flush();
        continue;
      }
      return trace.Warn(
          {kNotSampledCode,
           fmt::format("{}: CUPTI's hardware buffer was full, so there are no samples of it and of later launches",
                       name)});
    } catch (const CuptiError& e) {
      return trace.Warn(NotSampled(e));
    } catch (const std::exception& e) {  // a user's workload may throw what it likes
      trace.Warn({kNotSampledCode, fmt::format("{}: {}", name, e.what())});
    }
  }
}

}  // namespace culprit
