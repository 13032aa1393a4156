// SPDX-License-Identifier: Apache-2.0
// Waiting that more resident warps would hide, and what keeps them from being resident.
#include <fmt/core.h>

#include "analysis/causes/access_shares.h"
#include "analysis/causes/finding_rules.h"
#include "analysis/render/format.h"

namespace culprit {
namespace {

// A tenth of the time, as for barriers. Measured on the recorded H100 run: cuBLAS, which loads stages ahead, waits 1 %;
// kernels of the same tile size that load a tile right before they need it 9 to 21 %.
constexpr double kMinExposedShare = 0.10;
// A fifth of the time.
constexpr double kMinLatencyShare = 0.20;
// Half of the warps that the SM could hold. Volkov (GTC 2010) reaches peak with less when threads are independent
// inside, so low occupancy alone is never a finding.
constexpr double kLowOccupancyPct = 50;

std::optional<Opinion> JudgeExposed(const KernelView& k) {
  // Waiting for local memory is the local-memory rules' subject: another warp does not cure it.
  const double wait = *k.StallUs("long_scoreboard") * GlobalSectorShare(k);
  const double share = wait / k.At("time_us"), occupancy = k.At("achieved_occupancy_pct");
  if (!(share >= kMinExposedShare) || !(occupancy < kLowOccupancyPct)) return std::nullopt;
  const std::string percent = Format(100 * share, Unit::kPercent), warps = Format(occupancy, Unit::kPercent);
  return Opinion{fmt::format("{} ({}) waits for global memory while only {} of the SM's warps are resident to hide it: "
                             "loads are used before they arrive.",
                             Format(wait, Unit::kTimeUs), percent, warps),
                 wait, fmt::format("{} waits for global memory, {} occupancy", percent, warps)};
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
      "{} no more than {} block{} per SM, {} of its warps, while {} of the warp time waits for memory.", what,
      Format(k.At(metric), Unit::kCount), k.At(metric) == 1 ? "" : "s",
      Format(100 * k.At("theoretical_occupancy"), Unit::kPercent),
      Format(100 * (*k.StallShare("long_scoreboard") + *k.StallShare("short_scoreboard")), Unit::kPercent));
}

std::string Brief(const KernelView& k, std::string_view limit) {
  return fmt::format("occupancy limited to {} by {}", Format(100 * k.At("theoretical_occupancy"), Unit::kPercent),
                     limit);
}

std::optional<Opinion> JudgeRegisters(const KernelView& k) {
  if (!LatencyMatters(k) || !Limits(k, "blocks_per_sm_by_registers")) return std::nullopt;
  const std::string what = fmt::format("{} registers per thread allow", Format(k.At("registers"), Unit::kCount));
  return Opinion{Sentence(k, what, "blocks_per_sm_by_registers"), std::nullopt, Brief(k, "registers")};
}

std::optional<Opinion> JudgeShared(const KernelView& k) {
  if (!LatencyMatters(k) || !Limits(k, "blocks_per_sm_by_shared")) return std::nullopt;
  const double bytes = k.At("static_shared_bytes") + k.At("dynamic_shared_bytes");
  return Opinion{Sentence(k, fmt::format("{} of shared memory per block allow", Format(bytes, Unit::kCapacity)),
                          "blocks_per_sm_by_shared"),
                 std::nullopt, Brief(k, "shared memory")};
}

std::optional<Opinion> JudgeBlock(const KernelView& k) {
  if (!LatencyMatters(k)) return std::nullopt;
  for (const char* limit : {"blocks_per_sm_by_warps", "blocks_per_sm_by_blocks"})
    if (Limits(k, limit)) {
      const std::string what = fmt::format("Blocks of {} threads allow", Format(k.At("block_threads"), Unit::kCount));
      return Opinion{Sentence(k, what, limit), std::nullopt, Brief(k, "the block size")};
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
