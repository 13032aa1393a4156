// SPDX-License-Identifier: Apache-2.0
// Exact counts through CUPTI's SASS metrics: the kernel's code is patched, so counts are per instruction and free of
// arbitration noise. Summed over the kernel here.
#pragma once
#include <memory>
#include <string>

#include "profiler/collector.h"
#include "profiler/metric_catalogue.h"
#include "profiler/range_collector.h"

namespace culprit {

class SassCollector : public Collector {
 public:
  SassCollector(MetricSet set, std::string chip);

  // Only the first kernel that the first launch of the process starts is counted (CUDA 13.0; docs/cupti.md): whatever
  // comes after it is answered with kFailed and a sentence.
  std::vector<std::vector<Reading>> Collect(std::span<const Counted> work) override;
  const std::optional<Warning>& Trouble() const override { return trouble_; }
  CollectorCost Cost() const { return cost_; }

  // The function that the last Collect counted, mangled; empty when nothing was.
  const std::string& Function() const { return function_; }

 private:
  std::vector<Reading> CollectOne(const Counted& work);

  std::vector<MetricDefinition> metrics_;
  std::string chip_;
  std::optional<Warning> trouble_;
  ReadingStatus refused_ = ReadingStatus::kOk;
  std::string function_;
  CollectorCost cost_;
};

}  // namespace culprit
