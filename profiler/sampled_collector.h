// SPDX-License-Identifier: Apache-2.0
// Hardware counters through CUPTI's PM sampling (counter_sampler.h): nothing is replayed. A launch runs back to back in
// batches with nothing beside it, so that all that is counted is its own. One list of counters is sampled at a time
// (db/sampled_counters.h).
//
// A launch finds the caches as the same launch just before left them. Counts are means over all launches of the batches,
// so they include what varies between launches.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "db/sampled_counters.h"
#include "profiler/collector.h"
#include "profiler/range_collector.h"

namespace culprit {

// Of one launch.
struct SampledLaunch {
  // A Reading per counter of the chip's lists, in their order, without the clock. What could not be read has a status
  // and no value.
  std::vector<Reading> readings;
  std::optional<double> clock_mhz;  // of the SMs while it ran
};

class SampledCollector {
 public:
  // Does not call CUPTI before the first Collect. `chip` is CUPTI's name (ChipName() in device_info.h).
  explicit SampledCollector(std::string chip);

  // Calls Counted::prepare once before the batches of a list. A refusal does not throw; Warnings() explains it. Collect
  // several pieces of work together: a list costs 0.3 s, and then 0.1 s for each piece (docs/evidence/cupti.md). Long
  // launches take a second each time, or the time of some six of them.
  std::vector<SampledLaunch> Collect(std::span<const Counted> work);
  // What the last Collect did not read or had to leave out: a sentence each, that tells the user what to do.
  const std::vector<Warning>& Warnings() const { return warnings_; }
  CollectorCost Cost() const { return cost_; }

 private:
  class Turn;
  struct Lost {
    std::int64_t kept = 0, untimed = 0, no_counts = 0, full = 0;
    double most_of_a_launch = 0;  // share of its time
  };

  void Sample(const CounterTurn& list, std::span<const Counted> work, std::vector<SampledLaunch>& launches, Lost& lost);
  void Refuse(const std::pair<Warning, ReadingStatus>& why);
  void Warn(const Warning& warning);
  void WarnOfLost(const Lost& lost);

  const std::string chip_;
  const std::span<const CounterTurn> lists_;
  ReadingStatus refused_ = ReadingStatus::kOk;  // a refusal is final for the process, so CUPTI is not asked again
  std::vector<Warning> warnings_;
  CollectorCost cost_;
};

}  // namespace culprit
