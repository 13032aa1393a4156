// SPDX-License-Identifier: Apache-2.0
// Shared memory serves one wavefront per SM and cycle. Too many wavefronts can come from too much reuse through shared
// memory, from bank conflicts, or from accesses narrower than necessary.
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

// Reported if conflicts cause at least a tenth of the wavefronts. Accesses at tile edges cause fewer conflicts.
constexpr double kMinConflictShare = 0.10;
// Findings about shared memory are given if warps wait for it for at least a tenth of the time.
constexpr double kMinStallShare = 0.10;
// Tiling causes some waiting without conflicts. In db/recorded at 2048 and 4096, it is 10 to 13 % of the time in
// kernels with an 8x8 thread tile and few conflicts (sgemm_quadrants, sgemm_zorder). It is 27 % and more in kernels
// that pass sums or single values through shared memory (sgemm_smem to sgemm_tile_2d_reg).
constexpr double kMuchStallShare = 0.20;
// Reported if at least half of the accesses are of 32 bits.
constexpr double kNarrowShare = 0.5;

double WaitUs(const Sharing& k, CauseIds causes) { return k.WaitUs({"short_scoreboard", "mio_throttle"}, causes); }

bool Waits(const Sharing& k) { return WaitUs(k, kSharedCauses) >= kMinStallShare * k.At("time_us"); }

double BusyUs(const BusyTime& busy, double BusyTime::*part) { return busy.saturated ? busy.*part : 0; }

// Without instructions for shared memory, a kernel uses it if it is busy for at least this percentage of the cycles.
// For example, matrix units read it without load instructions. Waiting in the queue proves nothing, because scattered
// global accesses and special registers use the same queue.
constexpr double kIdlePct = 3;
bool TouchesShared(const KernelView& k, const BusyTime& busy) {
  const Measured instructions =
      k.Get("shared_load_inst") + k.Get("shared_store_inst") + k.Get("shared_ldsm_inst") + k.Get("shared_atom_inst");
  return !instructions || *instructions > 0 || busy.pct >= kIdlePct;
}

std::optional<Opinion> JudgeTraffic(const Sharing& k) {
  const BusyTime busy = SharedBusy(k).value_or(BusyTime{});
  if (!TouchesShared(k.kernel(), busy)) return std::nullopt;
  // Without exact counts, conflicts are not known, and all of the waiting counts as traffic.
  const double wait = WaitUs(k, kTrafficCause), of_all = WaitUs(k, kSharedCauses);
  if (!(busy.RestPct() >= kBusyPct) && !(wait >= kMuchStallShare * k.At("time_us"))) return std::nullopt;
  const double wavefronts = k.At("shared_wavefronts");
  const std::string busy_pct = Format(busy.pct, Unit::kPercent);
  std::string text = fmt::format("Shared memory is busy for {} of the cycles with {} wavefronts{}", busy_pct,
                                 Format(wavefronts, Unit::kCount), PerFfmaClause(k.kernel(), wavefronts));
  const auto ratio = PerFfma(k.kernel(), wavefronts);
  text += fmt::format("; {} of the time waits for it", Format(of_all, Unit::kTimeUs));
  if (wait < of_all)
    text += fmt::format(", {} of that not for bank conflicts", Format(100 * wait / of_all, Unit::kPercent));
  // If the unit is mostly idle, the finding is only about waiting.
  const std::string waits =
      busy.RestPct() >= kBusyPct
          ? ""
          : fmt::format("{} waits for shared memory, ", Format(100 * wait / k.At("time_us"), Unit::kPercent));
  return Opinion{text + ".", std::max(wait, BusyUs(busy, &BusyTime::rest_us)),
                 fmt::format("{}{} {} busy{}", waits, waits.empty() ? "shared memory" : "which is", busy_pct,
                             ratio ? fmt::format(", {} wavefronts per FFMA", Format(*ratio, Unit::kRatio)) : "")};
}

std::optional<Opinion> JudgeConflicts(const Sharing& k) {
  const double all = k.At("sass_shared_wavefronts");
  const double excess = all - k.At("sass_shared_wavefronts_ideal");
  const BusyTime busy = SharedBusy(k).value_or(BusyTime{});
  if (!(excess >= kMinConflictShare * all) || excess == 0 || !(Waits(k) || busy.saturated)) return std::nullopt;
  const double wait = WaitUs(k, kConflictCause);
  const std::string share = Format(100 * excess / all, Unit::kPercent);
  std::string text = fmt::format(
      "Bank conflicts make {} of {} shared-memory wavefronts ({}); their part of the waiting for shared memory is {}",
      Format(excess, Unit::kCount), Format(all, Unit::kCount), share, Format(wait, Unit::kTimeUs));
  if (busy.saturated)
    text += fmt::format(", and of the {} of the cycles for which it is busy, {}", Format(busy.pct, Unit::kPercent),
                        Format(busy.excess_us, Unit::kTimeUs));
  return Opinion{text + ".", std::max(wait, BusyUs(busy, &BusyTime::excess_us)),
                 fmt::format("{} of the shared wavefronts are conflicts", share)};
}

