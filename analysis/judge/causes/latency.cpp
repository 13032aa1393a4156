// SPDX-License-Identifier: Apache-2.0
// Waiting that more resident warps would hide, and the limits on resident warps.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "analysis/judge/causes/rooms.h"
#include "analysis/judge/causes/sharing.h"
#include "analysis/launch/instruction_counts.h"
#include "analysis/number/format.h"

namespace culprit {
namespace {

// Reported if warps wait at least a tenth of the time, as for barriers. In db/recorded at 2048 and 4096, cublas_sgemm
// loads several stages ahead and waits 1 % of the time. Kernels of the same tile size that load a tile right before
// they need it (sgemm_float4 to sgemm_zorder) wait 16 to 17 %.
constexpr double kMinExposedShare = 0.10;
// Reported if warps wait at least a fifth of the time.
constexpr double kMinLatencyShare = 0.20;
// Half of the warps that the SM could hold. Kernels whose threads have enough independent instructions reach peak with
// fewer warps (V. Volkov, GTC 2010). So low occupancy alone is never a finding.
constexpr double kLowOccupancyPct = 50;

std::optional<Opinion> JudgeExposed(const Sharing& k) {
  // Waiting for local memory belongs to the local-memory causes, because more warps do not remove it.
  const double wait = k.WaitUs({"long_scoreboard"}, kGlobalCauses);
  const double share = wait / k.At("time_us"), occupancy = k.At("achieved_occupancy_pct");
  if (!(share >= kMinExposedShare) || !(occupancy < kLowOccupancyPct)) return std::nullopt;
  const std::string percent = Format(100 * share, Unit::kPercent), warps = Format(occupancy, Unit::kPercent);
  return Opinion{fmt::format("{} ({}) waits for global memory while only {} of the SM's warps are resident to hide it: "
                             "loads are used before they arrive.",
                             Format(wait, Unit::kTimeUs), percent, warps),
                 wait, fmt::format("{} waits for global memory, {} occupancy", percent, warps)};
}

// A limit matters only if warps wait for global or shared memory.
bool LatencyMatters(const Sharing& k) {
  return *k.StallShare("long_scoreboard") + *k.StallShare("short_scoreboard") >= kMinLatencyShare &&
         100 * k.At("theoretical_occupancy") < kLowOccupancyPct;
}

constexpr std::string_view kLimits[] = {"blocks_per_sm_by_registers", "blocks_per_sm_by_shared",
                                        "blocks_per_sm_by_warps", "blocks_per_sm_by_blocks"};
bool Limits(const Sharing& k, std::string_view mine) {
  return std::ranges::none_of(kLimits, [&](std::string_view other) { return k.At(other) < k.At(mine); });
}

std::string Sentence(const Sharing& k, std::string_view what, std::string_view metric) {
  return fmt::format(
      "{} no more than {} block{} per SM, {} of its warps, while {} of the warp time waits for memory.", what,
      Format(k.At(metric), Unit::kCount), k.At(metric) == 1 ? "" : "s",
      Format(100 * k.At("theoretical_occupancy"), Unit::kPercent),
      Format(100 * (*k.StallShare("long_scoreboard") + *k.StallShare("short_scoreboard")), Unit::kPercent));
}

std::string Brief(const Sharing& k, std::string_view limit) {
  return fmt::format("occupancy limited to {} by {}", Format(100 * k.At("theoretical_occupancy"), Unit::kPercent),
                     limit);
}

std::optional<Opinion> JudgeRegisters(const Sharing& k) {
  if (!LatencyMatters(k) || !Limits(k, "blocks_per_sm_by_registers")) return std::nullopt;
  const std::string what = fmt::format("{} registers per thread allow", Format(k.At("registers"), Unit::kCount));
  return Opinion{Sentence(k, what, "blocks_per_sm_by_registers"), std::nullopt, Brief(k, "registers")};
}

std::optional<Opinion> JudgeShared(const Sharing& k) {
  if (!LatencyMatters(k) || !Limits(k, "blocks_per_sm_by_shared")) return std::nullopt;
  const double bytes = k.At("static_shared_bytes") + k.At("dynamic_shared_bytes");
  return Opinion{Sentence(k, fmt::format("{} of shared memory per block allow", Format(bytes, Unit::kCapacity)),
                          "blocks_per_sm_by_shared"),
                 std::nullopt, Brief(k, "shared memory")};
}

std::optional<Opinion> JudgeBlock(const Sharing& k) {
  if (!LatencyMatters(k)) return std::nullopt;
  for (const char* limit : {"blocks_per_sm_by_warps", "blocks_per_sm_by_blocks"})
    if (Limits(k, limit)) {
      const std::string what = fmt::format("Blocks of {} threads allow", Format(k.At("block_threads"), Unit::kCount));
      return Opinion{Sentence(k, what, limit), std::nullopt, Brief(k, "the block size")};
    }
  return std::nullopt;
}

const std::vector<std::string_view> kOccupancyNeeds = {"theoretical_occupancy",      "block_threads",
                                                       "blocks_per_sm_by_registers", "blocks_per_sm_by_shared",
                                                       "blocks_per_sm_by_warps",     "blocks_per_sm_by_blocks"};
std::vector<std::string_view> OccupancyNeeds(std::vector<std::string_view> own) {
  own.insert(own.end(), {"theoretical_occupancy", "blocks_per_sm_by_registers", "blocks_per_sm_by_shared",
                         "blocks_per_sm_by_warps", "blocks_per_sm_by_blocks", "stall_long_scoreboard",
                         "stall_short_scoreboard", "warps_active"});
  return own;
}

// Loads are the same if their number is equal. If one kernel copies data asynchronously that the other loads, a load
// may correspond to several copies with different targets in shared memory. Then loads are the same if their sectors
// are equal.
Range SameLoads(const Askers& pair) {
  const Demand &from = pair.base.demand, &to = pair.candidate.demand;
  const auto copies_only_in = [](const Demand& one, const Demand& other) {
    return one.copies.low > 0 && other.copies.high == 0;
  };
  if (copies_only_in(from, to) || copies_only_in(to, from))
    return Same(from.useful_l1 + from.excess_l1, to.useful_l1 + to.excess_l1);
  return Same(from.global_requests, to.global_requests);
}
// Bulk copies are no requests of warps. The part of their waiting that the demand of their bytes on L2 and device
// memory explains is already attributed. If only one kernel has bulk copies, their waiting appeared or vanished with
// them.
std::vector<RestShare> TakesRest(const Askers& pair, const Decomposition& d) {
  std::vector<RestShare> shares = {{"long_scoreboard", SameLoads(pair)}};
  if (const StallDifference* copies = d.Find(states::kCopies))
    shares.push_back({states::kCopies, 1.0, copies->base_cycles == 0 || copies->candidate_cycles == 0});
  return shares;
}

// Products are the same if their number and the busy time of their pipe are equal. Then longer waiting does not come
// from their work. Other causes that delay them, such as loads of their factors, have already got their part.
std::vector<RestShare> TakesProducts(const Askers& pair, const Decomposition&) {
  const Demand &from = pair.base.demand, &to = pair.candidate.demand;
  if (!(from.gmma.high > 0) || !(to.gmma.high > 0)) return {};
  return {{.state = states::kProducts,
           .share = Same(from.gmma, to.gmma) * Same(from.gmma_cycles, to.gmma_cycles),
           .last = true}};
}

std::optional<Removal> WithLoadsInTime(const Sharing& k) {
  return WithoutWaiting("long_scoreboard", k.Of(Wait::kMemory, kGlobalCauses));
}

// Lifts the limits in `mine`. Removal::warps is the growth of blocks per SM that the SM's warps and the grid then
// allow. nullopt if there is no growth, because then the limit does not matter.
std::optional<Removal> WithMoreBlocks(const Sharing& k, std::initializer_list<std::string_view> mine) {
  double now = INFINITY, then = INFINITY;
  for (const std::string_view limit : kLimits) {
    const double blocks = k.At(limit);
    now = std::min(now, blocks);
    if (std::find(mine.begin(), mine.end(), limit) == mine.end()) then = std::min(then, blocks);
  }
  const Measured grid = k.Get("blocks") / k.Get("sm_count");
  Removal r;
  r.warps = std::min({then / now, 1 / k.At("theoretical_occupancy"), grid.value_or(INFINITY) / now});
  if (!(r.warps > 1)) return std::nullopt;
  return r;
}
std::optional<Removal> WithFewerRegisters(const Sharing& k) {
  return WithMoreBlocks(k, {"blocks_per_sm_by_registers"});
}
std::optional<Removal> WithLessShared(const Sharing& k) { return WithMoreBlocks(k, {"blocks_per_sm_by_shared"}); }
std::optional<Removal> WithOtherBlocks(const Sharing& k) {
  return WithMoreBlocks(k, {"blocks_per_sm_by_warps", "blocks_per_sm_by_blocks"});
}

double GlobalLoads(const InstructionRecord& i) { return CountOf(i, "sass_global_load_inst"); }
bool IsOneBuffer(std::string_view v) { return v.starts_with('1') || topic::IsNone(v); }

constexpr std::string_view slots = "empty warp slots per resident warp", kEmptySlots = "empty_warp_slots";

}  // namespace

Cause ExposedLatency() {
  return {
      .id = "exposed_latency",
      .title = "latency that nothing hides",
      .saves = "latency that is hidden better",
      .explains = "long_scoreboard, mbarrier_copy",
      .moves = "none: the same loads are waited for longer",
      .remedy = "issue loads well before their use: prefetch, unroll, more independent work per thread",
      .waits = "waiting longer for the same loads from global memory",
      .waits_less = "waiting less long for the same loads from global memory",
      .needs = {"stall_long_scoreboard", "global_load_requests"},
      .evidence = {"stall_long_scoreboard", "global_load_inst", "achieved_occupancy_pct"},
      .rises = {"stall_long_scoreboard"},
      .takes_rest = TakesRest,
      .source = {"global loads", GlobalLoads},
      .sampled =
          SampledAt{{Operation::kGlobalLoad, Operation::kGenericLoad, Operation::kTexture, Operation::kAsyncCopy},
                    {"long_scoreboard"}},
      .topics = {{"global prefetch", topic::IsNone, true}, {"shared buffers", IsOneBuffer, true}},
      .finding = {{"stall_long_scoreboard", "warps_active", "time_us", "achieved_occupancy_pct", "global_sectors",
                   "local_sectors"},
                  JudgeExposed,
                  {"theoretical_occupancy", "registers"}},
      .gain = {"every value from global memory arrived before it was used", WithLoadsInTime,
               "warp-cycles waiting for global memory", "global_long_scoreboard"},
  };
}

Cause ExposedProducts() {
  return {
      .id = "exposed_products",
      .title = "products of warpgroups that nothing hides",
      .saves = "products of warpgroups that are hidden better",
      .explains = "wgmma, where nothing else is found that delays products",
      .moves = "the same products keep the tensor pipe busy for less of the time",
      .remedy = "begin the next product before waiting for one: wgmma.wait_group 1, or a second warpgroup",
      .needs = {"tensor_hmma_inst"},
      .evidence = {"tensor_pipe_pct", "tensor_gmma_inst", "achieved_occupancy_pct"},
      .falls = {"tensor_pipe_pct"},
      .takes_rest = TakesProducts,
      .sampled = SampledAt{.reasons = {"warpgroup_arrive"}, .products = true},
  };
}

Cause OccupancyRegisters() {
  return {
      .id = "occupancy_registers",
      .title = "fewer resident warps: registers",
      .saves = "more resident warps: registers",
      .explains = "the factor parallelism",
      .moves = "theoretical occupancy falls, limited by registers",
      .remedy = "use fewer registers per thread, or make each thread hide its own latency",
      .needs = kOccupancyNeeds,
      .evidence = {"theoretical_occupancy", "registers", "achieved_occupancy_pct", "blocks_per_sm_by_registers"},
      .falls = {"theoretical_occupancy"},
      .warp_limits = {"blocks_per_sm_by_registers"},
      .finding = {OccupancyNeeds({"registers"}), JudgeRegisters},
      .gain = {"registers set no limit and more warps waited no longer each", WithFewerRegisters, slots, kEmptySlots,
               true},
  };
}

Cause OccupancyShared() {
  return {
      .id = "occupancy_shared",
      .title = "fewer resident warps: shared memory",
      .saves = "more resident warps: shared memory",
      .explains = "the factor parallelism",
      .moves = "theoretical occupancy falls, limited by shared memory",
      .remedy = "use less shared memory per block",
      .needs = kOccupancyNeeds,
      .evidence = {"theoretical_occupancy", "static_shared_bytes", "dynamic_shared_bytes", "achieved_occupancy_pct",
                   "blocks_per_sm_by_shared"},
      .falls = {"theoretical_occupancy"},
      .warp_limits = {"blocks_per_sm_by_shared"},
      .finding = {OccupancyNeeds({"static_shared_bytes", "dynamic_shared_bytes"}), JudgeShared},
      .gain = {"shared memory set no limit and more warps waited no longer each", WithLessShared, slots, kEmptySlots,
               true},
  };
}

Cause OccupancyBlock() {
  return {
      .id = "occupancy_block",
      .title = "fewer resident warps: block size",
      .saves = "more resident warps: block size",
      .explains = "the factor parallelism",
      .moves = "theoretical occupancy falls, limited by the block size",
      .remedy = "choose a block size that fills the SM's warps",
      .needs = kOccupancyNeeds,
      .evidence = {"theoretical_occupancy", "block_threads", "achieved_occupancy_pct", "blocks_per_sm_by_warps",
                   "blocks_per_sm_by_blocks"},
      .falls = {"theoretical_occupancy"},
      .warp_limits = {"blocks_per_sm_by_warps", "blocks_per_sm_by_blocks"},
      .finding = {OccupancyNeeds({"block_threads"}), JudgeBlock},
      .gain = {"the block size set no limit and more warps waited no longer each", WithOtherBlocks, slots, kEmptySlots,
               true},
  };
}

}  // namespace culprit
