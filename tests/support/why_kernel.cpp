// SPDX-License-Identifier: Apache-2.0
#include "tests/support/why_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "analysis/judge/difference/decompose.h"
#include "analysis/judge/why/attribute.h"

namespace culprit::testing {
namespace {

constexpr double kClockMhz = 2000, kSubPartitions = 4 * 132, kWarpCyclesPerUs = 1000;
// Of microseconds: what rounding leaves, not what a rule could give.
constexpr double kExact = 1e-6;

Us Once(const KernelRecord& base, const KernelRecord& candidate, const SampledPair* sampled) {
  const KernelView from(base), to(candidate);
  const LaunchCountersResult a = CountersOf(from), b = CountersOf(to);
  if (!a.counters || !b.counters) {
    ADD_FAILURE() << a.why_not << b.why_not;
    return {};
  }
  const Attribution attribution = Attributor(from, to, sampled).Attribute(Decompose(*a.counters, *b.counters));
  Us us;
  for (const auto& [cause, part] : attribution.parts)
    if (std::abs(part) > kExact) us[cause] = part;
  if (std::abs(attribution.UnexplainedUs()) > kExact) us["unexplained"] = attribution.UnexplainedUs();
  return us;
}

}  // namespace

KernelBuilder Spending(const std::string& stage, const Us& us_by_state) {
  KernelBuilder k(stage);
  for (const char* state :
       {"selected", "not_selected", "long_scoreboard", "short_scoreboard", "mio_throttle", "lg_throttle",
        "tex_throttle", "barrier", "membar", "wait", "math_pipe_throttle", "dispatch_stall", "branch_resolving",
        "no_instruction", "imc_miss", "drain", "sleeping", "gmma", "misc"})
    k.Metric(std::string("stall_") + state, 0, "warp-cycle");
  for (const char* id : {"local_load_inst",
                         "local_store_inst",
                         "local_load_requests",
                         "local_store_requests",
                         "local_load_sectors",
                         "local_store_sectors",
                         "shared_load_inst",
                         "shared_store_inst",
                         "shared_ldsm_inst",
                         "shared_atom_inst",
                         "shared_wavefronts",
                         "shared_conflicts_hw",
                         "shared_atom_wavefronts",
                         "global_load_inst",
                         "global_store_inst",
                         "global_load_requests",
                         "global_store_requests",
                         "global_load_sectors",
                         "global_store_sectors",
                         "global_atom_requests",
                         "global_red_requests",
                         "global_atom_sectors",
                         "global_red_sectors",
                         "l2_atomic_cycles",
                         "host_sectors",
                         "l2_slice_requests_max",
                         "l2_slice_requests_avg",
                         "l1_sectors_hit",
                         "l1_sectors_miss",
                         "l2_sectors",
                         "l2_sectors_from_l1",
                         "dram_read_bytes",
                         "dram_write_bytes",
                         "fp32_thread_inst",
                         "ffma_thread_inst",
                         "fp16_thread_inst",
                         "integer_thread_inst",
                         "conversion_thread_inst",
                         "pipe_fma_inst",
                         "pipe_alu_inst",
                         "pipe_fp64_inst",
                         "pipe_xu_inst",
                         "tensor_hmma_inst",
                         "tensor_hfma2_inst",
                         "tensor_gmma_inst",
                         "branch_inst",
                         "icc_misses",
                         "imc_misses",
                         "idc_requests",
                         "idc_replays",
                         "l1_throughput_pct",
                         "l2_throughput_pct",
                         "dram_throughput_pct",
                         "shared_wavefronts_pct",
                         "lsu_pipe_pct",
                         "tensor_pipe_pct"})
    k.Metric(id, 0);
  k.Metric("launch_kernels", 1);
  k.record.barriers = 0;
  k.Attribute("stack_frame_bytes", 0).Attribute("spill_store_bytes", 0);
  double us = 0;
  for (const auto& [state, spent] : us_by_state) {
    us += spent;
    k.Metric("stall_" + state, kWarpCyclesPerUs * spent, "warp-cycle");
  }
  k.record.samples.assign(16, Sample{0, us, kClockMhz, false});
  const double cycles = us * kClockMhz * kSubPartitions;
  k.Metric("warps_active", kWarpCyclesPerUs * us, "warp-cycle");
  k.Metric("smsp_cycles_active", cycles, "cycle").Metric("smsp_cycles_elapsed", cycles, "cycle");
  k.Metric("inst_issued", 1000).Metric("threads_per_inst", 32, "thread");
  for (const char* id :
       {"sass_shared_wavefronts", "sass_shared_wavefronts_ideal", "sass_global_sectors", "sass_global_sectors_ideal"})
    k.Metric(id, 0);
  k.record.launch.grid_x = k.record.launch.grid_y = 200;
  k.Attribute("block_threads", 256, "model").Attribute("theoretical_occupancy", 1, "model");
  k.Attribute("blocks_per_sm_by_registers", 8, "model").Attribute("blocks_per_sm_by_shared", 100, "model");
  k.Attribute("blocks_per_sm_by_warps", 8, "model").Attribute("blocks_per_sm_by_blocks", 32, "model");
  return k;
}

KernelBuilder& SpreadOver(KernelBuilder& kernel, double times) {
  for (Sample& sample : kernel.record.samples) sample.time_us *= times;
  for (Reading& reading : kernel.record.readings)
    if (reading.metric.id.starts_with("smsp_cycles_")) *reading.value *= times;
  return kernel;
}

KernelBuilder& Taking(KernelBuilder& kernel, double us) {
  for (Sample& sample : kernel.record.samples) sample.time_us = us;
  return kernel;
}

namespace {

Us BothWays(const KernelBuilder& base, const KernelBuilder& candidate, const SampledPair* sampled) {
  const Us forth = Once(base.record, candidate.record, sampled);
  const SampledPair exchanged = sampled ? Exchanged(*sampled) : SampledPair();
  Us mirrored;
  for (const auto& [cause, us] : Once(candidate.record, base.record, sampled ? &exchanged : nullptr))
    mirrored[cause] = -us;
  EXPECT_THAT(mirrored, AreUs(forth)) << "when the two are exchanged";
  return forth;
}

}  // namespace

Us Attributed(const KernelBuilder& base, const KernelBuilder& candidate) { return BothWays(base, candidate, nullptr); }

Us Attributed(const KernelBuilder& base, const KernelBuilder& candidate, const SampledPair& sampled) {
  return BothWays(base, candidate, &sampled);
}

SampledPair Sampled(const CostByKind& more_us) {
  SampledPair sampled;
  DifferentLine& line = sampled.lines.lines.emplace_back();
  CodePlace place;
  place.frame = {"k.cu", 1};
  line.base = place;
  line.candidate = place;
  line.blamed_for = more_us;
  return sampled;
}

SampledPair Exchanged(SampledPair sampled) {
  std::swap(sampled.base_arrays, sampled.candidate_arrays);
  for (DifferentLine& line : sampled.lines.lines) {
    std::swap(line.base, line.candidate);
    for (auto& [kind, us] : line.blamed_for) us = -us;
  }
  return sampled;
}

::testing::Matcher<const Us&> AreUs(const Us& expected) {
  std::vector<::testing::Matcher<const Us::value_type&>> parts;
  for (const auto& [cause, us] : expected) parts.push_back(::testing::Pair(cause, ::testing::DoubleNear(us, kExact)));
  return ::testing::ElementsAreArray(parts);
}

}  // namespace culprit::testing
