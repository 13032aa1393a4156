// SPDX-License-Identifier: Apache-2.0
#include "bench/counting_phase.h"

#include <cstdio>

#include "bench/launch_readings.h"
#include "bench/repetitions.h"
#include "bench/sass_worker.h"

namespace culprit {
namespace {

// Jobs that are counted together: their counters are stored together, so this is also what a killed process can lose.
constexpr std::size_t kMostTogether = RangeCollector::kMostTogether;

// Neighbours of one group and shape share their inputs, so that going from one to the next within a pass costs nothing.
// Launches of several kernels keep apart: they are measured in another way (range_collector.h).
bool GoTogether(const Job& a, const Job& b) {
  return a.workload.group == b.workload.group && a.workload.shape == b.workload.shape &&
         (a.kernels == 1) == (b.kernels == 1);
}

std::vector<std::vector<Job*>> Batches(std::vector<Job>& jobs) {
  std::vector<std::vector<Job*>> batches;
  for (Job& job : jobs) {
    if (!job.stored || job.record.state != LaunchState::kOk) continue;
    if (batches.empty() || batches.back().size() == kMostTogether || !GoTogether(*batches.back().front(), job))
      batches.emplace_back();
    batches.back().push_back(&job);
  }
  return batches;
}

void CollectBatch(const std::vector<Job*>& batch, int repetitions, RangeCollector& range, Timer& caches,
                  Recorder& recorder) {
  std::vector<Counted> work;
  for (Job* job : batch)
    work.push_back({[job, &caches] {
                      if (job->workload.set_up) job->workload.set_up();
                      caches.PrepareCaches();
                    },
                    [job] { job->workload.launch(nullptr); }, job->kernels == 1});
  const std::vector<Repetitions> collected =
      CollectRepeatedly(range, work, repetitions, [&](const Warning& warning) { recorder.Warn(warning); });
  for (std::size_t i = 0; i < batch.size(); ++i) {
    std::vector<Reading> all = LaunchReadings(*batch[i]);
    const std::vector<Reading> medians = Medians(collected[i]);
    all.insert(all.end(), medians.begin(), medians.end());
    recorder.StoreReadings(*batch[i], all);
    if (repetitions > 1) recorder.StoreRepeats(*batch[i], collected[i]);
  }
}

}  // namespace

CountingCost RunCountingPhase(std::vector<Job>& jobs, const BenchOptions& options, const Device& device,
                              Recorder& recorder, int argc, char** argv) {
  const std::vector<std::vector<Job*>> batches = Batches(jobs);
  CountingCost cost;
  Timer caches(options.l2);
  {
    RangeCollector range(*options.profile, device.chip);
    for (const auto& batch : batches) {
      std::fprintf(stderr, "culprit: reading hardware counters of %zu stages at %s\n", batch.size(),
                   batch.front()->workload.shape.c_str());
      CollectBatch(batch, options.count_repetitions, range, caches, recorder);
    }
    cost.range = range.Cost();
  }
  if (*options.profile == MetricSet::kFull) {
    std::vector<Job*> all;
    for (const auto& batch : batches) all.insert(all.end(), batch.begin(), batch.end());
    cost.sass = RunSassWorkers(all, device.chip, recorder, argc, argv);
  }
  return cost;
}

}  // namespace culprit
