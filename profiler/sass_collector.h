// SPDX-License-Identifier: Apache-2.0
// Exact counts through CUPTI's SASS metrics. CUPTI patches the kernel's code, so counts are per instruction and free of
// arbitration noise. Collect() returns sums over the kernel, Instructions() the counts per instruction.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "db/metric_catalogue.h"
#include "profiler/collector.h"
#include "profiler/loaded_modules.h"
#include "profiler/range_collector.h"

namespace culprit {

class SassCollector {
 public:
  SassCollector(MetricSet set, std::string chip);

  // As RangeCollector. Counts only one kernel of the first launch in the process (CUDA 13.0; docs/evidence/cupti.md): the one that the
  // work names. Later work gets kFailed and a sentence.
  std::vector<Repetitions> Collect(std::span<const Counted> work);
  const std::optional<Warning>& Trouble() const { return trouble_; }
  CollectorCost Cost() const { return cost_; }

  // The mangled name of the function that the last Collect counted; empty: none.
  const std::string& Function() const { return function_; }

  // Every machine instruction that the last Collect counted, by function and pc offset. For each metric their sum is
  // its reading. Empty: nothing was counted. Opcodes need a kernel that was first used after this collector was made;
  // source lines also need -lineinfo.
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
