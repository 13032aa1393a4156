// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/unit_rates.h"

#include "analysis/launch/machine.h"

namespace culprit {
namespace {

using enum RatePer;
using enum Unit;

// An SM has four sub-partitions, and each can issue one instruction in a cycle. A sector has 32 bytes. Shared memory
// serves one wavefront per SM and cycle. The FMA pipe takes four warp instructions per SM and cycle on compute
// capability 9.0 (128 lanes), the ALU pipe two (64 lanes), the XU pipe one in two cycles (16 lanes).
constexpr double kSector = 32;
constexpr std::array kRates = {
    UnitRate{"sms_active",
             "SMs active",
             kPercent,
             "SMs with at least one warp: smsp_cycles_active / (4 x SMs x cycles)",
             {"smsp_cycles_active"},
             kCycleOfEverySm,
             100.0 / 4},
    UnitRate{"warps",
             "Warps per SM",
             kRatio,
             "resident warps: warps_active / (SMs x cycles)",
             {"warps_active"},
             kCycleOfEverySm,
             1},
    UnitRate{"issue",
             "Issue slots",
             kPercent,
             "slots in which a warp issued: inst_executed / (4 x SMs x cycles)",
             {"inst_executed"},
             kCycleOfEverySm,
             100.0 / 4},
    UnitRate{"fma",
             "FMA pipe",
             kPercent,
             "pipe_fma_halves_inst / (4 x SMs x cycles)",
             {"pipe_fma_halves_inst"},
             kCycleOfEverySm,
             100.0 / 4},
    UnitRate{"alu",
             "ALU pipe",
             kPercent,
             "pipe_alu_inst / (2 x SMs x cycles)",
             {"pipe_alu_inst"},
             kCycleOfEverySm,
             100.0 / 2},
    UnitRate{"xu",
             "XU pipe",
             kPercent,
             "pipe_xu_inst / (0.5 x SMs x cycles)",
             {"pipe_xu_inst"},
             kCycleOfEverySm,
             100.0 / 0.5},
    UnitRate{"tensor",
             "Tensor pipe",
             kPercent,
             "cycles in which it was busy: tensor_pipe_cycles / (4 x SMs x cycles)",
             {"tensor_pipe_cycles"},
             kCycleOfEverySm,
             100.0 / 4},
    UnitRate{"shared",
             "Shared memory",
             kPercent,
             "cycles with a wavefront: shared_wavefronts / (SMs x cycles)",
             {"shared_wavefronts"},
             kCycleOfEverySm,
             100},
    UnitRate{"shared_conflicts",
             "Bank conflicts",
             kPercent,
             "cycles with a wavefront that a conflict added: shared_conflicts_hw / (SMs x cycles)",
             {"shared_conflicts_hw"},
             kCycleOfEverySm,
             100},
    UnitRate{"l1",
             "L1 sectors",
             kBytesPerSecond,
             "32 x (l1_sectors_hit + l1_sectors_miss) / time",
             {"l1_sectors_hit", "l1_sectors_miss"},
             kSecond,
             kSector},
    UnitRate{"local",
             "Local memory",
             kBytesPerSecond,
             "32 x (local_load_sectors + local_store_sectors) / time",
             {"local_load_sectors", "local_store_sectors"},
             kSecond,
             kSector},
    UnitRate{"l2", "L2", kBytesPerSecond, "32 x l2_sectors / time", {"l2_sectors"}, kSecond, kSector},
    UnitRate{"dram_read", "DRAM read", kBytesPerSecond, "dram_read_bytes / time", {"dram_read_bytes"}, kSecond, 1},
    UnitRate{"dram_write", "DRAM write", kBytesPerSecond, "dram_write_bytes / time", {"dram_write_bytes"}, kSecond, 1},
    UnitRate{"clock", "SM clock", kMhz, "cycles / time", {}, kSecond, 1},
};

constexpr double kNsPerSecond = 1e9, kHzPerMhz = 1e6, kWarp = 32;

}  // namespace

std::span<const UnitRate> UnitRates() { return kRates; }

std::optional<double> RateOf(const UnitRate& rate, const UnitCounts& counts, const Device& device) {
  if (!(counts.time_ns > 0)) return std::nullopt;
  const double seconds = counts.time_ns / kNsPerSecond;
  if (rate.unit == kMhz) return counts.cycles ? std::optional(*counts.cycles / seconds / kHzPerMhz) : std::nullopt;
  double sum = 0;
  for (const std::string_view metric : rate.metrics) {
    if (metric.empty()) continue;
    const auto count = counts.counts.find(metric);
    if (count == counts.counts.end()) return std::nullopt;
    sum += count->second;
  }
  if (rate.per == kSecond) return rate.factor * sum / seconds;
  if (!counts.cycles || !(*counts.cycles > 0) || device.sm_count < 1) return std::nullopt;
  return rate.factor * sum / (*counts.cycles * device.sm_count);
}

std::optional<double> PeakOf(const UnitRate& rate, const RunRecord& run) {
  if (rate.unit == kPercent) return 100;
  if (!run.device) return std::nullopt;
  const Device& device = *run.device;
  const auto known = [](double peak) { return peak > 0 ? std::optional(peak) : std::nullopt; };
  if (rate.id == "warps") return known(device.max_threads_per_sm / kWarp);
  if (rate.unit == kMhz) return known(device.sm_clock_mhz);
  if (rate.id.starts_with("dram")) return known(device.dram_bytes_per_s);
  const Machine machine = MachineOf(run);
  const double bytes = rate.id == "l2" ? machine.l2_bytes : machine.l1_bytes;
  return known(bytes * device.sm_count * device.sm_clock_mhz * kHzPerMhz);
}

}  // namespace culprit
