// SPDX-License-Identifier: Apache-2.0
// Kernels with random counters, for properties that hold whatever was measured.
#pragma once
#include <rapidcheck.h>

#include <string>

#include "tests/unit/analysis/kernel_builder.h"

namespace culprit::testing {

inline double Amount(int most = 100000) { return *rc::gen::inRange(0, most); }

// Every counter that attribution reads, 0 now and then; times and cycles above 0.
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
  for (const char* id : {"local_load_inst",      "local_store_inst",     "local_load_sectors",
                         "local_store_sectors",  "local_load_requests",  "local_store_requests",
                         "shared_load_inst",     "shared_store_inst",    "shared_wavefronts",
                         "global_load_inst",     "global_store_inst",    "global_load_sectors",
                         "global_store_sectors", "global_load_requests", "global_store_requests",
                         "l2_sectors",           "dram_read_bytes",      "dram_write_bytes",
                         "pipe_xu_inst",         "pipe_fp64_inst",       "conversion_thread_inst",
                         "fp32_thread_inst",     "idc_requests",         "icc_misses",
                         "imc_misses",           "branch_inst",          "global_red_requests",
                         "global_red_sectors",   "l2_atomic_cycles",     "shared_atom_wavefronts"})
    k.Metric(id, *rc::gen::element(0, 1, 1) * Amount());
  const double wavefronts = Amount(), sectors = Amount();
  k.Metric("sass_shared_wavefronts", wavefronts + Amount()).Metric("sass_shared_wavefronts_ideal", wavefronts);
  k.Metric("sass_global_sectors", sectors + Amount()).Metric("sass_global_sectors_ideal", sectors);
  k.Metric("threads_per_inst", 1 + Amount(32));
  k.Attribute("theoretical_occupancy", 0.125 * (1 + Amount(8)));
  return k.record;
}

}  // namespace culprit::testing
