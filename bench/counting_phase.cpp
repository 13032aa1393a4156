// SPDX-License-Identifier: Apache-2.0
#include "bench/counting_phase.h"

#include <cstdio>

#include "bench/launch_readings.h"
#include "bench/sass_worker.h"
#include "bench/timing_phase.h"
#include "profiler/cuda_context.h"

namespace culprit {
namespace {

void Progress(const char* what, std::size_t done, std::size_t all, const std::string& name) {
  std::fprintf(stderr, "culprit: %s %zu/%zu %s\n", what, done, all, name.c_str());
}

}  // namespace

CountingCost RunCountingPhase(std::vector<Job>& jobs, const BenchOptions& options, const Device& device, Recorder& recorder, int argc,
                              char** argv) {
  std::vector<Job*> countable;
  for (Job& job : jobs)
    if (job.stored && job.record.state == LaunchState::kOk) countable.push_back(&job);

  CountingCost cost;
  Timer caches(options.l2);
  {
    RangeCollector range(*options.profile, device.chip, [&] { caches.PrepareCaches(); });
    for (std::size_t i = 0; i < countable.size(); ++i) {
      Job& job = *countable[i];
      Progress("counting", i + 1, countable.size(), job.Name());
      Prepare(job, false);
      std::vector<Reading> readings = range.Collect([&] { job.workload.launch(nullptr); });
      for (const Reading& r : LaunchReadings(job)) readings.push_back(r);
      recorder.StoreReadings(job, readings);
      if (range.Trouble()) recorder.Warn(*range.Trouble());
    }
    cost.range = range.Cost();
  }
  cost.sass = RunSassWorkers(countable, *options.profile, device.chip, recorder, argc, argv);
  return cost;
}

}  // namespace culprit
