// SPDX-License-Identifier: Apache-2.0
// Levels of the memory hierarchy that are used close to their peak by accesses that nothing else explains: a rule here
// speaks when the level would be close to its peak without local memory, excess sectors and shared memory, too.
#include <fmt/core.h>

#include <algorithm>

#include "analysis/causes/access_shares.h"
#include "analysis/causes/finding_rules.h"
#include "analysis/causes/per_ffma.h"
#include "analysis/render/format.h"

namespace culprit {
namespace {

// The stores of a result are often not coalesced; a hundredth is not worth a clause.
constexpr double kAlmostAll = 0.99;

// " (5,000.0 us without local memory, excess sectors and shared memory)" when part of the time is another cause's.
std::string Rest(const BusyTime& busy) {
  if (busy.rest_us > kAlmostAll * busy.total_us) return "";
  return fmt::format(" ({} without local memory, excess sectors and shared memory)",
                     Format(busy.rest_us, Unit::kTimeUs));
}

std::optional<Opinion> JudgeDram(const KernelView& k) {
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

std::optional<Opinion> JudgeL2(const KernelView& k) {
  const BusyTime busy = L2Busy(k).value_or(BusyTime{});
  if (!(busy.RestPct() >= kBusyPct)) return std::nullopt;
  const std::string pct = Format(busy.pct, Unit::kPercent), sectors = Format(k.At("l2_sectors"), Unit::kCount);
  return Opinion{fmt::format("L2 works at {} of its peak for {} sectors; at its peak it would need {}{}.", pct, sectors,
                             Format(busy.total_us, Unit::kTimeUs), Rest(busy)),
                 busy.rest_us, fmt::format("L2 at {} of its peak for {} sectors", pct, sectors)};
}

std::optional<Opinion> JudgeL1(const KernelView& k) {
  const BusyTime busy = L1Busy(k).value_or(BusyTime{});
  if (!(busy.RestPct() >= kBusyPct)) return std::nullopt;
  // Asynchronous copies are loads that only the requests count.
  const double loads = std::max(k.At("global_load_inst"), k.Get("global_load_requests").value_or(0));
  const std::string pct = Format(busy.pct, Unit::kPercent);
  std::string brief = fmt::format("L1 at {} of its peak", pct);
  if (const auto ratio = PerFfma(k, loads))
    brief += fmt::format(", {} global loads per FFMA", Format(*ratio, Unit::kRatio));
  return Opinion{fmt::format("L1 works at {} of its peak; at its peak it would need {}{}: {} global loads{}; loads and "
                             "stores touch {} sectors.",
                             pct, Format(busy.total_us, Unit::kTimeUs), Rest(busy), Format(loads, Unit::kCount),
                             PerFfmaClause(k, loads), Format(k.At("global_sectors"), Unit::kCount)),
                 busy.rest_us, std::move(brief)};
}

}  // namespace

FindingRule DramTrafficRule() {
  return {"dram_traffic",
          {"dram_read_bytes", "dram_write_bytes", "dram_bytes_per_s", "time_us"},
          JudgeDram,
          {"min_bytes", "local_sectors", "global_sectors", "sass_global_sectors", "sass_global_sectors_ideal"}};
}
FindingRule L2TrafficRule() {
  return {"l2_traffic",
          {"l2_throughput_pct", "l2_sectors", "time_us"},
          JudgeL2,
          {"l2_sectors_hit", "local_sectors", "global_sectors", "sass_global_sectors", "sass_global_sectors_ideal"}};
}
FindingRule L1TrafficRule() {
  return {"l1_traffic",
          {"l1_throughput_pct", "global_load_inst", "global_sectors", "shared_wavefronts_pct", "smsp_cycles_active",
           "smsp_cycles_elapsed", "time_us"},
          JudgeL1,
          {"global_load_requests", "l1_sectors_hit", "l1_sectors_miss", "local_sectors", "sass_global_sectors",
           "sass_global_sectors_ideal", "ffma_thread_inst"}};
}

}  // namespace culprit
