// SPDX-License-Identifier: Apache-2.0
// Levels of the memory hierarchy that are used close to their peak.
#include <fmt/core.h>

#include "analysis/findings/rules.h"
#include "analysis/format.h"

namespace culprit {
namespace {

// NVIDIA's Speed Of Light guidance: from 60 % of peak on, throughput is the limit rather than latency.
constexpr double kBusyPct = 60;
// Or: several times the traffic that the job needs, at a bandwidth that is felt.
constexpr double kAmplification = 4;
constexpr double kFeltPct = 30;

std::optional<Opinion> JudgeDram(const KernelView& k) {
  const double bytes = k.At("dram_bytes");
  const double alone_us = bytes / k.At("dram_bytes_per_s") * 1e6;
  const double pct = 100 * alone_us / k.At("time_us");
  const Measured needed = k.Get("min_bytes");
  const bool amplified = needed && bytes >= kAmplification * *needed && pct >= kFeltPct;
  if (!(pct >= kBusyPct) && !amplified) return std::nullopt;
  std::string against;
  if (needed) against = fmt::format(" ({} times what the job needs at least)", Format(bytes / *needed, Unit::kRatio));
  return Opinion{
      fmt::format("{} pass between L2 and device memory{}: that is {} of its peak bandwidth and needs {} by itself.",
                  Format(bytes, Unit::kBytes), against, Format(pct, Unit::kPercent), Format(alone_us, Unit::kTimeUs)),
      alone_us};
}

std::optional<Opinion> Busy(const KernelView& k, std::string_view level, std::string_view metric, double sectors) {
  const double pct = k.At(metric);
  if (!(pct >= kBusyPct)) return std::nullopt;
  return Opinion{fmt::format("{} works at {} of its peak for {} sectors; at its peak it would need {}.", level,
                             Format(pct, Unit::kPercent), Format(sectors, Unit::kCount),
                             Format(pct / 100 * k.At("time_us"), Unit::kTimeUs)),
                 pct / 100 * k.At("time_us")};
}

std::optional<Opinion> JudgeL2(const KernelView& k) { return Busy(k, "L2", "l2_throughput_pct", k.At("l2_sectors")); }

std::optional<Opinion> JudgeL1(const KernelView& k) {
  // Shared memory is the same array: when it is most of the load, shared_traffic has said so.
  if (2 * k.At("shared_wavefronts_pct") > k.At("l1_throughput_pct")) return std::nullopt;
  return Busy(k, "L1", "l1_throughput_pct", k.At("l1_sectors_hit") + k.At("l1_sectors_miss"));
}

}  // namespace

FindingRule DramTrafficRule() {
  return {
      "dram_traffic", {"dram_read_bytes", "dram_write_bytes", "dram_bytes_per_s", "time_us"}, JudgeDram, {"min_bytes"}};
}
FindingRule L2TrafficRule() {
  return {"l2_traffic", {"l2_throughput_pct", "l2_sectors", "time_us"}, JudgeL2, {"l2_sectors_hit"}};
}
FindingRule L1TrafficRule() {
  return {"l1_traffic",
          {"l1_throughput_pct", "l1_sectors_hit", "l1_sectors_miss", "shared_wavefronts_pct", "time_us"},
          JudgeL1};
}

}  // namespace culprit
