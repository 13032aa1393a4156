// SPDX-License-Identifier: Apache-2.0
// How global memory is addressed: how many sectors an access touches, and how many accesses it takes.
#include <fmt/core.h>

#include "analysis/findings/rules.h"
#include "analysis/format.h"

namespace culprit {
namespace {

// A quarter of the sectors is beyond what misaligned rows cause: one extra sector for every four.
constexpr double kMinExcessShare = 0.25;
// A tenth of the time spent waiting for room in the queue.
constexpr double kMinThrottleShare = 0.10;
constexpr double kNarrowShare = 0.5;

double GlobalShare(const KernelView& k) {
  const double global = k.At("global_sectors");
  return global == 0 ? 0 : global / (global + k.At("local_sectors"));
}

std::optional<Opinion> JudgeUncoalesced(const KernelView& k) {
  const double touched = k.At("sass_global_sectors");
  const double excess = touched - k.At("sass_global_sectors_ideal");
  if (!(excess >= kMinExcessShare * touched) || excess == 0) return std::nullopt;
  const double waits = (*k.StallUs("long_scoreboard") + *k.StallUs("lg_throttle")) * GlobalShare(k);
  const double wait = waits * excess / touched;
  return Opinion{fmt::format("Global accesses touch {} sectors where the same bytes fit {}: {} of them are excess, and "
                             "their part of the waiting "
                             "is {}.",
                             Format(touched, Unit::kCount), Format(touched - excess, Unit::kCount),
                             Format(100 * excess / touched, Unit::kPercent), Format(wait, Unit::kTimeUs)),
                 wait};
}

std::optional<Opinion> JudgeWidth(const KernelView& k) {
  const double narrow = k.At("sass_memory_32b_inst");
  const double all = narrow + k.At("sass_memory_64b_inst") + k.At("sass_memory_128b_inst");
  const double wait = *k.StallUs("lg_throttle") * GlobalShare(k);
  if (!(narrow >= kNarrowShare * all) || all == 0 || !(wait >= kMinThrottleShare * k.At("time_us")))
    return std::nullopt;
  return Opinion{fmt::format("{} waits for room in the queue of global accesses, and {} of the memory instructions "
                             "move 32 bits per thread.",
                             Format(wait, Unit::kTimeUs), Format(100 * narrow / all, Unit::kPercent)),
                 wait};
}

}  // namespace

FindingRule GlobalUncoalescedRule() {
  return {"global_uncoalesced",
          {"sass_global_sectors", "sass_global_sectors_ideal", "global_sectors", "local_sectors",
           "stall_long_scoreboard", "stall_lg_throttle", "warps_active", "time_us"},
          JudgeUncoalesced,
          {"global_load_requests", "global_load_sectors"}};
}
FindingRule GlobalAccessWidthRule() {
  return {"global_access_width",
          {"sass_memory_32b_inst", "sass_memory_64b_inst", "sass_memory_128b_inst", "global_sectors", "local_sectors",
           "stall_lg_throttle", "warps_active", "time_us"},
          JudgeWidth,
          {"global_load_inst"}};
}

}  // namespace culprit
