// SPDX-License-Identifier: Apache-2.0
// Hardware counters through CUPTI's Range Profiler, every launch replayed by us in every pass.
//
// Each kernel is measured by an automatic range, which CUPTI opens and closes on the device, so elapsed cycles are the
// kernel's own; a launch of several kernels is put together from theirs (kernel_sums.h). Only where the kernels of a
// launch cannot be told is there a range that the host opens and closes: its elapsed cycles, and percentages of peak
// over them, then hold its waiting as well (docs/cupti.md).
//
// What is counted is what was timed: within a pass the same launch runs right before, uncounted, and the repetitions
// follow each other, so that each finds in L2 what the one before left there.
#pragma once
#include <memory>
#include <string>

#include "db/metric_catalogue.h"
#include "profiler/collector.h"

namespace culprit {

// What collecting cost, in seconds of wall time.
struct CollectorCost {
  double set_up_s = 0;  // once
  double launch_s = 0;  // all Collect calls together
  int launches = 0;
  std::size_t passes = 0;  // different ones; each holds every repetition
};

struct RangePlan {
  int repetitions = 1;
  // True: every counted launch follows the same launch, as it does in timing. False: Counted::prepare brings about the
  // state, a flushed L2 say, and runs before each.
  bool after_itself = true;
  // The most kernels that are counted together: room in CUPTI's buffers costs time even where it is not used.
  std::size_t kernels_together = 16;
  std::optional<Counting> only = {};  // empty: all metrics of the set
};

class RangeCollector : public Collector {
 public:
  // Arms nothing yet: CUPTI is touched by the first Collect. `chip` is CUPTI's name (ChipName() in device_info.h).
  RangeCollector(MetricSet set, std::string chip, RangePlan plan = {});
  ~RangeCollector() override;

  // On an H200 a pass costs 3 ms, 25 ms when it counts in L2 or device memory, and a kernel in it 0.9 ms and its own
  // time (docs/cupti.md).
  std::vector<Repetitions> Collect(std::span<const Counted> work) override;
  const std::optional<Warning>& Trouble() const override { return trouble_; }
  CollectorCost Cost() const { return cost_; }

 private:
  class Session;
  // Of one launch: by metric, repetition and kernel. A metric that CUPTI does not have here has no repetitions.
  using Values = std::vector<std::vector<std::vector<double>>>;

  std::vector<Values> Measure(std::span<const Counted> work);
  std::optional<std::vector<Values>> Replay(std::span<const Counted> work, bool automatic);
  Repetitions ReadingsOf(const Values& values) const;

  std::vector<MetricDefinition> metrics_;
  std::string chip_;
  RangePlan plan_;
  std::unique_ptr<Session> session_;  // CUPTI state; null until the first Collect, and after a refusal
  std::optional<Warning> trouble_;
  ReadingStatus refused_ = ReadingStatus::kOk;  // a refusal holds for the whole process: it is not asked again
  CollectorCost cost_;
};

}  // namespace culprit
