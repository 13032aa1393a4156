// SPDX-License-Identifier: Apache-2.0
// Accesses to global memory: the sectors per access, and the number of accesses.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "analysis/judge/causes/movement.h"
#include "analysis/judge/causes/rooms.h"
#include "analysis/judge/causes/sharing.h"
#include "analysis/launch/instruction_counts.h"
#include "analysis/number/format.h"

namespace culprit {
namespace {

// Misaligned rows add one sector to every four. A quarter of all sectors is more than that.
constexpr double kMinScatteredShare = 0.25;
// Reported if warps wait for room in the queue for at least a tenth of the time.
constexpr double kMinThrottleShare = 0.10;
// Reported if at least half of the accesses are narrow.
constexpr double kNarrowShare = 0.5;

std::optional<Opinion> JudgeUncoalesced(const Sharing& k) {
  const double touched = k.At("sass_global_sectors");
  const double excess = touched - k.At("sass_global_sectors_ideal");
  if (!(excess >= kMinScatteredShare * touched) || excess == 0) return std::nullopt;
  const double wait = k.WaitUs({"long_scoreboard", "lg_throttle"}, kExcessCause);
  const LevelShare level = LargestShare(k, &BusyTime::excess_us);
  const std::string share = Format(100 * excess / touched, Unit::kPercent);
  std::string text = fmt::format(
      "Global accesses touch {} sectors where the same bytes fit {}: {} of them are excess, "
      "and their part of the waiting is {}",
      Format(touched, Unit::kCount), Format(touched - excess, Unit::kCount), share, Format(wait, Unit::kTimeUs));
  if (!level.name.empty())
    text += fmt::format("; {} works at {} of its peak, and they keep it busy for {}", level.name,
                        Format(level.pct, Unit::kPercent), Format(level.time_us, Unit::kTimeUs));
  return Opinion{text + ".", std::max(wait, level.time_us), fmt::format("{} of the global sectors are excess", share)};
}

std::optional<Opinion> JudgeWidth(const Sharing& k) {
  const double narrow = k.At("sass_global_narrow_inst"), all = k.At("sass_global_width_inst");
  // Waiting that coalescing would remove does not count again for wider accesses.
  const double wait = k.WaitUs({"lg_throttle"}, kCoalescedCauses);
  if (!(narrow >= kNarrowShare * all) || all == 0 || !(wait >= kMinThrottleShare * k.At("time_us")))
    return std::nullopt;
  const std::string share = Format(100 * narrow / all, Unit::kPercent);
  return Opinion{fmt::format("{} waits for room in the queue of global accesses, and {} of the global loads and "
                             "stores move 32 bits per thread or less.",
                             Format(wait, Unit::kTimeUs), share),
                 wait, fmt::format("{} of the global accesses are narrow and fill their queue", share)};
}

Range Asks(Wait wait, const Asker& a) {
  const Demand& d = a.demand;
  const auto levels = [&] {
    const Range looked_up = a.alone ? 0.0 : a.at_l1 * (a.excess_at_l1 - 1.0) * d.excess_l1;
    return a.OfCaches(d.excess_l1, d.excess_l2, d.excess_dram) + a.OfDram(d.excess_l1, d.excess_dram) + looked_up;
  };
  if (wait == Wait::kMemory) return levels();
  return wait == Wait::kResult || wait == Wait::kQueue ? levels() * a.HeldUp() : 0.0;
}

// Changes that follow the excess at L1 belong to coalescing. If the excess is equal, its depth belongs to the caches.
void LeavesDepth(Wait wait, const Askers& pair, Movement& m) {
  if (wait != Wait::kMemory && wait != Wait::kResult && wait != Wait::kQueue) return;
  const double scale = wait == Wait::kMemory ? 1 : pair.base.HeldUp();
  const Demand &from = pair.base.demand, &to = pair.candidate.demand;
  // ln(to / from). Infinite if one of them is 0, and 0 if both are.
  const auto growth = [](double a, double b) { return a == b ? 0 : std::log(b / a); };
  const auto equal = [&](double excess_from, double excess_to, double at_from, double at_to) {
    const double grew = growth(excess_from, excess_to);
    return std::abs(grew) < kAlikeLog || grew * (at_to - at_from) < 0 ? 1.0 : 0.0;
  };
  const auto leave = [&](double (Asker::*weight)() const, const Range& at_from, const Range& at_to,
                         std::string_view level) {
    const Range share = AtEnds(equal, from.excess_l1, to.excess_l1, at_from, at_to);
    m.Pass("global_uncoalesced", level,
           share * ((scale * (pair.candidate.*weight)()) * at_to - (scale * (pair.base.*weight)()) * at_from));
  };
  leave(&Asker::AtL1, Above(from.excess_l1, from.excess_l2), Above(to.excess_l1, to.excess_l2), kL2Traffic);
  leave(&Asker::AtL2, Above(from.excess_l2, from.excess_dram), Above(to.excess_l2, to.excess_dram), kL2Traffic);
  leave(&Asker::AtDram, from.excess_dram, to.excess_dram, kDramTraffic);
}

// Narrower accesses mean more accesses for the same bytes.
void TakesWidth(Wait wait, const Askers& pair, Movement& m) {
  const Demand &from = pair.base.demand, &to = pair.candidate.demand;
  const GlobalAccesses accesses = GlobalAccessesOf(wait, pair);
  m.Pass(kL2Traffic, "global_access_width",
         accesses.cost * AtEnds(MoreByWidth, accesses.from, accesses.to, from.global_width, to.global_width));
}

std::optional<Removal> WithWiderGlobal(const Sharing& k) {
  const auto width = WidthOf(k, "global");
  if (!width) return std::nullopt;
  Removal r;
  r.waiting = {{"lg_throttle", width->spared * k.Of(Wait::kMemory, kCoalescedCauses)}};
  r.instructions = (Measured(width->spared_inst) / k.Get("inst_executed")).value_or(0);
  r.lsu = ShareOfPipe(k, width->spared_inst, "pipe_lsu_inst");
  return r;
}

std::optional<Removal> WithoutExcess(const Sharing& k) {
  auto r = WithoutGlobal(k, kExcessCause);
  if (!r) return r;
  r->l1 = PartOf(L1Busy(k), &BusyTime::excess_us);
  r->l2 = PartOf(L2Busy(k), &BusyTime::excess_us);
  r->dram = PartOf(DramBusy(k), &BusyTime::excess_us);
  return r;
}

double ExcessSectors(const InstructionRecord& i) {
  return Difference(i, "sass_global_sectors", "sass_global_sectors_ideal");
}
double NarrowAccesses(const InstructionRecord& i) { return IsNarrow(i) ? CountOf(i, "sass_global_inst") : 0; }

bool IsSingle(std::string_view v) {
  return topic::Has(v, "single") || topic::Has(v, "consecutive") || v.starts_with("32 bit") || v == "float";
}
bool IsAcross(std::string_view v) { return topic::Has(v, "column") || topic::Has(v, "x along m"); }

}  // namespace

Cause GlobalUncoalesced() {
  return {
      .id = "global_uncoalesced",
      .title = "uncoalesced global accesses",
      .saves = "better coalesced global accesses",
      .explains = "long_scoreboard, lg_throttle and drain",
      .moves = "sectors beyond those that the bytes need, at L1 and where caches do not catch them",
      .remedy = "let neighbouring lanes access neighbouring addresses",
      .needs = {"global_load_sectors", "global_store_sectors", "global_load_requests", "global_store_requests",
                "sass_global_sectors", "sass_global_sectors_ideal"},
      .evidence = {"sass_global_sectors", "sass_global_sectors_ideal", "global_load_sectors", "global_load_requests",
                   "global_store_sectors", "global_store_requests", "l2_sectors"},
      .rises = {"global_excess_sectors"},
      .loads = units::kMemory,
      .asks = Asks,
      .shares_cost = true,
      .takes = LeavesDepth,
      .symptom = {"excess sectors", "global_excess_sectors"},
      .source = {"excess sectors", ExcessSectors},
      .sampled = SampledAt{kGlobalAccesses},
      .topics = {{"copy mapping", IsAcross, false}, {"thread mapping", IsAcross, false}},
      .finding = {{"sass_global_sectors", "sass_global_sectors_ideal", "global_sectors", "local_sectors",
                   "stall_long_scoreboard", "stall_lg_throttle", "warps_active", "time_us"},
                  JudgeUncoalesced,
                  {"global_load_requests", "global_load_sectors", "l1_throughput_pct", "l2_throughput_pct"}},
      .gain = {"global accesses touched no more sectors than their bytes fill", WithoutExcess, "excess global sectors",
               "global_excess_sectors"},
  };
}

Cause GlobalAccessWidth() {
  return {
      .id = "global_access_width",
      .title = "narrow global accesses",
      .saves = "wider global accesses",
      .explains = "long_scoreboard, lg_throttle, drain and issued instructions",
      .moves = "fewer bytes named by each access",
      .remedy = "access 8 or 16 bytes per thread at once",
      .needs = {"global_load_requests", "global_store_requests", "global_access_bytes"},
      .evidence = {"global_access_bytes", "global_load_inst", "global_store_inst", "global_load_requests",
                   "global_store_requests", "global_load_sectors", "global_store_sectors"},
      .falls = {"global_access_bytes"},
      .loads = units::kIssue | units::kMemory,
      .takes = TakesWidth,
      .symptom = {"global accesses", "global_inst"},
      .source = {"global accesses below 128 bits", NarrowAccesses},
      .sampled = SampledAt{kGlobalAccesses},
      .topics = {{"load width", IsSingle, false}, {"thread-level gmem<->smem", IsSingle, false}},
      .finding = {{"sass_global_narrow_inst", "sass_global_width_inst", "global_sectors", "local_sectors",
                   "stall_lg_throttle", "warps_active", "time_us"},
                  JudgeWidth,
                  {"global_load_requests", "sass_global_sectors", "sass_global_sectors_ideal"}},
      .gain = {"global accesses of 32 bits and less were as few as with 128 bits each, with as many sectors",
               WithWiderGlobal, "global accesses of 32 bits and less", "sass_global_narrow_inst"},
  };
}

}  // namespace culprit
