// SPDX-License-Identifier: Apache-2.0
// Exact counts, one process per kernel: CUPTI 13.0 collects SASS metrics of one function per process and of nothing
// after the first flush (docs/cupti.md), so each kernel gets a process of its own, started from this same binary.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "bench/job.h"
#include "bench/reporting_processes.h"
#include "profiler/range_collector.h"

namespace culprit {

// Starting CUDA takes most of a worker's time: the first ones do that while others count, and wait for Finish.
class SassWorkers {
 public:
  // At a time: starting CUDA is mostly time in the driver, under locks, and more would only wait for each other.
  static constexpr std::size_t kMost = 6;

  // `jobs` must outlive this object.
  SassWorkers(std::vector<const Job*> jobs, std::string chip, int argc, char** argv);

  // Returns when the first workers are as far as they may go, so that they are in nobody's way.
  void AwaitReady() { processes_.AwaitFirstWords(); }

  // Lets them count, starts the others, a few at a time, and stores what each reports of a job that is stored and not
  // failed, as it arrives.
  CollectorCost Finish(Recorder& recorder);

 private:
  std::vector<const Job*> jobs_;
  std::string chip_;
  ReportingProcesses processes_;
};

// The worker's side: collects for `job`, once options.sass_go says so, and writes one JSON line to options.sass_report.
// Both are descriptors.
void ReportSassCounts(Job& job, const BenchOptions& options);

}  // namespace culprit
