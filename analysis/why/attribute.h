// SPDX-License-Identifier: Apache-2.0
// Shares a decomposed difference out among causes.
//
// For each stall state, the time that warps came to spend in it (its demand: instruction and latency factor together)
// belongs to the causes whose demand on the unit that it waits for moved the same way, in proportion (movement.h).
// Parallelism, imbalance, clock and launch have causes of their own. Waiting that grew although nobody asked for more
// is netted with parallelism, passed on (barrier, not_selected), a second cause's (exposed_latency), or unexplained.
#pragma once
#include <map>
#include <string>

#include "analysis/kernel_view.h"
#include "analysis/why/decompose.h"
#include "analysis/why/demand.h"
#include "analysis/why/movement.h"

namespace culprit {

// Microseconds, both signs. All parts and all of the rest sum to the decomposition's difference.
struct Attribution {
  std::map<std::string, double, std::less<>> parts;  // by cause id
  // What no cause explains, by stall state; "hidden": waiting that vanished and that nobody took; "launch" and "clock":
  // by how much counted and timed cycles disagree.
  std::map<std::string, double, std::less<>> rest;

  double UnexplainedUs() const;
};

// Antisymmetric in base and candidate.
class Attributor {
 public:
  // Keeps references: the views must outlive it.
  Attributor(const KernelView& base, const KernelView& candidate);

  // `decomposition` is of the same two, from the counters of one repetition or their medians.
  Attribution Attribute(const Decomposition& decomposition) const;

 private:
  class Ledger;
  const Movement& MovementOf(const std::string& stall) const;

  const KernelView &base_, &candidate_;
  Demand from_, to_;
  mutable std::map<std::string, Movement> movements_;
};

}  // namespace culprit
