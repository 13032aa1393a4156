// SPDX-License-Identifier: Apache-2.0
// Shares a difference out among causes.
//
// SplitByRoof (roof_split.h) says what each unit's work, each state's waiting, warps, imbalance, clock and launch did
// to the time. A unit's part belongs to the causes whose demand on it moved, at its price (unit.h); a state's part to
// those whose demand on what it waits for moved the same way, in proportion (movement.h), but no more than grows with
// that demand. Warps, imbalance, clock and launch have causes of their own; what warps cost is measured where a sweep
// of resident blocks was (measured_occupancy.h). Waiting that grew although nobody asked for more is netted with warps,
// passed on (barrier, not_selected), a second cause's (exposed_latency), or unexplained.
//
// Where both kernels were sampled, what a state has left so goes to causes that had part in the change anyway, by what
// samples blame in that state on the instructions that are theirs, and what local memory holds is read from the code.
//
// All of it is in ranges (range.h): a cause gets the least that it can have done, whatever was not measured; nothing
// without evidence of its own that moved; and no more than taking it away could give (limits.h).
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/causes/cause.h"
#include "analysis/causes/demand.h"
#include "analysis/causes/movement.h"
#include "analysis/causes/unit.h"
#include "analysis/kernel/kernel_view.h"
#include "analysis/split/decompose.h"
#include "analysis/why/measured_occupancy.h"
#include "analysis/why/sampled_pair.h"

namespace culprit {

// Microseconds, both signs. All parts and all of the rest sum to the decomposition's difference.
struct Attribution {
  std::map<std::string, double, std::less<>> parts;  // by cause id
  // What no cause explains, by stall state; "hidden": waiting that vanished and that nobody took; "launch" and "clock":
  // by how much counted and timed cycles disagree; "units": by how much units were counted to work more than they can;
  // "not_measured": what missing metrics leave open; "no_evidence": parts of causes of which nothing shows that they
  // changed; "beyond_limit": of parts that are larger than what taking the cause away could give.
  std::map<std::string, double, std::less<>> rest;
  // What each cause that was not judged, or not wholly, could have done.
  std::map<std::string, Range, std::less<>> could;
  // Where warps' part is measured.
  std::optional<MeasuredOccupancy> occupancy = {};

  double UnexplainedUs() const;
};

// Antisymmetric in base and candidate. A metric that was not measured can only take from the part of a cause.
class Attributor {
 public:
  // Keeps references: the views must outlive it, and what was sampled (null: nothing).
  Attributor(const KernelView& base, const KernelView& candidate, const SampledPair* sampled = nullptr);
  Attributor(const Attributor&) = delete;
  Attributor& operator=(const Attributor&) = delete;

  // `decomposition` is of the same two, from the counters of one repetition or their medians.
  Attribution Attribute(const Decomposition& decomposition) const;

  // Which of the metrics that a cause needs were not measured for both, and samples do not say either.
  std::vector<std::string> MissingFor(const Cause& cause) const;

  // Metrics that causes were to be told by and that one of the two lacks.
  std::vector<std::string> Missing() const;

 private:
  class Ledger;
  struct CauseBounds {
    bool judged = true;
    Range came, went;                 // EvidenceMoved
    Range most_base, most_candidate;  // MostShare
  };
  // Nothing moves for what is no unit's.
  const Movement& MovementIn(std::string_view stall) const;
  const std::vector<UnitWork>& Work() const;
  const CauseBounds& BoundsOf(const std::string& id) const;
  bool IsJudged(const std::string& cause) const;
  std::set<std::string> MissingStates(const Decomposition& decomposition) const;
  Range EvidenceOf(const std::string& cause, int sign) const;
  Range MostOf(const std::string& cause, int sign) const;

  const KernelView &base_, &candidate_;
  const SampledPair* sampled_;
  Demand from_, to_;
  Askers pair_;  // of these four
  std::optional<MeasuredOccupancy> occupancy_;
  mutable std::vector<UnitWork> work_;
  // Of those that were asked for: few causes take part in a difference.
  mutable std::map<std::string, CauseBounds, std::less<>> bounds_;
  mutable std::map<std::optional<Wait>, Movement> movements_;
};

}  // namespace culprit
