// SPDX-License-Identifier: Apache-2.0
// Warps that wait for other warps, and SMs that have run out of blocks.
#include <fmt/core.h>

#include "analysis/causes/finding_rules.h"
#include "analysis/render/format.h"

namespace culprit {
namespace {

// A tenth of the busiest SM's time: less than one block in ten that one SM ran and another did not.
constexpr double kMinImbalance = 0.10;
// Barriers come with tiling; a tenth of the time is when they stop being its price.
constexpr double kMinBarrierShare = 0.10;

std::optional<Opinion> JudgeTail(const KernelView& k) {
  const double most = k.At("sm_cycles_active_max"), least = k.At("sm_cycles_active_min");
  if (!(most - least >= kMinImbalance * most) || most == 0) return std::nullopt;
  // Elapsed cycles in which a sub-partition had no warp at all.
  const double idle = 1 - k.At("smsp_cycles_active") / k.At("smsp_cycles_elapsed");
  const double wait = idle * k.At("time_us");
  const std::string share = Format(100 * idle, Unit::kPercent);
  const Measured blocks = k.Get("blocks"), sms = k.Get("sm_count"), waves = k.Get("waves");
  std::string grid, brief;
  if (blocks && sms) {
    brief = fmt::format("{} blocks on {} SMs", Format(*blocks, Unit::kCount), Format(*sms, Unit::kCount));
    grid = " (" + brief + (waves ? fmt::format(", {} waves)", Format(*waves, Unit::kRatio)) : ")");
    brief += ": ";
  }
  brief += fmt::format("{} of the time without a warp", share);
  return Opinion{
      fmt::format("The idlest SM works {} of the cycles of the busiest{}; SMs without a warp make {} of the time, {}.",
                  Format(100 * least / most, Unit::kPercent), grid, share, Format(wait, Unit::kTimeUs)),
      wait, std::move(brief)};
}

std::optional<Opinion> JudgeBarrier(const KernelView& k) {
  const double share = *k.StallShare("barrier");
  if (!(share >= kMinBarrierShare)) return std::nullopt;
  const double wait = *k.StallUs("barrier");
  return Opinion{
      fmt::format("{} ({}) waits at barriers for warps that are late: their reasons are in the other findings.",
                  Format(wait, Unit::kTimeUs), Format(100 * share, Unit::kPercent)),
      wait, fmt::format("{} waits at barriers", Format(100 * share, Unit::kPercent))};
}

}  // namespace

FindingRule ImbalanceTailRule() {
  return {"imbalance_tail",
          {"sm_cycles_active_max", "sm_cycles_active_min", "smsp_cycles_active", "smsp_cycles_elapsed", "time_us"},
          JudgeTail,
          {"blocks", "sm_count", "waves"}};
}
FindingRule BarrierRule() { return {"barrier", {"stall_barrier", "warps_active", "time_us"}, JudgeBarrier}; }

}  // namespace culprit
