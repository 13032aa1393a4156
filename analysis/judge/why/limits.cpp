// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "analysis/judge/causes/movement.h"
#include "analysis/judge/why/attribute.h"
#include "analysis/launch/machine.h"
#include "profiler/code/chip.h"

namespace culprit {
namespace {

// Cycles of the largest matrix instruction on the slowest SMs, summed over the SM's four sub-partitions.
constexpr double kMatrixCycles = kWarpMatrixProducts / (kLeastWarpMatrix / kSubPartitions) * kSubPartitions;
constexpr double kWarpgroupMatrixCycles = kWarpgroupMatrixProducts / 1024;

}  // namespace

Range EvidenceMoved(const Cause& cause, const KernelView& base, const RepeatedFacts& base_repeats,
                    const KernelView& candidate, const RepeatedFacts& candidate_repeats, int sign) {
  if (cause.rises.empty() && cause.falls.empty()) return 1.0;
  bool unknown = false;
  const auto moved = [&](std::string_view id, int way) {
    const Measured from = base.Get(id), to = candidate.Get(id);
    const auto counted = [](const Measured& m) { return m || m.absence() == Absence::kUndefined; };
    if (!counted(from) || !counted(to)) {
      unknown = true;
      return false;
    }
    return FactMoved(id, base, base_repeats, candidate, candidate_repeats, way * sign);
  };
  const auto any = [&](const auto& ids, int way) {
    return std::count_if(ids.begin(), ids.end(), [&](std::string_view id) { return moved(id, way); }) > 0;
  };
  const bool rose = any(cause.rises, 1), fell = any(cause.falls, -1);
  return rose || fell ? Range(1.0) : Range(0.0, unknown ? 1.0 : 0.0);
}

Range MostShare(const Cause& cause, const KernelView& kernel, const Demand& d) {
  if (cause.loads == units::kEvery) return 1.0;
  const Machine machine = MachineOf(kernel.record().run.run);
  const Measured elapsed = kernel.Get("smsp_cycles_elapsed");
  if (!elapsed || *elapsed <= 0) return 1.0;
  const double most = d.issued.high;
  const auto pipe = [&](const char* id, double lanes) {
    return Range::Of(kernel.Get(id), 0, most) * Machine::CyclesOf(lanes);
  };
  Range busiest = 0.0;
  const auto add = [&](unsigned unit, const Range& cycles) {
    if ((cause.loads & unit) == 0) busiest = Max(busiest, cycles * (1 / *elapsed));
  };
  add(units::kIssue, d.issued);
  add(units::kFma, pipe("pipe_fma_inst", machine.fp32));
  add(units::kAlu, pipe("pipe_alu_inst", machine.alu));
  add(units::kXu, pipe("pipe_xu_inst", machine.xu));
  add(units::kFp64, d.fp64 * Machine::CyclesOf(machine.fp64));
  // The time of a matrix instruction depends on its shape, which no counter has.
  const Measured tensor = kernel.Get("tensor_pipe_pct"), active = kernel.Get("smsp_cycles_active");
  const double longest = d.tensor.high * kMatrixCycles + d.gmma.high * kWarpgroupMatrixCycles;
  add(units::kTensor, tensor && active ? Range(*tensor / 100 * *active) : Range(0, d.tensor.high > 0 ? longest : 0));
  // In cycles of a sub-partition; an SM has four.
  const double sector = 4 * kSectorBytes / machine.l1_bytes, wavefront = 4;
  add(units::kL1, (d.local_l1 + d.useful_l1 + d.excess_l1) * sector +
                      (d.shared_useful + d.shared_conflicts + d.shared_atomic) * wavefront);
  add(units::kL2, (d.local_l2 + d.useful_l2 + d.excess_l2) * (sector * machine.L2OverL1()));
  const Measured per_us = kernel.Get("dram_bytes_per_s") * Measured(1e-6), time = kernel.Get("time_us");
  const Range dram_sectors = d.local_dram + d.useful_dram + d.excess_dram;
  add(units::kDram, per_us && time ? dram_sectors * (kSectorBytes / *per_us / *time) * *elapsed
                                   : dram_sectors * (sector * machine.DramOverL1()));
  return {1 - std::min(1.0, busiest.high), 1 - std::min(1.0, busiest.low)};
}

}  // namespace culprit
