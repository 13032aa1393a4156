// SPDX-License-Identifier: Apache-2.0
// Hardware counters through CUPTI's Range Profiler, every launch replayed by us once per pass.
//
// A launch of one kernel is measured by an automatic range, which CUPTI opens and closes on the device, so elapsed
// cycles are the kernel's own. A launch of several kernels needs a range that the host opens and closes: its elapsed
// cycles, and percentages of peak over them, then hold about 80 us of waiting for the host as well (measured on an
// H100; docs/cupti.md).
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
  // More are measured in groups of this many.
  static constexpr std::size_t kMostTogether = 16;

  // Arms nothing yet: CUPTI is touched by the first Collect. `chip` is CUPTI's name (ChipName() in device_info.h).
  RangeCollector(MetricSet set, std::string chip);
  ~RangeCollector() override;

  // Any number at a time; on an H100 a pass costs about 9 ms and a launch in it 1 ms and its own time (docs/cupti.md).
  // All of them are measured by automatic ranges, or, when one of them is not one kernel, all by the host's.
  std::vector<std::vector<Reading>> Collect(std::span<const Counted> work) override;
  const std::optional<Warning>& Trouble() const override { return trouble_; }
  CollectorCost Cost() const { return cost_; }

 private:
  class Session;
  std::vector<std::vector<double>> Measure(std::span<const Counted> work);
  std::optional<std::vector<std::vector<double>>> Replay(std::span<const Counted> work, bool automatic);

  std::vector<MetricDefinition> metrics_;
  std::string chip_;
  std::unique_ptr<Session> session_;  // CUPTI state; null until the first Collect, and after a refusal
  std::optional<Warning> trouble_;
  ReadingStatus refused_ = ReadingStatus::kOk;  // a refusal holds for the whole process: it is not asked again
  CollectorCost cost_;
};

}  // namespace culprit
