// SPDX-License-Identifier: Apache-2.0
// Shared memory answers one wavefront per SM and cycle. Too many wavefronts can mean too much reuse through shared
// memory, bank conflicts, or accesses narrower than they could be.
#include <fmt/core.h>

#include <algorithm>

#include "analysis/causes/access_shares.h"
#include "analysis/causes/finding_rules.h"
#include "analysis/causes/per_ffma.h"
#include "analysis/render/format.h"

namespace culprit {
namespace {

// A tenth of the wavefronts is more than address arithmetic at tile edges leaves behind.
constexpr double kMinExcessShare = 0.10;
// Shared memory is worth a remark when a tenth of the time waits for it.
constexpr double kMinStallShare = 0.10;
// Waiting that conflicts do not explain comes with tiling. Measured on the recorded H100 run: 13 to 19 % of the time in
// kernels whose thread tile is 8x8, 26 % and more where sums or single products go through shared memory.
constexpr double kMuchStallShare = 0.20;
// 32-bit accesses are the rule, not the rest.
constexpr double kNarrowShare = 0.5;

bool Waits(const KernelView& k) { return SharedWaitUs(k) >= kMinStallShare * k.At("time_us"); }

double BusyUs(const BusyTime& busy, double BusyTime::*part) { return busy.saturated ? busy.*part : 0; }

std::optional<Opinion> JudgeTraffic(const KernelView& k) {
  const BusyTime busy = SharedBusy(k).value_or(BusyTime{});
  // Without exact counts nothing is known about conflicts, and all of it is traffic.
  const double kept = 1 - ConflictShare(k).value_or(0);
  const double wait = kept * SharedWaitUs(k);
  if (!(busy.RestPct() >= kBusyPct) && !(wait >= kMuchStallShare * k.At("time_us"))) return std::nullopt;
  const double wavefronts = k.At("shared_wavefronts");
  std::string text =
      fmt::format("Shared memory is busy for {} of the cycles with {} wavefronts{}", Format(busy.pct, Unit::kPercent),
                  Format(wavefronts, Unit::kCount), PerFfmaClause(k, wavefronts));
  const auto ratio = PerFfma(k, wavefronts);
  text += fmt::format("; {} of the time waits for it", Format(SharedWaitUs(k), Unit::kTimeUs));
  if (kept < 1) text += fmt::format(", {} of that not for bank conflicts", Format(100 * kept, Unit::kPercent));
  return Opinion{text + ".", std::max(wait, BusyUs(busy, &BusyTime::rest_us)),
                 fmt::format("shared memory {} busy{}", Format(busy.pct, Unit::kPercent),
                             ratio ? fmt::format(", {} wavefronts per FFMA", Format(*ratio, Unit::kRatio)) : "")};
}

std::optional<Opinion> JudgeConflicts(const KernelView& k) {
  const double all = k.At("sass_shared_wavefronts");
  const double excess = all - k.At("sass_shared_wavefronts_ideal");
  const BusyTime busy = SharedBusy(k).value_or(BusyTime{});
  if (!(excess >= kMinExcessShare * all) || excess == 0 || !(Waits(k) || busy.saturated)) return std::nullopt;
  const double wait = SharedWaitUs(k) * excess / all;
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

std::optional<Opinion> JudgeWidth(const KernelView& k) {
  const double narrow = k.At("sass_shared_narrow_inst");
  // GMMA reads shared memory and has no width.
  const double all = std::max(k.At("sass_shared_width_inst"), k.At("sass_shared_inst"));
  if (!(narrow >= kNarrowShare * all) || all == 0 || !Waits(k)) return std::nullopt;
  const double wait = *k.StallUs("mio_throttle") * SharedQueueShare(k) * narrow / all;
  const std::string share = Format(100 * narrow / all, Unit::kPercent);
  return Opinion{fmt::format("{} of {} shared loads and stores move 32 bits per thread or less{}: {} waits for room in "
                             "the queue that wider accesses would leave free.",
                             share, Format(all, Unit::kCount), PerFfmaClause(k, all), Format(wait, Unit::kTimeUs)),
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

}  // namespace

FindingRule SharedTrafficRule() {
  return {"shared_traffic",
          Join(Join({"shared_wavefronts"}, kBusyNeeds), kWaitNeeds),
          JudgeTraffic,
          {"sass_shared_wavefronts", "sass_shared_wavefronts_ideal", "ffma_thread_inst"}};
}
FindingRule SharedBankConflictsRule() {
  return {"shared_bank_conflicts",
          Join(Join({"sass_shared_wavefronts", "sass_shared_wavefronts_ideal"}, kBusyNeeds), kWaitNeeds),
          JudgeConflicts,
          {"shared_conflicts_hw"}};
}
FindingRule SharedAccessWidthRule() {
  return {"shared_access_width",
          Join({"sass_shared_narrow_inst", "sass_shared_width_inst", "sass_shared_inst"}, kWaitNeeds),
          JudgeWidth,
          {"ffma_thread_inst"}};
}

}  // namespace culprit
