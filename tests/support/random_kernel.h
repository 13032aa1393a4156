// SPDX-License-Identifier: Apache-2.0
// Kernels with random counters, for properties that must hold for any measurement.
#pragma once
#include <rapidcheck.h>

#include <string>

#include "tests/support/kernel_builder.h"

namespace culprit::testing {

inline double Amount(int most = 100000) { return *rc::gen::inRange(0, most); }

// Has every counter that attribution reads; some are 0. Times and cycles are above 0.
inline KernelRecord RandomKernel(const std::string& stage) {
  KernelBuilder k(stage);
  const double time = 10 + Amount();
  k.Time(time, 1000 + Amount(1000));
  const double active = 1 + Amount();
  k.Metric("smsp_cycles_active", active)
      .Metric("smsp_cycles_elapsed", active + Amount())
      .Metric("inst_issued", 1 + Amount());
  double warps = 0;
  for (const char* reason :
       {"selected", "not_selected", "long_scoreboard", "short_scoreboard", "mio_throttle", "lg_throttle", "barrier",
        "wait", "math_pipe_throttle", "dispatch_stall", "branch_resolving", "no_instruction", "imc_miss", "drain"}) {
    const double cycles = *rc::gen::element(0, 0, 1, 1, 1) * Amount();
    k.Metric(std::string("stall_") + reason, cycles);
    warps += cycles;
  }
  k.Metric("stall_misc", 1);
  k.Metric("warps_active", (warps + 1) * (1 + 0.01 * Amount(3)));
  for (const char* id : {"local_load_inst",      "local_store_inst",      "local_load_sectors",
                         "local_store_sectors",  "local_load_requests",   "local_store_requests",
                         "shared_load_inst",     "shared_store_inst",     "shared_wavefronts",
                         "global_load_inst",     "global_store_inst",     "global_load_sectors",
                         "global_store_sectors", "global_load_requests",  "global_store_requests",
                         "l2_sectors",           "dram_read_bytes",       "dram_write_bytes",
                         "pipe_xu_inst",         "pipe_fp64_inst",        "conversion_thread_inst",
                         "fp32_thread_inst",     "idc_requests",          "icc_misses",
                         "imc_misses",           "branch_inst",           "global_red_requests",
                         "global_red_sectors",   "l2_atomic_cycles",      "shared_atom_wavefronts",
                         "global_atom_requests", "shared_atom_inst",      "l2_sectors_from_l1",
                         "l1_sectors_miss",      "shared_conflicts_hw",   "sass_ldgsts_inst",
                         "sass_global_inst",     "tensor_hmma_inst",      "tensor_gmma_inst",
                         "host_sectors",         "l2_slice_requests_max", "l2_slice_requests_avg"})
    k.Metric(id, *rc::gen::element(0, 1, 1) * Amount());
  // Numbers that some recordings lack.
  const auto maybe = [] { return *rc::gen::element(true, true, false); };
  if (!maybe())
    for (Sample& sample : k.record.samples) sample.clock_mhz.reset();
  for (const char* id : {"l1_throughput_pct", "l2_throughput_pct", "dram_throughput_pct"})
    if (maybe()) k.Metric(id, Amount(101), "%");
  if (maybe()) k.Metric("launch_kernels", 1 + Amount(3));
  if (maybe()) k.record.barriers = Amount(5);
  for (const char* memory : {"shared", "global"})
    if (maybe()) k.record.access_bytes[memory] = *rc::gen::element(4, 8, 16);
  k.Attribute("stack_frame_bytes", Amount(3)).Attribute("spill_store_bytes", Amount(3));
  for (const char* resource : {"registers", "shared", "warps", "blocks"})
    k.Attribute(std::string("blocks_per_sm_by_") + resource, 1 + Amount(4), "model");
  k.Attribute("block_threads", 128 * (1 + Amount(4)), "model");
  k.record.launch.grid_x = 1 + static_cast<unsigned>(Amount(100));
  const double wavefronts = Amount(), sectors = Amount();
  if (maybe())
    k.Metric("sass_shared_wavefronts", wavefronts + Amount()).Metric("sass_shared_wavefronts_ideal", wavefronts);
  if (maybe()) k.Metric("sass_global_sectors", sectors + Amount()).Metric("sass_global_sectors_ideal", sectors);
  k.Metric("threads_per_inst", 1 + Amount(32));
  const int eighths = 1 + static_cast<int>(Amount(8));
  k.Attribute("theoretical_occupancy", 0.125 * eighths).Attribute("theoretical_warps_per_sm", 8 * eighths);
  if (maybe())
    for (int blocks = eighths; blocks > 0; --blocks) {
      const double us = 10 + Amount(100);
      k.record.interventions.push_back(
          {InterventionKind::kOccupancy, 1000.0 * (8 - blocks), blocks, 8 * blocks, us, us, us, {}, 5});
    }
  return k.record;
}

}  // namespace culprit::testing