std::optional<Opinion> JudgeWidth(const Sharing& k) {
  const double narrow = k.At("sass_shared_narrow_inst");
  // GMMA reads shared memory, but has no access width.
  const double all = std::max(k.At("sass_shared_width_inst"), k.At("sass_shared_inst"));
  if (!(narrow >= kNarrowShare * all) || all == 0 || !Waits(k)) return std::nullopt;
  const double wait = k.WaitUs({"mio_throttle"}, kTrafficCause) * narrow / all;
  const std::string share = Format(100 * narrow / all, Unit::kPercent);
  return Opinion{
      fmt::format("{} of {} shared loads and stores move 32 bits per thread or less{}: {} waits for room in "
                  "the queue that wider accesses would leave free.",
                  share, Format(all, Unit::kCount), PerFfmaClause(k.kernel(), all), Format(wait, Unit::kTimeUs)),
      wait, fmt::format("{} of the shared accesses are narrow", share)};
}

const std::vector<std::string_view> kWaitNeeds = {
    "stall_short_scoreboard", "stall_mio_throttle", "shared_load_inst", "shared_store_inst",
    "local_load_inst",        "local_store_inst",   "warps_active",     "time_us"};
const std::vector<std::string_view> kBusyNeeds = {"shared_wavefronts_pct", "smsp_cycles_active", "smsp_cycles_elapsed"};

std::vector<std::string_view> Join(std::vector<std::string_view> ids, const std::vector<std::string_view>& more) {
  ids.insert(ids.end(), more.begin(), more.end());
  return ids;
}

Range AsksConflicts(Wait wait, const Asker& a) {
  return wait == Wait::kResult || wait == Wait::kQueue ? a.demand.shared_conflicts : 0.0;
}
Range AsksTraffic(Wait wait, const Asker& a) {
  if (wait == Wait::kResult || wait == Wait::kQueue) {
    if (a.of_unit) return Max(a.demand.shared_useful, a.demand.shared);
    const Range waited = Above(a.demand.shared_useful, a.demand.shared_by_products);
    return a.alone ? Max(waited, a.demand.shared) : waited + a.demand.shared;
  }
  return AsInstructions(wait, a, a.demand.shared);
}

// More instructions for the same bytes come from their width. More bytes come from less reuse in registers.
void TakesWidth(Wait wait, const Askers& pair, Movement& m) {
  const Demand &from = pair.base.demand, &to = pair.candidate.demand;
  if (from.shared.high == 0 || to.shared.high == 0 || from.shared_width.high == 0 || to.shared_width.high == 0) return;
  // Reads of products have no width. Writes of copies have none either, if both kernels have copies. If only one has
  // them, they replace stores.
  const bool both_copy = from.copies.high > 0 && to.copies.high > 0;
  const auto by_threads = [&](const Asker& a) {
    const Range units = AsksTraffic(wait, a);
    if (wait != Wait::kResult && wait != Wait::kQueue) return units;
    const Range others =
        (a.of_unit ? a.demand.shared_by_products : 0.0) + (both_copy ? a.demand.shared_by_copies : 0.0);
    return Max(Above(units, others), a.demand.shared);
  };
  const Range units_from = by_threads(pair.base), units_to = by_threads(pair.candidate);
  if (units_from.high == 0 && units_to.high == 0) return;
  m.Pass(kSharedTraffic, "shared_access_width",
         AtEnds(MoreByRate, units_from, units_to, from.shared * from.shared_width, to.shared * to.shared_width));
}

// If accesses and wavefronts are the same, longer waiting does not come from more work of the data pipe.
std::vector<RestShare> TakesWaiting(const Askers& pair, const Decomposition&) {
  const Demand &from = pair.base.demand, &to = pair.candidate.demand;
  // Wavefronts do not show the time of atomics on one address.
  const bool known =
      from.shared.low > 0 && to.shared.low > 0 && from.shared_atomic.high == 0 && to.shared_atomic.high == 0;
  if (!known) return {};
  const Range same = Same(from.shared, to.shared);
  std::vector<RestShare> shares;
  for (const auto& [state, wait] :
       {std::pair("short_scoreboard", Wait::kResult), std::pair("mio_throttle", Wait::kQueue)}) {
    const Movement m = MovementOf(wait, pair);
    shares.push_back({state, same * Same(m.from(), m.to())});
  }
  return shares;
}

