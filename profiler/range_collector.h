// SPDX-License-Identifier: Apache-2.0
// Hardware counters through CUPTI's Range Profiler: one user range around each launch, all replayed by us once per pass.
#pragma once
#include <memory>
#include <string>

#include "profiler/collector.h"
#include "profiler/metric_catalogue.h"

namespace culprit {

// What collecting cost, in seconds of wall time.
struct CollectorCost {
  double set_up_s = 0;  // once
  double launch_s = 0;  // all Collect calls together
  int launches = 0;
  std::size_t passes = 0;  // per launch
};

class RangeCollector : public Collector {
 public:
  // Arms nothing yet: CUPTI is touched by the first Collect. `chip` is CUPTI's name (ChipName() in device_info.h).
  RangeCollector(MetricSet set, std::string chip);
  ~RangeCollector() override;

  // Any number at a time; on an H100 a pass costs about 9 ms and a launch in it 1 ms and its own time (docs/cupti.md).
  std::vector<std::vector<Reading>> Collect(std::span<const Counted> work) override;
  const std::optional<Warning>& Trouble() const override { return trouble_; }
  CollectorCost Cost() const { return cost_; }

 private:
  class Session;
  std::vector<MetricDefinition> metrics_;
  std::string chip_;
  std::unique_ptr<Session> session_;  // CUPTI state; null until the first Collect, and after a refusal
  std::optional<Warning> trouble_;
  ReadingStatus refused_ = ReadingStatus::kOk;  // a refusal holds for the whole process: it is not asked again
  CollectorCost cost_;
};

}  // namespace culprit
