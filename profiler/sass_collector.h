// SPDX-License-Identifier: Apache-2.0
// Exact counts through CUPTI's SASS metrics: the kernel's code is patched, so counts are per instruction and free of
// arbitration noise. Collect() gives their sums over the kernel, Instructions() the counts themselves.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "db/metric_catalogue.h"
#include "profiler/collector.h"
#include "profiler/loaded_modules.h"
#include "profiler/range_collector.h"

namespace culprit {

class SassCollector : public Collector {
 public:
  SassCollector(MetricSet set, std::string chip);

  // Only one kernel of the first launch of the process is counted (CUDA 13.0; docs/cupti.md), the one that the work
  // names: whatever comes after it is answered with kFailed and a sentence.
  std::vector<Repetitions> Collect(std::span<const Counted> work) override;
  const std::optional<Warning>& Trouble() const override { return trouble_; }
  CollectorCost Cost() const { return cost_; }

  // The function that the last Collect counted, mangled; empty when nothing was.
  const std::string& Function() const { return function_; }

  // Every machine instruction that the last Collect counted, by function and pc offset: for each metric the sum over
  // them is its reading. Empty when nothing was counted. With opcodes for kernels that were first used when
  // this collector was there already, and with source lines for those that were compiled with -lineinfo too.
  const std::vector<InstructionRecord>& Instructions() const { return instructions_; }

 private:
  std::vector<Reading> CollectOne(const Counted& work);

  std::vector<MetricDefinition> metrics_;
  std::string chip_;
  std::optional<Warning> trouble_;
  ReadingStatus refused_ = ReadingStatus::kOk;
  std::string function_;
  std::vector<InstructionRecord> instructions_;
  LoadedModules modules_;
  CollectorCost cost_;
};

}  // namespace culprit
