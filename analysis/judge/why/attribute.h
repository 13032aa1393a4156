// SPDX-License-Identifier: Apache-2.0
// Divides a difference among causes.
//
// SplitByRoof (roof_split.h) splits the difference by the work of each unit, the waiting in each state, warps,
// imbalance, clock and launch. A unit's part goes to the causes whose demand on it moved, at its price (movement.h). A
// state's part goes to the causes whose demand on the waited-for unit moved in the same direction, in proportion
// (movement.h), at most as much as grows with that demand, or as the unit works longer. Warps, imbalance, clock and
// launch have causes of their own; what warps cost is measured where a sweep of resident blocks was
// (measured_occupancy.h). Waiting that grew without more demand is netted with warps, passed on (barrier, not_selected),
// given to a second cause (exposed_latency), or left unexplained.
//
// If both kernels were sampled, the rest of a state is divided among causes that already have a part in the change, in
// proportion to the waiting in that state that samples blame on their instructions. Samples also show whether local
// memory holds arrays or spilled registers.
//
// All numbers are ranges (range.h), because metrics may be missing. A cause gets the least of its range, nothing unless
// its own evidence moved, and at most what removing it could gain (EvidenceMoved, MostShare).
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/judge/causes/cause.h"
#include "analysis/judge/causes/demand.h"
#include "analysis/judge/causes/movement.h"
#include "analysis/judge/difference/decompose.h"
#include "analysis/judge/why/measured_occupancy.h"
#include "analysis/judge/why/repeated_facts.h"
#include "analysis/judge/why/sampled_pair.h"
#include "analysis/launch/kernel_view.h"

namespace culprit {

// The key of Attribution::rest for what is left open because metrics are missing.
inline constexpr const char* kNotMeasured = "not_measured";

// Signed microseconds. `parts` and `rest` together sum to the decomposition's difference.
struct Attribution {
  std::map<std::string, double, std::less<>> parts;  // by cause id
  // The parts that no cause explains, by stall state. Further keys:
  //   "hidden"            waiting that vanished without a cause
  //   "launch", "clock"   disagreement between counted and timed cycles
  //   "units"             counted work beyond what the units can do
  //   kNotMeasured        left open because metrics are missing
  //   "no_evidence"       parts of causes whose evidence did not move
  //   "beyond_limit"      parts beyond the gain from removing the cause
  std::map<std::string, double, std::less<>> rest;
  // For each cause that was not judged, or only partly: the range of its part.
  std::map<std::string, Range, std::less<>> could;
  // Set if the part of warps is measured.
  std::optional<MeasuredOccupancy> occupancy = {};

  double UnexplainedUs() const;
};

// Limits on the part of a cause, whatever the stalls say: its own evidence must have moved, and the part is at most what
// removing the cause could gain.
//
// Whether a metric of this cause alone moved in the direction of `sign` (+1: the candidate has more of the cause); its
// presence does not count. 1: one did; 0: none did; in between: a metric that could tell was not measured.
Range EvidenceMoved(const Cause& cause, const KernelView& base, const RepeatedFacts& base_repeats,
                    const KernelView& candidate, const RepeatedFacts& candidate_repeats, int sign);

// The largest share of its time that a kernel could lose if the cause were removed: 1 minus the busy share of the
// busiest unit that the cause does not load. A unit is busy as its counted work over what it serves in the elapsed
// cycles.
Range MostShare(const Cause& cause, const KernelView& kernel, const Demand& demand);

// Antisymmetric in base and candidate. A missing metric can only reduce a cause's part.
class Attributor {
 public:
  // Keeps references: the views and the samples (null: none) must outlive it. `whole`: of the medians of which the two
  // are a replicate. Which causes' evidence moved, and whether both ask for the same, is then decided there, by all
  // repetitions.
  Attributor(const KernelView& base, const KernelView& candidate, const SampledPair* sampled = nullptr,
             const Attributor* whole = nullptr);
  Attributor(const Attributor&) = delete;
  Attributor& operator=(const Attributor&) = delete;

  // `decomposition` is that of the same two kernels, from one repetition of the counters or from their medians.
  Attribution Attribute(const Decomposition& decomposition) const;

  // The metrics that a cause needs and that neither counters nor samples give for both kernels.
  std::vector<std::string> MissingFor(const Cause& cause) const;

  // Metrics that distinguish causes and that one of the kernels lacks.
  std::vector<std::string> Missing() const;
  // Ids of KernelView. If one of them has no value, that may leave parts of causes open: metrics of `Missing`, states that
  // were not measured, what tells the cost of a sector at L1, and the evidence of causes that were judged in part.
  std::vector<std::string> MayLeaveOpen(const Decomposition& decomposition, const Attribution& attribution) const;

 private:
  class Ledger;
  struct CauseBounds {
    bool judged = true;
    Range came, went;                 // EvidenceMoved
    Range most_base, most_candidate;  // MostShare
    const Range& Evidence(int sign) const { return sign > 0 ? came : went; }
  };
  // Empty if warps in this state wait for no unit.
  const Movement& MovementIn(std::string_view stall) const;
  const std::vector<UnitWork>& Work() const;
  const CauseBounds& BoundsOf(const std::string& id) const;
  std::set<std::string> MissingStates(const Decomposition& decomposition) const;

  const KernelView &base_, &candidate_;
  RepeatedFacts base_repeats_, candidate_repeats_;
  const SampledPair* sampled_;
  const Attributor* whole_;
  Demand from_, to_;
  Askers pair_;  // of these four
  std::optional<MeasuredOccupancy> occupancy_;
  bool same_code_;
  mutable std::vector<UnitWork> work_;
  // Computed on demand, because few causes take part in a difference.
  mutable std::map<std::string, CauseBounds, std::less<>> bounds_;
  mutable std::map<std::optional<Wait>, Movement> movements_;
};

}  // namespace culprit