// Four 32-bit accesses become one of 128 bits. Their four wavefronts become 2 if all lanes share words, and stay 4 if
// no lanes do. This value assumes 3.
constexpr double kWiderSavesWavefronts = 0.25;

// Removes `share` of the shared-memory wavefronts, with their waiting.
Removal WithoutWavefronts(const Sharing& k, CauseIds causes, double share) {
  Removal r;
  r.waiting = {{"short_scoreboard", k.Of(Wait::kResult, causes)}, {"mio_throttle", k.Of(Wait::kQueue, causes)}};
  r.shared = share;
  r.l1 = share * PartOf(L1Busy(k), &BusyTime::shared_us);
  return r;
}

std::optional<Removal> WithoutConflicts(const Sharing& k) {
  return WithoutWavefronts(k, kConflictCause, ConflictShare(k.kernel()).value_or(0));
}
std::optional<Removal> WithoutSharedTraffic(const Sharing& k) {
  const double accesses = k.demand().shared.low;
  Removal r = WithoutWavefronts(k, kTrafficCause, 1 - ConflictShare(k.kernel()).value_or(0));
  r.instructions = (Measured(accesses) / k.Get("inst_executed")).value_or(0);
  r.lsu = ShareOfPipe(k, accesses, "pipe_lsu_inst");
  return r;
}

// The wavefronts that the bytes need are not removed.
std::optional<Removal> WithWiderShared(const Sharing& k) {
  const auto width = WidthOf(k, "shared");
  if (!width) return std::nullopt;
  const double kept = 1 - ConflictShare(k.kernel()).value_or(0);
  Removal r;
  r.waiting = {{"mio_throttle", width->spared * k.Of(Wait::kQueue, kTrafficCause)}};
  r.instructions = (Measured(width->spared_inst) / k.Get("inst_executed")).value_or(0);
  r.lsu = ShareOfPipe(k, width->spared_inst, "pipe_lsu_inst");
  r.shared = kWiderSavesWavefronts * width->narrow * kept;
  r.l1 = r.shared * PartOf(L1Busy(k), &BusyTime::shared_us);
  return r;
}

double ExcessWavefronts(const InstructionRecord& i) {
  return Difference(i, "sass_shared_wavefronts", "sass_shared_wavefronts_ideal");
}
double IdealWavefronts(const InstructionRecord& i) { return CountOf(i, "sass_shared_wavefronts_ideal"); }
double NarrowAccesses(const InstructionRecord& i) { return IsNarrow(i) ? CountOf(i, "sass_shared_inst") : 0; }

bool IsNotPadded(std::string_view v) { return !topic::Has(v, "pad"); }
bool IsRowMajor(std::string_view v) { return v == "row-major"; }

}  // namespace

Cause SharedBankConflicts() {
  return {
      .id = "shared_bank_conflicts",
      .title = "bank conflicts in shared memory",
      .saves = "fewer bank conflicts in shared memory",
      .explains = "short_scoreboard and mio_throttle",
      .moves = "wavefronts beyond those that the bytes need; not when these fell",
      .remedy = "pad or permute the rows",
      .needs = {"shared_wavefronts", "sass_shared_wavefronts", "sass_shared_wavefronts_ideal"},
      .evidence = {"sass_shared_wavefronts", "sass_shared_wavefronts_ideal", "shared_wavefronts", "shared_conflicts_hw",
                   "shared_wavefronts_pct"},
      .rises = {"shared_excess_wavefronts"},
      .loads = units::kL1,
      .asks = AsksConflicts,
      .symptom = {"wavefronts lost to bank conflicts", "shared_excess_wavefronts"},
      .source = {"wavefronts lost to bank conflicts", ExcessWavefronts},
      .sampled = SampledAt{kSharedAccesses},
      .topics = {{"bank conflict handling", topic::IsNone, true},
                 {"smem padding", topic::IsNone, true},
                 {"a padding", topic::IsNone, true},
                 {"b padding", topic::IsNone, true},
                 {"padding", topic::IsNone, true},
                 {"smem permutation", topic::IsNone, true},
                 {"swizzle", topic::IsNone, true},
                 {"a tile layout", IsNotPadded, true},
                 {"lane map", IsRowMajor, false}},
      .finding = {Join(Join({"sass_shared_wavefronts", "sass_shared_wavefronts_ideal"}, kBusyNeeds), kWaitNeeds),
                  JudgeConflicts,
                  {"shared_conflicts_hw"}},
      .gain = {"no two lanes of an access met in a bank", WithoutConflicts, "wavefronts of bank conflicts",
               "shared_excess_wavefronts"},
  };
}

