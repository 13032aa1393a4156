// SPDX-License-Identifier: Apache-2.0
// Levels of the memory hierarchy near their peak, from accesses that no other cause explains. There is a finding only
// if the level would also be near its peak without local memory, excess sectors and shared memory.
#include <fmt/core.h>

#include <algorithm>

#include "analysis/judge/causes/rooms.h"
#include "analysis/judge/causes/sharing.h"
#include "analysis/launch/instruction_counts.h"
#include "analysis/number/format.h"

namespace culprit {
namespace {

// The stores of a result are often not coalesced. They are not mentioned if they take less than a hundredth of the
// traffic's time.
constexpr double kAlmostAll = 0.99;

// " (5,000.0 us without local memory, excess sectors and shared memory)" if part of the time belongs to other causes.
std::string Rest(const BusyTime& busy) {
  if (busy.rest_us > kAlmostAll * busy.total_us) return "";
  return fmt::format(" ({} without local memory, excess sectors and shared memory)",
                     Format(busy.rest_us, Unit::kTimeUs));
}

std::optional<Opinion> JudgeDram(const Sharing& k) {
  const BusyTime busy = DramBusy(k).value_or(BusyTime{});
  const double bytes = k.At("dram_bytes"), rest_part = busy.total_us == 0 ? 0 : busy.rest_us / busy.total_us;
  if (!IsMuchDram(k, rest_part * bytes, busy.RestPct())) return std::nullopt;
  const std::string pct = Format(busy.pct, Unit::kPercent);
  std::string against, brief = fmt::format("{} of the peak bandwidth of device memory", pct);
  if (const Measured times = Measured(bytes) / k.Get("min_bytes")) {
    against = fmt::format(" ({} times what the job needs at least)", Format(*times, Unit::kRatio));
    brief += fmt::format(", {} times the bytes needed", Format(*times, Unit::kRatio));
  }
  return Opinion{
      fmt::format("{} pass between L2 and device memory{}: that is {} of its peak bandwidth and needs {} by "
                  "itself{}.",
                  Format(bytes, Unit::kBytes), against, pct, Format(busy.total_us, Unit::kTimeUs), Rest(busy)),
      busy.rest_us, std::move(brief)};
}

Opinion OfL2(const Sharing& k, const BusyTime& busy) {
  const std::string pct = Format(busy.pct, Unit::kPercent), sectors = Format(k.At("l2_sectors"), Unit::kCount);
  return {fmt::format("L2 works at {} of its peak for {} sectors; at its peak it would need {}{}.", pct, sectors,
                      Format(busy.total_us, Unit::kTimeUs), Rest(busy)),
          busy.rest_us, fmt::format("L2 at {} of its peak for {} sectors", pct, sectors)};
}

Opinion OfL1(const Sharing& k, const BusyTime& busy) {
  // Asynchronous copies are loads, but only the count of requests includes them.
  const double loads = std::max(k.At("global_load_inst"), k.Get("global_load_requests").value_or(0));
  const std::string pct = Format(busy.pct, Unit::kPercent);
  std::string brief = fmt::format("L1 at {} of its peak", pct);
  if (const auto ratio = PerFfma(k.kernel(), loads))
    brief += fmt::format(", {} global loads per FFMA", Format(*ratio, Unit::kRatio));
  return {fmt::format("L1 works at {} of its peak; at its peak it would need {}{}: {} global loads{}; loads and "
                      "stores touch {} sectors.",
                      pct, Format(busy.total_us, Unit::kTimeUs), Rest(busy), Format(loads, Unit::kCount),
                      PerFfmaClause(k.kernel(), loads), Format(k.At("global_sectors"), Unit::kCount)),
          busy.rest_us, std::move(brief)};
}

// The saturated cache with the longer busy time.
struct FullCache {
  bool is_l1;
  BusyTime busy;
};
std::optional<FullCache> FindFullCache(const Sharing& k) {
  const BusyTime l1 = L1Busy(k).value_or(BusyTime{}), l2 = L2Busy(k).value_or(BusyTime{});
  const bool l1_full = l1.RestPct() >= kBusyPct, l2_full = l2.RestPct() >= kBusyPct;
  if (l1_full && (!l2_full || l1.rest_us >= l2.rest_us)) return FullCache{true, l1};
  return l2_full ? std::optional(FullCache{false, l2}) : std::nullopt;
}

std::optional<Opinion> JudgeCaches(const Sharing& k) {
  const auto full = FindFullCache(k);
  if (!full) return std::nullopt;
  return full->is_l1 ? OfL1(k, full->busy) : OfL2(k, full->busy);
}

Range AsksCaches(Wait wait, const Asker& a) {
  const Demand& d = a.demand;
  const auto levels = [&] { return a.OfCaches(d.useful_l1, d.useful_l2, d.useful_dram); };
  switch (wait) {
    case Wait::kMemory:
      return levels() + a.global_request * d.global_requests;
    case Wait::kResult:
    case Wait::kQueue:
      return levels() * a.HeldUp();
    default:
      return AsInstructions(wait, a, d.global);
  }
}
Range AsksDram(Wait wait, const Asker& a) {
  const auto level = [&] { return a.OfDram(a.demand.useful_l1, a.demand.useful_dram); };
  if (wait == Wait::kMemory) return level();
  return wait == Wait::kResult || wait == Wait::kQueue ? level() * a.HeldUp() : 0.0;
}

// All but local memory.
double GlobalPart(const std::optional<BusyTime>& busy) {
  return PartOf(busy, &BusyTime::excess_us) + PartOf(busy, &BusyTime::rest_us);
}

// The share of L2's sectors that L1 did not request: they are filled from device memory or written back.
double FillShare(const Sharing& k) {
  const Measured asked = k.Get("l1_sectors_miss") / k.Get("l2_sectors");
  return asked ? std::clamp(1 - *asked, 0.0, 1.0) : 0;
}

// Removing the traffic of a level also removes that of the levels below it, including excess.
std::optional<Removal> WithoutDram(const Sharing& k) {
  auto r = WithoutGlobal(k, kGlobalCauses);
  if (!r) return r;
  r->dram = GlobalPart(DramBusy(k));
  r->l2 = r->dram * FillShare(k);
  return r;
}
std::optional<Removal> WithoutL2(const Sharing& k) {
  auto r = WithoutDram(k);
  if (r) r->l2 = GlobalPart(L2Busy(k));
  return r;
}
std::optional<Removal> WithoutL1(const Sharing& k) {
  auto r = WithoutL2(k);
  if (r) r->l1 = GlobalPart(L1Busy(k));
  return r;
}

std::optional<Removal> WithoutCaches(const Sharing& k) {
  const auto full = FindFullCache(k);
  return full && full->is_l1 ? WithoutL1(k) : WithoutL2(k);
}

double Sectors(const InstructionRecord& i) { return CountOf(i, "sass_global_sectors"); }

}  // namespace

Cause L2Traffic() {
  return {
      .id = "l2_traffic",
      .title = "more data asked of the caches",
      .saves = "less data asked of the caches",
      .explains = "long_scoreboard, lg_throttle and drain",
      .moves = "sectors that coalesced accesses need too, at L1 or at L2",
      .remedy = "use what was loaded again: from registers, shared memory or L1",
      .needs = {"l2_sectors", "global_load_sectors", "global_store_sectors", "global_load_requests",
                "global_store_requests"},
      .evidence = {"l2_sectors", "l2_read_sectors", "l2_write_sectors", "l1_sectors_hit", "l1_sectors_miss",
                   "global_load_sectors", "l2_throughput_pct"},
      .rises = {"l2_sectors", "l2_sectors_from_l1", "l1_sectors_miss", "global_load_sectors", "global_store_sectors",
                "global_load_requests", "global_store_requests", "global_load_inst", "global_store_inst"},
      .loads = units::kIssue | units::kMemory,
      .asks = AsksCaches,
      .symptom = {"sectors at L2", "l2_sectors"},
      .source = {"global sectors", Sectors},
      .sampled = SampledAt{kGlobalAccesses},
      .finding = {{"l2_throughput_pct", "l2_sectors", "l1_throughput_pct", "global_load_inst", "global_sectors",
                   "shared_wavefronts_pct", "smsp_cycles_active", "smsp_cycles_elapsed", "time_us"},
                  JudgeCaches,
                  {"l2_sectors_hit", "l1_sectors_hit", "l1_sectors_miss", "local_sectors", "global_load_requests",
                   "sass_global_sectors", "sass_global_sectors_ideal", "ffma_thread_inst"}},
      .gain = {"no warp waited for global memory and the caches carried no global accesses", WithoutCaches,
               "sectors at L1 and L2", "cache_sectors", true},
  };
}

Cause DramTraffic() {
  return {
      .id = "dram_traffic",
      .title = "more data from device memory",
      .saves = "less data from device memory",
      .explains = "long_scoreboard, lg_throttle and drain",
      .moves = "bytes read from or written to device memory",
      .remedy = "keep the working set in L2, or pass over it less often",
      .needs = {"dram_read_bytes", "dram_write_bytes"},
      .evidence = {"dram_read_bytes", "dram_write_bytes", "l2_sectors_hit", "l2_sectors_miss", "dram_throughput_pct"},
      .rises = {"dram_read_bytes", "dram_write_bytes"},
      .loads = units::kMemory,
      .asks = AsksDram,
      .symptom = {"bytes from and to DRAM", "dram_bytes"},
      .source = {"global sectors", Sectors},
      .sampled = SampledAt{kGlobalAccesses},
      .finding = {{"dram_read_bytes", "dram_write_bytes", "dram_bytes_per_s", "time_us"},
                  JudgeDram,
                  {"min_bytes", "local_sectors", "global_sectors", "sass_global_sectors", "sass_global_sectors_ideal"}},
      .gain = {"no warp waited for global memory and device memory carried no global accesses", WithoutDram,
               "bytes of device memory", "dram_bytes", true},
  };
}

}  // namespace culprit
