// SPDX-License-Identifier: Apache-2.0
// Hardware counters through CUPTI's Range Profiler. We replay every launch in every pass.
//
// CUPTI opens and closes a range for each kernel on the device, so elapsed cycles are the kernel's own. kernel_sums.h
// combines the kernels of a launch. If the kernels of a launch are not known, the host opens and closes the range. Then
// elapsed cycles, and percentages of peak based on them, include waiting (docs/evidence/cupti.md).
//
// Counted launches find the same cache state as timed ones. Within a pass, the launch first runs once uncounted. The
// repetitions follow without a gap, so each finds in L2 what the previous one left there.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "db/metric_catalogue.h"
#include "profiler/collector.h"

namespace culprit {

// The cost of collecting, in seconds of wall time.
struct CollectorCost {
  double set_up_s = 0;  // once
  double launch_s = 0;  // all Collect calls together
  int launches = 0;
  std::size_t passes = 0;  // distinct passes; each includes all repetitions
};

struct RangePlan {
  int repetitions = 1;
  // true: every counted launch follows the same launch, as in timing. false: Counted::prepare runs before each launch
  // and sets the cache state (a flushed L2, for example).
  bool after_itself = true;
  // The most kernels counted together. Space in CUPTI's buffers costs time even when it is unused.
  std::size_t kernels_together = 16;
  std::optional<Counting> only = {};  // empty: all metrics of the set
};

class RangeCollector {
 public:
  // Does not call CUPTI before the first Collect. `chip` is CUPTI's name (ChipName() in device_info.h).
  RangeCollector(MetricSet set, std::string chip, RangePlan plan = {});
  ~RangeCollector();

  // Returns at least one repetition for each piece of work. What cannot be read has a status and no value. A refusal
  // does not throw; Trouble() explains it. Collect several pieces together: starting and stopping a pass costs more
  // than a short kernel.
  //
  // On an H200 a pass costs 3 ms, or 25 ms when it counts in L2 or device memory. Each kernel in a pass costs 0.9 ms
  // plus its own time (docs/evidence/cupti.md).
  std::vector<Repetitions> Collect(std::span<const Counted> work);
  // One sentence that tells the user what to do when the last Collect did not read everything.
  const std::optional<Warning>& Trouble() const { return trouble_; }
  CollectorCost Cost() const { return cost_; }

 private:
  class Session;
  // The values of one launch by metric, repetition and kernel. A metric that CUPTI does not offer has no repetitions.
  using Values = std::vector<std::vector<std::vector<double>>>;

  std::vector<Values> Measure(std::span<const Counted> work);
  std::optional<std::vector<Values>> Replay(std::span<const Counted> work, bool automatic);
  Repetitions ReadingsOf(const Values& values) const;

  std::vector<MetricDefinition> metrics_;
  std::string chip_;
  RangePlan plan_;
  std::unique_ptr<Session> session_;  // CUPTI state; null until the first Collect, and after a refusal
  std::optional<Warning> trouble_;
  ReadingStatus refused_ = ReadingStatus::kOk;  // a refusal is final for the process, so CUPTI is not asked again
  CollectorCost cost_;
};

}  // namespace culprit
