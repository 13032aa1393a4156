// SPDX-License-Identifier: Apache-2.0
#include "analysis/why/limits.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace culprit {
namespace {

// As Movement's: repeated counts of one kernel differ by 0.6 % (docs/cupti.md).
constexpr double kMinMove = 0.01;

constexpr unsigned kIssue = 1, kFma = 2, kAlu = 4, kFp64 = 8, kXu = 16, kTensor = 32, kL1 = 64, kL2 = 128, kDram = 256;
constexpr unsigned kMemory = kL1 | kL2 | kDram, kEverything = 511;

struct OwnUnits {
  std::string_view cause;
  unsigned units;
};

// Causes that are not here load no unit: waiting, idle SMs.
constexpr OwnUnits kOwnUnits[] = {
    {"local_memory_array", kIssue | kMemory},
    {"local_memory_spill", kIssue | kMemory},
    {"local_memory_unknown", kIssue | kMemory},
    {"shared_bank_conflicts", kL1},
    {"shared_access_width", kIssue | kL1},
    {"shared_traffic", kIssue | kL1},
    {"global_uncoalesced", kMemory},
    {"global_access_width", kIssue | kMemory},
    {"l2_traffic", kIssue | kMemory},
    {"dram_traffic", kMemory},
    {"instruction_count", kIssue | kFma | kAlu | kXu},
    {"fp64_pipe", kIssue | kFp64 | kXu},
    {"fp16_pipe", kIssue | kFma | kTensor},
    {"sfu_pipe", kIssue | kXu},
    {"fma_pipe", kIssue | kFma},
    {"tensor_pipe", kIssue | kTensor},
    {"constant_cache", kIssue | kL1},
    {"atomics", kIssue | kMemory},
    {"barrier", kIssue},
    // With all lanes at work there is less of everything; and cycles that last longer are all units'.
    {"divergence", kEverything},
    {"clock", kEverything},
    {"launch", kEverything},
};

// Cycles of a sub-partition for a warp instruction: 32 lanes of FMA, 16 of ALU, 4 of XU, on every GPU since Volta.
constexpr double kFmaCycles = 1, kAluCycles = 2, kXuCycles = 8;
// 16 lanes of FP64 on Hopper's and Volta's large chips; those of others are busy for longer, which is no error here.
constexpr double kFp64Cycles = 2;
// The largest shapes: m16n8k16 at a rate of 128 FMA a cycle on the smallest chips, m64n256k16 of four warps at 1,024.
constexpr double kMatrixCycles = 16 * 8 * 16 / 128 * 4, kWarpgroupMatrixCycles = 64 * 256 * 16 / 1024;
// 128 bytes a cycle and SM: four sectors or a wavefront, in cycles of a sub-partition.
constexpr double kSectorCycles = 1, kWavefrontCycles = 4;
// 5.5 TB/s at 132 SMs and 1.98 GHz, measured on an H100: 0.66 sectors an SM and cycle.
constexpr double kL2SectorCycles = 4 / 0.66;
constexpr double kSectorBytes = 32;

}  // namespace

Range EvidenceMoved(const Cause& cause, const KernelView& base, const KernelView& candidate, int sign) {
  if (cause.rises.empty() && cause.falls.empty()) return 1.0;
  bool unknown = false;
  const auto moved = [&](std::string_view id, int way) {
    const Measured from = base.Get(id), to = candidate.Get(id);
    const auto counted = [](const Measured& m) { return m || m.absence() == Absence::kUndefined; };
    if (!counted(from) || !counted(to)) {
      unknown = true;
      return false;
    }
    const double a = from.value().value_or(0), b = to.value().value_or(0);
    return way * sign * (b - a) > kMinMove * std::max(std::abs(a), std::abs(b));
  };
  const auto any = [&](const auto& ids, int way) {
    return std::count_if(ids.begin(), ids.end(), [&](std::string_view id) { return moved(id, way); }) > 0;
  };
  const bool rose = any(cause.rises, 1), fell = any(cause.falls, -1);
  return rose || fell ? Range(1.0) : Range(0.0, unknown ? 1.0 : 0.0);
}

Range MostShare(std::string_view cause, const KernelView& kernel, const Demand& d) {
  const auto found =
      std::find_if(std::begin(kOwnUnits), std::end(kOwnUnits), [&](const OwnUnits& own) { return own.cause == cause; });
  const unsigned own = found == std::end(kOwnUnits) ? 0 : found->units;
  if (own == kEverything) return 1.0;
  const Measured elapsed = kernel.Get("smsp_cycles_elapsed");
  if (!elapsed || *elapsed <= 0) return 1.0;
  const double most = d.issued.high;
  const auto pipe = [&](const char* id, double cycles) { return Range::Of(kernel.Get(id), 0, most) * cycles; };
  Range busiest = 0.0;
  const auto add = [&](unsigned unit, const Range& cycles) {
    if ((own & unit) == 0) busiest = Max(busiest, cycles * (1 / *elapsed));
  };
  add(kIssue, d.issued);
  add(kFma, pipe("pipe_fma_inst", kFmaCycles));
  add(kAlu, pipe("pipe_alu_inst", kAluCycles));
  add(kXu, pipe("pipe_xu_inst", kXuCycles));
  add(kFp64, d.fp64 * kFp64Cycles);
  // How long a matrix instruction takes, its shape says, which no count does.
  const Measured tensor = kernel.Get("tensor_pipe_pct"), active = kernel.Get("smsp_cycles_active");
  const double longest = d.tensor.high * kMatrixCycles + pipe("tensor_gmma_inst", kWarpgroupMatrixCycles).high;
  add(kTensor, tensor && active ? Range(*tensor / 100 * *active) : Range(0, d.tensor.high > 0 ? longest : 0));
  add(kL1, (d.local_l1 + d.useful_l1 + d.excess_l1) * kSectorCycles +
               (d.shared_useful + d.shared_conflicts + d.shared_atomic) * kWavefrontCycles);
  add(kL2, (d.local_l2 + d.useful_l2 + d.excess_l2) * kL2SectorCycles);
  const Measured per_us = kernel.Get("dram_bytes_per_s") * Measured(1e-6), time = kernel.Get("time_us");
  if (per_us && time)
    add(kDram, (d.local_dram + d.useful_dram + d.excess_dram) * (kSectorBytes / *per_us / *time) * *elapsed);
  return {1 - std::min(1.0, busiest.high), 1 - std::min(1.0, busiest.low)};
}

}  // namespace culprit
