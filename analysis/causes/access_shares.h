// SPDX-License-Identifier: Apache-2.0
// Whose waiting and whose busy time it is. The hardware counts both per unit; rules ask per kind of access: shared,
// local, global, and what bank conflicts and bad coalescing add to them. This is the one place that shares them out, so
// that a cause carries the time of the unit that it filled, and a rule about the unit keeps what nobody else caused.
//
// Waiting, from the stall stack:
//   long_scoreboard, lg_throttle  local and global, by the sectors that each asks for at L1
//   short_scoreboard              shared and special functions (the XU pipe), by instructions
//   mio_throttle                  shared, local and special functions, by instructions: all pass the queue of the
//     memory input/output unit. Measured on the recorded H100 run at 4096: v1_6, with its sums in local memory, waits
//     there 7.9 warp-cycles per shared or local access; v1_6_4, the same accesses but all of them shared, 9.8; v2,
//     without them, 5.4. Global accesses queue elsewhere: sgemm_naive, which makes no others, waits there 0.0 % and in
//     lg_throttle 26 %.
//
// Busy, for a unit at `pct` of its peak over a time T, B = pct / 100 x T:
//   shared memory  bank conflicts take (exact - ideal) / exact wavefronts of B
//   L1             its data stage serves all kinds: shared memory takes its own wavefronts, local and global share what
//                  is left by their sectors
//   L2, DRAM       local and global, by their sectors at L1: these levels do not tell them apart, so both are taken to
//                  miss L1 alike
//   Global sectors are excess beyond the number that the same bytes would touch if coalesced. A level is asked for no
//   more sectors than the one above it, so coalesced accesses make at most that number at every level, and what is
//   beyond it, up to the excess at L1, is excess. Where a cache catches the excess, as L1 does when neighbours use the
//   rest of a line, the levels below are not charged with it.
//
// Units of an SM (shared memory, L1) are judged over the cycles in which their SM has a warp, as stalls are. SMs that
// ran out of blocks are the subject of imbalance_tail.
#pragma once
#include <optional>

#include "analysis/kernel/kernel_view.h"

namespace culprit {

// NVIDIA's Speed Of Light guidance: from 60 % of peak on, throughput is the limit rather than latency.
inline constexpr double kBusyPct = 60;

// Of the sectors that local and global accesses ask for at L1; 0 when there are none. Need local_sectors and
// global_sectors.
double LocalSectorShare(const KernelView& kernel);
double GlobalSectorShare(const KernelView& kernel);

// Instructions that go to shared memory: loads, stores, and where they were counted LDSM and atomics.
double SharedInstructions(const KernelView& kernel);
// Of what waits in the queue of the memory input/output unit, and of what waits for its results; 0 when nothing passes
// it. Need shared_load_inst and shared_store_inst, the first two local_load_inst and local_store_inst, too.
double SharedQueueShare(const KernelView& kernel);
double LocalQueueShare(const KernelView& kernel);
double SharedResultShare(const KernelView& kernel);

// Microseconds. Each needs warps_active, time_us, and the stall and instruction counts named above; throws
// std::logic_error, as KernelView::At, when one is missing.
double SharedWaitUs(const KernelView& kernel);
double LocalWaitUs(const KernelView& kernel);
double GlobalWaitUs(const KernelView& kernel);

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
std::optional<BusyTime> SharedBusy(const KernelView& kernel);
std::optional<BusyTime> L1Busy(const KernelView& kernel);
std::optional<BusyTime> L2Busy(const KernelView& kernel);
// Saturated also below kBusyPct when a kernel moves several times what its job needs at a bandwidth that is felt.
std::optional<BusyTime> DramBusy(const KernelView& kernel);
bool IsMuchDram(const KernelView& kernel, double bytes, double pct);

// The largest part of a saturated level among L1, L2 and DRAM; `name` is empty when none is saturated.
struct LevelShare {
  std::string_view name;  // "L1"
  double pct = 0;         // of the level's peak, all accesses
  double time_us = 0;     // the part
};
LevelShare LargestShare(const KernelView& kernel, double BusyTime::*part);

}  // namespace culprit
