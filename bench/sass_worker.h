// SPDX-License-Identifier: Apache-2.0
// Exact counts, one process of this binary per kernel: CUPTI 13.0 collects SASS metrics of one function per process,
// and nothing after the first flush (docs/evidence/cupti.md).
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "bench/job.h"
#include "bench/program/reporting_processes.h"
#include "profiler/range_collector.h"

namespace culprit {

// Starting CUDA takes most of a worker's time, so the first ones start while others count, and wait for Finish.
class SassWorkers {
 public:
  // Workers at a time. Starting CUDA is mostly time under the driver's locks, so more would only wait for each other.
  static constexpr std::size_t kMost = 6;

  // `jobs` must outlive this object.
  SassWorkers(std::vector<const Job*> jobs, std::string chip, int argc, char** argv);

  // Returns when the first workers are ready and waiting, so that they disturb nothing.
  void AwaitReady() { processes_.AwaitFirstWords(); }

  // Lets them count, starts the others, a few at a time, and stores what each reports of a job that is stored and not
  // failed, as it arrives.
  CollectorCost Finish(RunWriter& writer);

 private:
  std::vector<const Job*> jobs_;
  std::string chip_;
  ReportingProcesses processes_;
};

// The worker's side: collects for `job` once `parent` lets it begin, of the kernel that `plan` names, if any.
void ReportSassCounts(Job& job, const TracePlan& plan, ParentProcess& parent, TraceWriter& trace);

}  // namespace culprit
