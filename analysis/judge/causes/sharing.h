// SPDX-License-Identifier: Apache-2.0
// Divides the waiting and the busy time of one kernel among causes. The hardware counts both per unit, and each cause
// has a demand on units. Demand (demand.h) and causes (Cause::asks) are the same as for two kernels (movement.h), so
// `culprit show` and `culprit why` cannot disagree about one kernel.
//
// Waiting: each cause gets a share of a stall state in proportion to its demand on the unit that warps wait for.
//
// Busy time: a unit at `pct` of its peak over a time T is busy for B = pct / 100 x T, which is divided as follows.
//   shared memory  bank conflicts get the share (exact - ideal) / exact wavefronts
//   L1             its data stage serves all kinds of access. Shared memory gets its own wavefronts; local and global
//                  memory divide the rest in proportion to their sectors
//   L2, DRAM       local and global memory, in proportion to their sectors at that level (demand.h)
//
// For units of an SM (shared memory, L1), only the cycles count in which the SM has a warp, as for stalls. The cause
// imbalance_tail covers SMs that ran out of blocks.
#pragma once
#include <array>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/judge/causes/wait.h"
#include "analysis/launch/kernel_view.h"

namespace culprit {

// NVIDIA's Speed Of Light guidance: from 60 % of peak on, throughput is the limit rather than latency.
inline constexpr double kBusyPct = 60;

// SMs without a warp are reported from a tenth of the time on. This also separates launches of several kernels that
// lose time by launching from those that do not: 32 kernels in place of one have 46 % and 60 % (clip_32_launches). A
// long kernel after a short one loses 6 %, because the tiles of the long one are uneven (sgemm_tma at 2048).
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

  // Without exact counts, excess sectors and conflicts count as useful (Splits::kMerged).
  const Demand& demand() const;

  // These causes' share of the demand on the unit that warps wait for: 0 to 1, 0 if there is no demand. If a count is
  // missing, the smallest possible share.
  double Of(Wait wait, CauseIds causes) const;
  // These causes' part of these stall states, in microseconds. Throws std::logic_error, as KernelView::At does, when a
  // state was not measured.
  double WaitUs(std::initializer_list<std::string_view> states, CauseIds causes) const;
  // The smallest possible demand. Remembers, for TakeOpen, that a larger one is possible.
  double Least(const Range& demanded) const;

  // Whether Least() returned a mere lower bound since the last call of TakeOpen.
  bool TakeOpen() const { return std::exchange(open_, false); }

 private:
  const KernelView& kernel_;
  mutable bool open_ = false;
  mutable std::optional<Demand> demand_;
  mutable std::array<std::vector<Range>, kWaits.size()> asked_;  // in the order of Causes(); empty: not yet
};

// The share of bank conflicts in shared-memory wavefronts, and of excess in global sectors at L1. Missing without exact
// counts ("sass_..."); undefined when there are no accesses.
Measured ConflictShare(const KernelView& kernel);
Measured ExcessShare(const KernelView& kernel);

struct BusyTime {
  double pct = 0;  // of the unit's peak
  double total_us = 0;
  // The parts of total_us. Parts that were not measured are in `rest_us`.
  double shared_us = 0;  // L1 only
  double local_us = 0;
  double excess_us = 0;  // bank conflicts for shared memory, uncoalesced sectors elsewhere
  double rest_us = 0;
  bool saturated = false;

  double RestPct() const { return total_us == 0 ? 0 : pct * rest_us / total_us; }
};

// The part's share of the busy time; 0 if not known.
double PartOf(const std::optional<BusyTime>& busy, double BusyTime::*part);

// nullopt when the unit's own counters are missing.
std::optional<BusyTime> SharedBusy(const Sharing& kernel);
std::optional<BusyTime> L1Busy(const Sharing& kernel);
std::optional<BusyTime> L2Busy(const Sharing& kernel);
// A level also counts as saturated below kBusyPct if a kernel moves several times the necessary bytes at a noticeable
// bandwidth.
std::optional<BusyTime> DramBusy(const Sharing& kernel);
bool IsMuchDram(const Sharing& kernel, double bytes, double pct);

// The saturated level of L1, L2 and DRAM with the largest such part. `name` is empty when no level is saturated.
struct LevelShare {
  std::string_view name;  // "L1"
  double pct = 0;         // all accesses, in percent of the level's peak
  double time_us = 0;     // the part
};
LevelShare LargestShare(const Sharing& kernel, double BusyTime::*part);

}  // namespace culprit
