// SPDX-License-Identifier: Apache-2.0
#include "analysis/causes/access_shares.h"

#include <algorithm>
#include <stdexcept>

namespace culprit {
namespace {

// Several times the traffic that the job needs, at a bandwidth that is felt.
constexpr double kAmplification = 4;
constexpr double kFeltPct = 30;
constexpr double kSectorBytes = 32;

double Stall(const KernelView& k, std::string_view reason) {
  const Measured us = k.StallUs(reason);
  if (!us) throw std::logic_error("a rule shares out '" + std::string(reason) + "' without naming it in its needs");
  return *us;
}

double Part(double one, double other) { return one + other == 0 ? 0 : one / (one + other); }

double LocalInstructions(const KernelView& k) { return k.At("local_load_inst") + k.At("local_store_inst"); }
double SpecialInstructions(const KernelView& k) { return k.Get("pipe_xu_inst").value_or(0); }

// 1 where every SM has work from start to end.
Measured ActiveShare(const KernelView& k) { return k.Get("smsp_cycles_active") / k.Get("smsp_cycles_elapsed"); }

Measured SharedPctWhileActive(const KernelView& k) { return k.Get("shared_wavefronts_pct") / ActiveShare(k); }

// Shares `left_us` among local, needed and excess sectors. `sectors`: all that the level was asked for.
void ShareBySectors(const KernelView& k, double sectors, double left_us, BusyTime& busy) {
  const Measured local = k.Get("local_sectors"), global = k.Get("global_sectors");
  busy.rest_us = left_us;
  if (!local || !global || sectors == 0) return;
  const double local_part = Part(*local, *global);
  busy.local_us = local_part * left_us;
  const Measured ideal = k.Get("sass_global_sectors_ideal"), most = k.Get("sass_global_sectors") - ideal;
  if (most)
    busy.excess_us = std::clamp((1 - local_part) * sectors - *ideal, 0.0, std::max(0.0, *most)) / sectors * left_us;
  busy.rest_us = left_us - busy.local_us - busy.excess_us;
}

}  // namespace

double LocalSectorShare(const KernelView& k) { return Part(k.At("local_sectors"), k.At("global_sectors")); }
double GlobalSectorShare(const KernelView& k) { return Part(k.At("global_sectors"), k.At("local_sectors")); }

double SharedInstructions(const KernelView& k) {
  return k.At("shared_load_inst") + k.At("shared_store_inst") + k.Get("shared_ldsm_inst").value_or(0) +
         k.Get("shared_atom_inst").value_or(0);
}
double SharedQueueShare(const KernelView& k) {
  return Part(SharedInstructions(k), LocalInstructions(k) + SpecialInstructions(k));
}
double LocalQueueShare(const KernelView& k) {
  return Part(LocalInstructions(k), SharedInstructions(k) + SpecialInstructions(k));
}
double SharedResultShare(const KernelView& k) { return Part(SharedInstructions(k), SpecialInstructions(k)); }

double SharedWaitUs(const KernelView& k) {
  return SharedResultShare(k) * Stall(k, "short_scoreboard") + SharedQueueShare(k) * Stall(k, "mio_throttle");
}
double LocalWaitUs(const KernelView& k) {
  return LocalSectorShare(k) * (Stall(k, "long_scoreboard") + Stall(k, "lg_throttle")) +
         LocalQueueShare(k) * Stall(k, "mio_throttle");
}
double GlobalWaitUs(const KernelView& k) {
  return GlobalSectorShare(k) * (Stall(k, "long_scoreboard") + Stall(k, "lg_throttle"));
}

Measured ConflictShare(const KernelView& k) {
  const Measured exact = k.Get("sass_shared_wavefronts");
  return (exact - k.Get("sass_shared_wavefronts_ideal")) / exact;
}
Measured ExcessShare(const KernelView& k) {
  const Measured touched = k.Get("sass_global_sectors");
  return (touched - k.Get("sass_global_sectors_ideal")) / touched;
}

double PartOf(const std::optional<BusyTime>& busy, double BusyTime::*part) {
  return busy && busy->total_us > 0 ? (*busy).*part / busy->total_us : 0;
}

std::optional<BusyTime> SharedBusy(const KernelView& k) {
  const Measured pct = SharedPctWhileActive(k), time = k.Get("time_us");
  if (!pct || !time) return std::nullopt;
  BusyTime busy{.pct = *pct, .total_us = *pct / 100 * *time, .saturated = *pct >= kBusyPct};
  busy.excess_us = ConflictShare(k).value_or(0) * busy.total_us;
  busy.rest_us = busy.total_us - busy.excess_us;
  return busy;
}

std::optional<BusyTime> L1Busy(const KernelView& k) {
  const Measured pct = k.Get("l1_throughput_pct"), time = k.Get("time_us");
  if (!pct || !time) return std::nullopt;
  BusyTime busy{.pct = *pct, .total_us = *pct / 100 * *time, .saturated = *pct >= kBusyPct};
  const Measured shared_pct = SharedPctWhileActive(k);
  busy.shared_us = std::min(busy.total_us, shared_pct.value_or(0) / 100 * *time);
  const Measured sectors = k.Get("local_sectors") + k.Get("global_sectors");
  ShareBySectors(k, sectors.value_or(0), busy.total_us - busy.shared_us, busy);
  return busy;
}

std::optional<BusyTime> L2Busy(const KernelView& k) {
  const Measured pct = k.Get("l2_throughput_pct"), time = k.Get("time_us"), sectors = k.Get("l2_sectors");
  if (!pct || !time || !sectors) return std::nullopt;
  BusyTime busy{.pct = *pct, .total_us = *pct / 100 * *time, .saturated = *pct >= kBusyPct};
  ShareBySectors(k, *sectors, busy.total_us, busy);
  return busy;
}

bool IsMuchDram(const KernelView& k, double bytes, double pct) {
  const Measured needed = k.Get("min_bytes");
  return pct >= kBusyPct || (needed && bytes >= kAmplification * *needed && pct >= kFeltPct);
}

std::optional<BusyTime> DramBusy(const KernelView& k) {
  const Measured bytes = k.Get("dram_bytes"), time = k.Get("time_us");
  const Measured alone = bytes / k.Get("dram_bytes_per_s") * Measured(1e6);
  const Measured pct = Measured(100) * alone / time;
  if (!pct) return std::nullopt;
  BusyTime busy{.pct = *pct, .total_us = *alone, .saturated = IsMuchDram(k, *bytes, *pct)};
  ShareBySectors(k, *bytes / kSectorBytes, busy.total_us, busy);
  return busy;
}

LevelShare LargestShare(const KernelView& k, double BusyTime::*part) {
  LevelShare largest;
  const std::pair<std::string_view, std::optional<BusyTime>> levels[] = {
      {"L1", L1Busy(k)}, {"L2", L2Busy(k)}, {"device memory", DramBusy(k)}};
  for (const auto& [name, busy] : levels)
    if (busy && busy->saturated && (*busy).*part > largest.time_us) largest = {name, busy->pct, (*busy).*part};
  return largest;
}

}  // namespace culprit
