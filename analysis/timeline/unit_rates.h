// SPDX-License-Identifier: Apache-2.0
// What the units of a GPU did per second or per cycle, from sampled counts. unit_rates.cpp has the formula of each rate.
#pragma once
#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analysis/number/cell.h"
#include "db/records.h"

namespace culprit {

// What a whole GPU counted in some time.
struct UnitCounts {
  std::map<std::string, double, std::less<>> counts;  // by metric id; no entry: not measured
  double time_ns = 0;
  std::optional<double> cycles;  // of the SM clock in that time; none: not measured
};

enum class RatePer { kCycleOfEverySm, kSecond };

struct UnitRate {
  std::string_view id, title;  // "issue", "Issue slots"
  Unit unit;                   // kPercent, kBytesPerSecond, kRatio or kMhz
  std::string_view what;       // one sentence with the formula
  // The rate is factor x the sum of the counts / (cycles x SMs), or / seconds. Without metrics: cycles per second.
  std::array<std::string_view, 2> metrics;
  RatePer per;
  double factor;
};

// In the order in which reports show them.
std::span<const UnitRate> UnitRates();

// None: one of its counts, the cycles or the GPU's number of SMs are not known, or no time passed.
std::optional<double> RateOf(const UnitRate& rate, const UnitCounts& counts, const Device& device);

// The most that the GPU can do, in the rate's unit: 100 for percentages. None: not known. Peaks of L1, L2 and device
// memory are those of MachineOf (analysis/launch/machine.h), at the driver's highest clock.
std::optional<double> PeakOf(const UnitRate& rate, const RunRecord& run);

}  // namespace culprit
