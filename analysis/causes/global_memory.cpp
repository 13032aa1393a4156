// SPDX-License-Identifier: Apache-2.0
// How global memory is addressed: how many sectors an access touches, and how many accesses it takes.
#include <fmt/core.h>

#include <algorithm>

#include "analysis/causes/access_shares.h"
#include "analysis/causes/finding_rules.h"
#include "analysis/render/format.h"

namespace culprit {
namespace {

// A quarter of the sectors is beyond what misaligned rows cause: one extra sector for every four.
constexpr double kMinExcessShare = 0.25;
// A tenth of the time spent waiting for room in the queue.
constexpr double kMinThrottleShare = 0.10;
constexpr double kNarrowShare = 0.5;

std::optional<Opinion> JudgeUncoalesced(const KernelView& k) {
  const double touched = k.At("sass_global_sectors");
  const double excess = touched - k.At("sass_global_sectors_ideal");
  if (!(excess >= kMinExcessShare * touched) || excess == 0) return std::nullopt;
  const double wait = GlobalWaitUs(k) * excess / touched;
  const LevelShare level = LargestShare(k, &BusyTime::excess_us);
  const std::string share = Format(100 * excess / touched, Unit::kPercent);
  std::string text = fmt::format(
      "Global accesses touch {} sectors where the same bytes fit {}: {} of them are excess, "
      "and their part of the waiting is {}",
      Format(touched, Unit::kCount), Format(touched - excess, Unit::kCount), share, Format(wait, Unit::kTimeUs));
  if (!level.name.empty())
    text += fmt::format("; they fill {}, which works at {} of its peak, and need {} there", level.name,
                        Format(level.pct, Unit::kPercent), Format(level.time_us, Unit::kTimeUs));
  return Opinion{text + ".", std::max(wait, level.time_us), fmt::format("{} of the global sectors are excess", share)};
}

std::optional<Opinion> JudgeWidth(const KernelView& k) {
  const double narrow = k.At("sass_global_narrow_inst"), all = k.At("sass_global_width_inst");
  // What coalescing would free is not claimed again for wider accesses.
  const double wait = *k.StallUs("lg_throttle") * GlobalSectorShare(k) * (1 - ExcessShare(k).value_or(0));
  if (!(narrow >= kNarrowShare * all) || all == 0 || !(wait >= kMinThrottleShare * k.At("time_us")))
    return std::nullopt;
  const std::string share = Format(100 * narrow / all, Unit::kPercent);
  return Opinion{fmt::format("{} waits for room in the queue of global accesses, and {} of the global loads and "
                             "stores move 32 bits per thread or less.",
                             Format(wait, Unit::kTimeUs), share),
                 wait, fmt::format("{} of the global accesses are narrow and fill their queue", share)};
}

}  // namespace

FindingRule GlobalUncoalescedRule() {
  return {"global_uncoalesced",
          {"sass_global_sectors", "sass_global_sectors_ideal", "global_sectors", "local_sectors",
           "stall_long_scoreboard", "stall_lg_throttle", "warps_active", "time_us"},
          JudgeUncoalesced,
          {"global_load_requests", "global_load_sectors", "l1_throughput_pct", "l2_throughput_pct"}};
}
FindingRule GlobalAccessWidthRule() {
  return {"global_access_width",
          {"sass_global_narrow_inst", "sass_global_width_inst", "global_sectors", "local_sectors", "stall_lg_throttle",
           "warps_active", "time_us"},
          JudgeWidth,
          {"global_load_requests", "sass_global_sectors", "sass_global_sectors_ideal"}};
}

}  // namespace culprit
