// SPDX-License-Identifier: Apache-2.0
// One kernel, and whose its waiting and its busy time are. The hardware counts both per unit; causes ask for service of
// units. The same demand (demand.h) and the same rooms (Cause::asks) share them out here as between two kernels
// (movement.h), so that `culprit show` and `culprit why` cannot disagree about one kernel.
//
// Waiting: what warps wait for is asked for by all causes; each has the share of a stall state that it asks for.
//
// Busy, for a unit at `pct` of its peak over a time T, B = pct / 100 x T:
//   shared memory  bank conflicts take (exact - ideal) / exact wavefronts of B
//   L1             its data stage serves all kinds: shared memory takes its own wavefronts, local and global share what
//                  is left by their sectors
//   L2, DRAM       local and global, by their sectors at that level (demand.h)
//
// Units of an SM (shared memory, L1) are judged over the cycles in which their SM has a warp, as stalls are. SMs that
// ran out of blocks are the subject of imbalance_tail.
#pragma once
#include <array>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/causes/wait.h"
#include "analysis/kernel/kernel_view.h"

namespace culprit {

// NVIDIA's Speed Of Light guidance: from 60 % of peak on, throughput is the limit rather than latency.
inline constexpr double kBusyPct = 60;

// From a tenth of the time on SMs without a warp are told of. Below it those of a launch of several kernels are no
// price of launching: 32 kernels where one would do are at 46 % and 60 % (clip_32_launches), and a long kernel behind a
// short one is at 6 % because its own tiles do not come out even (sgemm_tma at 2048).
inline constexpr double kMinIdleShare = 0.10;

// Causes by their ids.
using CauseIds = std::span<const std::string_view>;

class Sharing {
 public:
  // Keeps a reference: the view must outlive it.
  explicit Sharing(const KernelView& kernel) : kernel_(kernel) {}
  Sharing(const Sharing&) = delete;
  Sharing& operator=(const Sharing&) = delete;

  const KernelView& kernel() const { return kernel_; }
  Measured Get(std::string_view id) const { return kernel_.Get(id); }
  double At(std::string_view id) const { return kernel_.At(id); }
  Measured StallUs(std::string_view reason) const { return kernel_.StallUs(reason); }
  Measured StallShare(std::string_view reason) const { return kernel_.StallShare(reason); }

  // Where exact counts are missing, what is in excess counts as needed.
  const Demand& demand() const;

  // Of what warps that wait for this wait for, the share that these causes ask for: 0 to 1, 0 where nothing is asked.
  // Where a count is missing, the least that it can be.
  double Of(Wait wait, CauseIds causes) const;
  // Microseconds of these stall states. Throws std::logic_error, as KernelView::At, when one was not measured.
  double WaitUs(std::initializer_list<std::string_view> states, CauseIds causes) const;
  // The least of a demand.
  double Least(const Range& demanded) const;

  // Whether something was asked since the last call that is only known to be at least so much.
  bool TakeOpen() const { return std::exchange(open_, false); }

 private:
  const KernelView& kernel_;
  mutable bool open_ = false;
  mutable std::optional<Demand> demand_;
  mutable std::array<std::vector<Range>, kWaits.size()> asked_;  // in the order of Causes(); empty: not yet
};

// Of the shared-memory wavefronts, and of the global sectors at L1. Missing without exact counts ("sass_..."), and
// undefined when there are no accesses.
Measured ConflictShare(const KernelView& kernel);
Measured ExcessShare(const KernelView& kernel);

struct BusyTime {
  double pct = 0;  // of the unit's peak
  double total_us = 0;
  // Parts of total_us; what is not measured stays in `rest_us`.
  double shared_us = 0;  // L1 only
  double local_us = 0;
  double excess_us = 0;  // bank conflicts for shared memory, uncoalesced sectors elsewhere
  double rest_us = 0;
  bool saturated = false;

  double RestPct() const { return total_us == 0 ? 0 : pct * rest_us / total_us; }
};

// Of all of it; 0 where it is not known.
double PartOf(const std::optional<BusyTime>& busy, double BusyTime::*part);

// nullopt when the unit's own counters are missing.
std::optional<BusyTime> SharedBusy(const Sharing& kernel);
std::optional<BusyTime> L1Busy(const Sharing& kernel);
std::optional<BusyTime> L2Busy(const Sharing& kernel);
// Saturated also below kBusyPct when a kernel moves several times what its job needs at a bandwidth that is felt.
std::optional<BusyTime> DramBusy(const Sharing& kernel);
bool IsMuchDram(const Sharing& kernel, double bytes, double pct);

// The largest part of a saturated level among L1, L2 and DRAM; `name` is empty when none is saturated.
struct LevelShare {
  std::string_view name;  // "L1"
  double pct = 0;         // of the level's peak, all accesses
  double time_us = 0;     // the part
};
LevelShare LargestShare(const Sharing& kernel, double BusyTime::*part);

}  // namespace culprit
