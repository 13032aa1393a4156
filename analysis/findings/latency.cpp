// SPDX-License-Identifier: Apache-2.0
// Waiting that more resident warps would hide, and what keeps them from being resident.
#include <fmt/core.h>

#include "analysis/findings/rules.h"
#include "analysis/format.h"

namespace culprit {
namespace {

// A fifth of the time.
constexpr double kMinLatencyShare = 0.20;
// Half of the warps that the SM could hold. Volkov (GTC 2010) reaches peak with less when threads are independent
// inside, so low occupancy alone is never a finding.
constexpr double kLowOccupancyPct = 50;

double GlobalShare(const KernelView& k) {
  const double global = k.At("global_sectors");
  return global == 0 ? 0 : global / (global + k.At("local_sectors"));
}

std::optional<Opinion> JudgeExposed(const KernelView& k) {
  // Waiting for local memory is the local-memory rules' subject: another warp does not cure it.
  const double wait = *k.StallUs("long_scoreboard") * GlobalShare(k);
  const double occupancy = k.At("achieved_occupancy_pct");
  if (!(wait >= kMinLatencyShare * k.At("time_us")) || !(occupancy < kLowOccupancyPct)) return std::nullopt;
  return Opinion{fmt::format("{} ({}) waits for global memory while only {} of the SM's warps are resident to hide it.",
                             Format(wait, Unit::kTimeUs), Format(100 * wait / k.At("time_us"), Unit::kPercent),
                             Format(occupancy, Unit::kPercent)),
                 wait};
}

// A limit matters only where warps wait for memory of either kind.
bool LatencyMatters(const KernelView& k) {
  return *k.StallShare("long_scoreboard") + *k.StallShare("short_scoreboard") >= kMinLatencyShare &&
         100 * k.At("theoretical_occupancy") < kLowOccupancyPct;
}

bool Limits(const KernelView& k, std::string_view mine) {
  const double limit = k.At(mine);
  for (const char* other :
       {"blocks_per_sm_by_registers", "blocks_per_sm_by_shared", "blocks_per_sm_by_warps", "blocks_per_sm_by_blocks"})
    if (k.At(other) < limit) return false;
  return true;
}

std::string Sentence(const KernelView& k, std::string_view what, std::string_view metric) {
  return fmt::format(
      "{} no more than {} blocks per SM, {} of its warps, while {} of the warp time waits for memory.", what,
      Format(k.At(metric), Unit::kCount), Format(100 * k.At("theoretical_occupancy"), Unit::kPercent),
      Format(100 * (*k.StallShare("long_scoreboard") + *k.StallShare("short_scoreboard")), Unit::kPercent));
}

std::optional<Opinion> JudgeRegisters(const KernelView& k) {
  if (!LatencyMatters(k) || !Limits(k, "blocks_per_sm_by_registers")) return std::nullopt;
  const std::string what = fmt::format("{} registers per thread allow", Format(k.At("registers"), Unit::kCount));
  return Opinion{Sentence(k, what, "blocks_per_sm_by_registers"), std::nullopt};
}

std::optional<Opinion> JudgeShared(const KernelView& k) {
  if (!LatencyMatters(k) || !Limits(k, "blocks_per_sm_by_shared")) return std::nullopt;
  const double bytes = k.At("static_shared_bytes") + k.At("dynamic_shared_bytes");
  return Opinion{Sentence(k, fmt::format("{} of shared memory per block allow", Format(bytes, Unit::kCapacity)),
                          "blocks_per_sm_by_shared"),
                 std::nullopt};
}

std::optional<Opinion> JudgeBlock(const KernelView& k) {
  if (!LatencyMatters(k)) return std::nullopt;
  for (const char* limit : {"blocks_per_sm_by_warps", "blocks_per_sm_by_blocks"})
    if (Limits(k, limit)) {
      const std::string what = fmt::format("Blocks of {} threads allow", Format(k.At("block_threads"), Unit::kCount));
      return Opinion{Sentence(k, what, limit), std::nullopt};
    }
  return std::nullopt;
}

std::vector<std::string_view> OccupancyNeeds(std::vector<std::string_view> own) {
  own.insert(own.end(), {"theoretical_occupancy", "blocks_per_sm_by_registers", "blocks_per_sm_by_shared",
                         "blocks_per_sm_by_warps", "blocks_per_sm_by_blocks", "stall_long_scoreboard",
                         "stall_short_scoreboard", "warps_active"});
  return own;
}

}  // namespace

FindingRule ExposedLatencyRule() {
  return {
      "exposed_latency",
      {"stall_long_scoreboard", "warps_active", "time_us", "achieved_occupancy_pct", "global_sectors", "local_sectors"},
      JudgeExposed,
      {"theoretical_occupancy", "registers"}};
}
FindingRule OccupancyRegistersRule() { return {"occupancy_registers", OccupancyNeeds({"registers"}), JudgeRegisters}; }
FindingRule OccupancySharedRule() {
  return {"occupancy_shared", OccupancyNeeds({"static_shared_bytes", "dynamic_shared_bytes"}), JudgeShared};
}
FindingRule OccupancyBlockRule() { return {"occupancy_block", OccupancyNeeds({"block_threads"}), JudgeBlock}; }

}  // namespace culprit
