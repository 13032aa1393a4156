// SPDX-License-Identifier: Apache-2.0
#include "bench/counting_phase.h"

#include <algorithm>
#include <cstdio>

#include "bench/machine_phase.h"
#include "bench/program/counters_of_samples.h"
#include "bench/program/sampled_readings.h"
#include "bench/sample_marks.h"
#include "bench/sass_worker.h"
#include "db/medians.h"
#include "profiler/empty_kernel.h"
#include "profiler/sampled_collector.h"

namespace culprit {
namespace {

// Kernels that are counted together: their counters are stored together, so this is also what a killed process can
// lose.
constexpr std::size_t kMostTogether = 16;

std::size_t RangesOf(const Job& job) { return std::max<std::size_t>(job.kernels, 1); }

std::size_t KernelsOf(const std::vector<Job*>& batch) {
  std::size_t kernels = 0;
  for (const Job* job : batch) kernels += RangesOf(*job);
  return kernels;
}

// Neighbours with the same inputs have them in place, so that going from one to the next within a pass costs nothing.
// Launches whose kernels are not known keep apart: they are measured in another way (range_collector.h).
bool GoTogether(const Job& a, const Job& b) {
  return AreInPlaceTogether(a.workload, b.workload) && a.kernels > 0 && b.kernels > 0;
}

std::vector<std::vector<Job*>> Batches(std::vector<Job>& jobs) {
  std::vector<std::vector<Job*>> batches;
  for (Job& job : jobs) {
    if (!job.IsMeasured()) continue;
    if (batches.empty() || KernelsOf(batches.back()) + RangesOf(job) > kMostTogether ||
        !GoTogether(*batches.back().front(), job))
      batches.emplace_back();
    batches.back().push_back(&job);
  }
  return batches;
}

// One kernel more than the batches have, for the empty one.
RangePlan PlanOf(const std::vector<std::vector<Job*>>& batches, const BenchOptions& options, Counting counting) {
  std::size_t most = 0;
  for (const auto& batch : batches) most = std::max(most, KernelsOf(batch));
  if (counting == Counting::kEqual) return {1, false, most, counting};
  return {options.count_repetitions, options.l2 == CacheState::kHot, most + 1, counting};
}

// An odd number, so that the median is a sample; 51 of them take a millisecond.
constexpr int kEmptyLaunches = 51;

std::vector<TimedSample> TimeEmptyKernels(Timer& timer) {
  for (int i = 0; i < kEmptyLaunches; ++i) timer.Measure([] { LaunchEmptyKernel(nullptr); });
  return timer.TakeSamples();
}

std::optional<double> ElapsedCycles(const Repetitions& counted) {
  for (const Reading& r : Medians(counted))
    if (r.metric.id == "sm_cycles_elapsed_max") return r.value;
  return std::nullopt;
}

// What the time between two events holds besides an empty kernel that takes `cycles`.
std::optional<double> OverheadUs(const std::vector<TimedSample>& timed, const std::optional<double>& cycles) {
  std::vector<double> overheads;
  for (const TimedSample& s : timed)
    if (cycles && s.clock_mhz && !s.gate_open) overheads.push_back(s.time_us - *cycles / *s.clock_mhz);
  if (overheads.empty()) return std::nullopt;
  return Median(std::move(overheads));
}

Counted WorkOf(Job& job, Timer& caches) {
  return {[&job, &caches] {
            if (job.workload.set_up) job.workload.set_up();
            caches.PrepareCaches();
          },
          [&job] { job.workload.launch(nullptr); }, job.kernels};
}

// Counts every batch in one of the two ways. What varies comes with what is known of the launches besides.
CollectorCost CountAll(const std::vector<std::vector<Job*>>& batches, const BenchOptions& options, const Device& device,
                       Counting counting, RunWriter& writer) {
  Timer caches(options.l2);
  const bool varies = counting == Counting::kVaries;
  const std::vector<TimedSample> timed = varies ? TimeEmptyKernels(caches) : std::vector<TimedSample>{};
  std::optional<double> overhead_us;
  RangeCollector range(*options.profile, device.chip, PlanOf(batches, options, counting));
  for (const auto& batch : batches) {
    std::fprintf(stderr, "culprit: reading hardware counters of %zu kernels at %s, %s\n", batch.size(),
                 batch.front()->workload.shape.c_str(), varies ? "those that vary" : "those that are equal each time");
    std::vector<Counted> work;
    for (Job* job : batch) work.push_back(WorkOf(*job, caches));
    const bool with_empty = varies && &batch == &batches.front();
    if (with_empty) work.push_back({{}, [] { LaunchEmptyKernel(nullptr); }});
    const std::vector<Repetitions> collected = range.Collect(work);
    if (range.Trouble()) writer.Warn(*range.Trouble());
    if (with_empty) {
      const std::optional<double> cycles = ElapsedCycles(collected.back());
      overhead_us = OverheadUs(timed, cycles);
      if (cycles) StoreLaunchStart(*cycles, writer);
    }
    if (varies)
      for (const Job* job : batch) writer.StoreReadings(job->stored, LaunchReadings(*job, overhead_us));
    for (std::size_t i = 0; i < batch.size(); ++i) writer.StoreRepetitions(batch[i]->stored, collected[i]);
  }
  return range.Cost();
}

// None: the launch has several kernels, or how many is not known.
std::optional<double> Warps(const Job& job) {
  return job.kernels == 1 ? std::optional(WarpsOf(job.record)) : std::nullopt;
}

// The same without replay.
CollectorCost SampleAll(const std::vector<std::vector<Job*>>& batches, const BenchOptions& options,
                        const Device& device, RunWriter& writer) {
  Timer caches(options.l2);
  SampledCollector collector(device.chip);
  for (const auto& batch : batches) {
    std::fprintf(stderr, "culprit: sampling hardware counters of %zu kernels at %s\n", batch.size(),
                 batch.front()->workload.shape.c_str());
    std::vector<Counted> work;
    for (Job* job : batch) work.push_back(WorkOf(*job, caches));
    std::vector<SampledLaunch> sampled = collector.Collect(work);
    for (const Warning& warning : collector.Warnings()) writer.Warn(warning);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const Job& job = *batch[i];
      AddWhatFollows(sampled[i].readings, sampled[i].clock_mhz, job.time_us, device);
      writer.StoreReadings(job.stored, LaunchReadings(job, std::nullopt));
      writer.StoreReadings(job.stored, sampled[i].readings);
      if (job.sampling)
        writer.StoreReadings(job.stored,
                             ReadingsOfSamples(*job.sampling, sampled[i].readings, Warps(job), device.chip));
    }
  }
  return collector.Cost();
}

}  // namespace

CountingCost RunCountingPhase(std::vector<Job>& jobs, const BenchOptions& options, const Device& device,
                              RunWriter& writer, SassWorkers* workers) {
  const std::vector<std::vector<Job*>> batches = Batches(jobs);
  CountingCost cost;
  if (options.samples_counters) {
    cost.range = SampleAll(batches, options, device, writer);
    return cost;
  }
  if (workers != nullptr) workers->AwaitReady();  // what varies is counted while nothing else is going on
  cost.range = CountAll(batches, options, device, Counting::kVaries, writer);
  // Backwards: the last batch's inputs are still in place.
  const CollectorCost equal = CountAll({batches.rbegin(), batches.rend()}, options, device, Counting::kEqual, writer);
  cost.range.set_up_s += equal.set_up_s;
  cost.range.launch_s += equal.launch_s;
  cost.range.passes += equal.passes;
  if (workers != nullptr) cost.sass = workers->Finish(writer);
  return cost;
}

}  // namespace culprit