Cause SharedAccessWidth() {
  return {
      .id = "shared_access_width",
      .title = "narrow accesses to shared memory",
      .saves = "wider accesses to shared memory",
      .explains = "short_scoreboard, mio_throttle and issued instructions",
      .moves = "fewer bytes named by each access",
      .remedy = "access 8 or 16 bytes per thread at once",
      .needs = {"shared_load_inst", "shared_store_inst", "shared_wavefronts", "shared_access_bytes"},
      .evidence = {"shared_access_bytes", "shared_load_inst", "shared_store_inst", "sass_shared_wavefronts_ideal"},
      .falls = {"shared_access_bytes"},
      .loads = units::kIssue | units::kL1,
      .takes = TakesWidth,
      .symptom = {"shared accesses", "sass_shared_inst"},
      .source = {"shared accesses below 128 bits", NarrowAccesses},
      .sampled = SampledAt{kSharedAccesses},
      .finding = {Join({"sass_shared_narrow_inst", "sass_shared_width_inst", "sass_shared_inst"}, kWaitNeeds),
                  JudgeWidth,
                  {"ffma_thread_inst"}},
      .gain = {"shared accesses of 32 bits and less were as few as with 128 bits each, with three quarters of the "
               "wavefronts",
               WithWiderShared, "shared accesses of 32 bits and less", "sass_shared_narrow_inst"},
  };
}

Cause ExposedShared() {
  return {
      .id = "exposed_shared",
      .title = "waiting for shared memory that nothing hides",
      .saves = "waiting for shared memory that is hidden better",
      .explains = "short_scoreboard and mio_throttle",
      .moves = "none: the same accesses are waited for longer",
      .remedy =
          "spread accesses between other work, so that warps do not make theirs all at once; issue those that are "
          "needed first before the others",
      .waits = "waiting longer for the same accesses to shared memory",
      .waits_less = "waiting less long for the same accesses to shared memory",
      .needs = {"stall_short_scoreboard", "stall_mio_throttle", "shared_wavefronts", "shared_load_inst",
                "shared_store_inst"},
      .evidence = {"stall_mio_throttle", "stall_short_scoreboard", "shared_wavefronts_pct", "shared_wavefronts"},
      .rises = {"stall_mio_throttle", "stall_short_scoreboard"},
      .takes_rest = TakesWaiting,
      .sampled = SampledAt{kSharedAccesses, {"short_scoreboard", "mio_throttle"}},
  };
}

Cause SharedTraffic() {
  return {
      .id = "shared_traffic",
      .title = "more data through shared memory",
      .saves = "less data through shared memory",
      .explains = "short_scoreboard, mio_throttle and issued instructions",
      .moves = "wavefronts that the bytes themselves need",
      .remedy = "keep what is used again in registers: larger thread tiles",
      .needs = {"shared_wavefronts", "shared_load_inst", "shared_store_inst"},
      .evidence = {"shared_wavefronts", "sass_shared_wavefronts_ideal", "shared_load_inst", "shared_store_inst",
                   "shared_wavefronts_pct"},
      .rises = {"shared_wavefronts", "sass_shared_wavefronts_ideal", "shared_load_inst", "shared_store_inst",
                "shared_ldsm_inst"},
      .loads = units::kIssue | units::kL1,
      .asks = AsksTraffic,
      .symptom = {"shared wavefronts without conflicts", "sass_shared_wavefronts_ideal"},
      .source = {"shared wavefronts without conflicts", IdealWavefronts},
      .sampled = SampledAt{.operations = kSharedAccesses, .products = true},
      .topics = {{"fragments", topic::IsNone, false}, {"volatile smem", topic::IsSet, false}},
      .finding = {Join(Join({"shared_wavefronts"}, kBusyNeeds), kWaitNeeds),
                  JudgeTraffic,
                  {"sass_shared_wavefronts", "sass_shared_wavefronts_ideal", "ffma_thread_inst"}},
      .gain = {"the shared accesses went away and what waits for them but for bank conflicts", WithoutSharedTraffic,
               "shared wavefronts but for conflicts", "shared_needed_wavefronts", true},
  };
}

}  // namespace culprit
