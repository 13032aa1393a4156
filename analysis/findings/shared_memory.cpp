// SPDX-License-Identifier: Apache-2.0
// Shared memory answers one wavefront per SM and cycle. Too many wavefronts can mean too much reuse through shared
// memory, bank conflicts, or accesses narrower than they could be.
#include <fmt/core.h>

#include "analysis/findings/rules.h"
#include "analysis/format.h"

namespace culprit {
namespace {

// Above this the unit is the limit: NVIDIA's Speed Of Light guidance takes 60 % of peak as the start of a throughput
// bottleneck.
constexpr double kBusyPct = 60;
// A tenth of the wavefronts is more than address arithmetic at tile edges leaves behind.
constexpr double kMinExcessShare = 0.10;
// Shared memory is worth a remark when a tenth of the time waits for it.
constexpr double kMinStallShare = 0.10;
// 32-bit accesses are the rule, not the rest.
constexpr double kNarrowShare = 0.5;

// short_scoreboard waits for a result of the memory input/output unit, mio_throttle for room in its queue.
double SharedWait(const KernelView& k) { return *k.StallUs("short_scoreboard") + *k.StallUs("mio_throttle"); }
bool Waits(const KernelView& k) { return SharedWait(k) >= kMinStallShare * k.At("time_us"); }

std::optional<Opinion> JudgeTraffic(const KernelView& k) {
  const double pct = k.At("shared_wavefronts_pct");
  if (!(pct >= kBusyPct)) return std::nullopt;
  return Opinion{fmt::format("Shared memory is busy for {} of the time: its {} wavefronts alone need {}.",
                             Format(pct, Unit::kPercent), Format(k.At("shared_wavefronts"), Unit::kCount),
                             Format(pct / 100 * k.At("time_us"), Unit::kTimeUs)),
                 pct / 100 * k.At("time_us")};
}

std::optional<Opinion> JudgeConflicts(const KernelView& k) {
  const double all = k.At("sass_shared_wavefronts");
  const double excess = all - k.At("sass_shared_wavefronts_ideal");
  if (!(excess >= kMinExcessShare * all) || excess == 0 || !Waits(k)) return std::nullopt;
  const double wait = SharedWait(k) * excess / all;
  return Opinion{fmt::format("Bank conflicts make {} of {} shared-memory wavefronts ({}); their part of the waiting "
                             "for shared memory is {}.",
                             Format(excess, Unit::kCount), Format(all, Unit::kCount),
                             Format(100 * excess / all, Unit::kPercent), Format(wait, Unit::kTimeUs)),
                 wait};
}

std::optional<Opinion> JudgeWidth(const KernelView& k) {
  const double narrow = k.At("sass_memory_32b_inst");
  const double all = narrow + k.At("sass_memory_64b_inst") + k.At("sass_memory_128b_inst");
  const double shared = k.At("sass_shared_inst");
  // Widths are counted over all memory instructions, so they speak for shared memory only where shared memory is most
  // of them.
  if (!(narrow >= kNarrowShare * all) || !(shared >= kNarrowShare * all) || shared == 0 || !Waits(k))
    return std::nullopt;
  const double wait = *k.StallUs("mio_throttle") * narrow / all;
  return Opinion{fmt::format("{} of the memory instructions move 32 bits per thread, and {} of the {} are "
                             "shared-memory accesses: {} waits for "
                             "room in the queue that wider accesses would leave free.",
                             Format(100 * narrow / all, Unit::kPercent), Format(shared, Unit::kCount),
                             Format(all, Unit::kCount), Format(wait, Unit::kTimeUs)),
                 wait};
}

}  // namespace

FindingRule SharedTrafficRule() {
  return {"shared_traffic",
          {"shared_wavefronts_pct", "shared_wavefronts", "time_us"},
          JudgeTraffic,
          {"shared_load_inst", "shared_store_inst", "stall_short_scoreboard", "stall_mio_throttle", "warps_active"}};
}
FindingRule SharedBankConflictsRule() {
  return {"shared_bank_conflicts",
          {"sass_shared_wavefronts", "sass_shared_wavefronts_ideal", "stall_short_scoreboard", "stall_mio_throttle",
           "warps_active", "time_us"},
          JudgeConflicts,
          {"shared_conflicts_hw"}};
}
FindingRule SharedAccessWidthRule() {
  return {"shared_access_width",
          {"sass_memory_32b_inst", "sass_memory_64b_inst", "sass_memory_128b_inst", "sass_shared_inst",
           "stall_short_scoreboard", "stall_mio_throttle", "warps_active", "time_us"},
          JudgeWidth};
}

}  // namespace culprit
