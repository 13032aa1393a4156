// SPDX-License-Identifier: Apache-2.0
#include "tests/support/invented_study.h"

#include <algorithm>
#include <map>

namespace culprit::testing {
namespace {

struct Numbers {
  double time_us, cycles, warps_active, issued;
  std::map<std::string, double> stalls_us;
  double local_load, local_store;
  double shared_load, shared_load_wavefronts, shared_load_conflicts, shared_exact, shared_ideal;
  double l2_sectors, dram_read, dram_write;
  double registers, stack;
  double narrow, wide;
};

KernelBuilder Make(const std::string& stage, const Numbers& n) {
  KernelBuilder k(stage);
  k.Time(n.time_us, n.cycles / n.time_us);
  k.record.samples[0].time_us = n.time_us + 2;
  k.record.samples[2].time_us = n.time_us - 1;
  k.record.samples.push_back({1, n.time_us * 1.4, n.cycles / n.time_us / 1.4, true});
  k.Metric("warps_active", n.warps_active, "warp-cycle");
  for (const auto& [reason, us] : n.stalls_us) k.Stall(reason, us, n.time_us, n.warps_active);
  k.Metric("stall_membar", 0, "warp-cycle").Missing("stall_gmma", ReadingStatus::kUnsupported);
  k.Metric("sm_cycles_elapsed_max", n.cycles, "cycle").Metric("sm_cycles_active_max", n.cycles * 0.99, "cycle");
  k.Metric("sm_cycles_active_min", n.cycles * 0.93, "cycle");
  k.Metric("smsp_cycles_active", n.cycles * 528 * 0.97, "cycle").Metric("smsp_cycles_elapsed", n.cycles * 528, "cycle");
  k.Metric("inst_issued", n.issued).Metric("inst_executed", n.issued).Metric("threads_per_inst", 32, "thread");
  k.Metric("issue_slot_pct", 100 * n.issued / (n.cycles * 528), "%").Metric("achieved_occupancy_pct", 24.3, "%");
  k.Metric("ffma_thread_inst", 2048.0 * 2048 * 2048, "thread-inst").Metric("integer_thread_inst", 1.1e9, "thread-inst");
  k.Metric("pipe_fp64_inst", 0).Metric("pipe_xu_inst", 0).Metric("pipe_fma_inst", 2048.0 * 2048 * 2048 / 32);
  k.Metric("fp32_thread_inst", 2048.0 * 2048 * 2048, "thread-inst").Metric("branch_inst", 4194304);
  for (const char* none :
       {"fp16_thread_inst", "conversion_thread_inst", "tensor_hmma_inst", "tensor_hfma2_inst", "tensor_gmma_inst",
        "global_atom_requests", "global_red_requests", "global_atom_sectors", "global_red_sectors", "l2_atomic_cycles",
        "host_sectors", "l2_slice_requests_max", "l2_slice_requests_avg", "shared_atom_wavefronts", "icc_misses",
        "imc_misses", "idc_requests", "idc_replays"})
    k.Metric(none, 0);
  k.Metric("launch_kernels", 1, "kernel");

  const double slots = 132 * n.cycles;
  const double store_wavefronts = 8388608, other = 557076;
  k.Metric("shared_load_inst", n.shared_load)
      .Metric("shared_ldsm_inst", 0)
      .Metric("shared_store_inst", 4194304)
      .Metric("shared_atom_inst", 0);
  k.Metric("shared_wavefronts", n.shared_load_wavefronts + store_wavefronts + other, "wavefront");
  k.Metric("shared_load_wavefronts", n.shared_load_wavefronts, "wavefront")
      .Metric("shared_store_wavefronts", store_wavefronts, "wavefront");
  k.Metric("shared_wavefronts_pct", 100 * (n.shared_load_wavefronts + store_wavefronts + other) / slots, "%");
  k.Metric("shared_load_wavefronts_pct", 100 * n.shared_load_wavefronts / slots, "%");
  k.Metric("shared_store_wavefronts_pct", 100 * store_wavefronts / slots, "%");
  k.Metric("shared_conflicts_hw", n.shared_load_conflicts + 500000, "wavefront");
  k.Metric("shared_load_conflicts_hw", n.shared_load_conflicts, "wavefront")
      .Metric("shared_store_conflicts_hw", 500000, "wavefront");
  k.Metric("sass_shared_wavefronts", n.shared_exact, "wavefront")
      .Metric("sass_shared_wavefronts_ideal", n.shared_ideal, "wavefront");
  k.Metric("sass_shared_inst", n.shared_load + 4194304);
  k.Metric("sass_memory_8b_inst", 0).Metric("sass_memory_16b_inst", 0);
  k.Metric("sass_memory_32b_inst", n.narrow).Metric("sass_memory_64b_inst", 0).Metric("sass_memory_128b_inst", n.wide);
  const double shared = n.shared_load + 4194304, narrow = std::clamp(n.narrow - 4194304, 0.0, shared);
  k.Accesses("shared", 4, narrow).Accesses("shared", 16, shared - narrow);
  k.Accesses("global", 4, 4194304).Accesses("global", 16, 131072);

  k.Metric("local_load_inst", n.local_load).Metric("local_store_inst", n.local_store);
  k.Metric("local_load_requests", n.local_load, "request").Metric("local_store_requests", n.local_store, "request");
  k.Metric("local_load_sectors", 4 * n.local_load, "sector").Metric("local_store_sectors", 4 * n.local_store, "sector");
  k.Metric("global_load_inst", 4194304).Metric("global_store_inst", 131072);
  k.Metric("global_load_requests", 4194304, "request").Metric("global_store_requests", 131072, "request");
  k.Metric("global_load_sectors", 16777216, "sector").Metric("global_store_sectors", 1048576, "sector");
  k.Metric("sass_global_sectors", 17825792, "sector").Metric("sass_global_sectors_ideal", 17301504, "sector");
  k.Metric("l1_sectors_hit", 1.2e6, "sector").Metric("l1_sectors_miss", 16e6, "sector");
  k.Metric("l2_sectors_from_l1", n.l2_sectors, "sector");
  k.Metric("l2_sectors", n.l2_sectors, "sector").Metric("l2_sectors_hit", n.l2_sectors * 0.9, "sector");
  k.Metric("l2_sectors_miss", n.l2_sectors * 0.1, "sector");
  k.Metric("dram_read_bytes", n.dram_read, "byte").Metric("dram_write_bytes", n.dram_write, "byte");
  k.Metric("l1_throughput_pct", 100 * n.shared_load_wavefronts / slots, "%").Metric("l2_throughput_pct", 22, "%");

  for (const char* source : {"runtime", "cubin"}) {
    k.Attribute("registers", n.registers, source).Attribute("stack_frame_bytes", n.stack, source);
    k.Attribute("static_shared_bytes", 8192, source);
  }
  k.Attribute("spill_store_bytes", 0, "compiler")
      .Attribute("spill_load_bytes", 0, "compiler")
      .Attribute("code_bytes", 10368);
  k.Attribute("max_threads", 512, "runtime")
      .Attribute("block_threads", 256, "model")
      .Attribute("dynamic_shared_bytes", 0, "model");
  k.Attribute("theoretical_occupancy", 0.25, "model").Attribute("theoretical_warps_per_sm", 16, "model");
  k.Attribute("blocks_per_sm_by_registers", 2, "model").Attribute("blocks_per_sm_by_shared", 25, "model");
  k.Attribute("blocks_per_sm_by_warps", 8, "model").Attribute("blocks_per_sm_by_blocks", 32, "model");
  return k;
}

}  // namespace

KernelBuilder InventedV17() {
  Numbers n{};
  n.time_us = 705, n.cycles = 1.395e6, n.warps_active = 2.9e9, n.issued = 379e6;
  n.stalls_us = {{"long_scoreboard", 62},
                 {"barrier", 50},
                 {"mio_throttle", 60},
                 {"short_scoreboard", 114},
                 {"selected", 92},
                 {"not_selected", 90},
                 {"wait", 130},
                 {"math_pipe_throttle", 85},
                 {"dispatch_stall", 12},
                 {"branch_resolving", 3},
                 {"no_instruction", 4},
                 {"imc_miss", 0.5},
                 {"lg_throttle", 1},
                 {"drain", 0.5},
                 {"misc", 1}};
  n.shared_load = 41943040, n.shared_load_wavefronts = 134217728, n.shared_load_conflicts = 67108864;
  n.shared_exact = 138412032, n.shared_ideal = 71303168;
  n.l2_sectors = 21e6, n.dram_read = 45e6, n.dram_write = 25e6;
  n.registers = 122, n.stack = 0;
  n.narrow = 50331648, n.wide = 131072;
  KernelBuilder k = Make("v1_7", n);
  k.record.stage.parent = "v1_8";
  k.record.stage.idea = "single-float copies between global and shared memory";
  k.record.stage.factors = {{"loop nest", "k->m->n"}};
  return k;
}

KernelBuilder InventedV16() {
  Numbers n{};
  n.time_us = 1287, n.cycles = 2.548e6, n.warps_active = 5.28e9, n.issued = 371e6;
  n.stalls_us = {{"long_scoreboard", 522},
                 {"barrier", 260},
                 {"mio_throttle", 163},
                 {"short_scoreboard", 41},
                 {"selected", 90},
                 {"not_selected", 35},
                 {"wait", 90},
                 {"math_pipe_throttle", 20},
                 {"dispatch_stall", 8},
                 {"branch_resolving", 5},
                 {"no_instruction", 6},
                 {"imc_miss", 0.5},
                 {"lg_throttle", 45},
                 {"drain", 0.5},
                 {"misc", 1}};
  n.local_load = 8421376, n.local_store = 8388608;
  n.shared_load = 16777216, n.shared_load_wavefronts = 85e6, n.shared_load_conflicts = 35e6;
  n.shared_exact = 89194304, n.shared_ideal = 54194304;
  n.l2_sectors = 243e6, n.dram_read = 60e6, n.dram_write = 431e6;
  n.registers = 120, n.stack = 256;
  n.narrow = 30e6, n.wide = 12e6;
  KernelBuilder k = Make("v1_6", n);
  k.record.stage.parent = "v1_7";
  k.record.stage.idea = "the loop nest of the thread tile turned inside out";
  k.record.stage.factors = {{"loop nest", "m->n->k"}};
  return k;
}

KernelBuilder InventedCublas() {
  Numbers n{};
  n.time_us = 340, n.cycles = 0.66e6, n.warps_active = 0.7e9, n.issued = 300e6;
  n.stalls_us = {{"selected", 145},       {"not_selected", 60},  {"math_pipe_throttle", 70}, {"wait", 40},
                 {"long_scoreboard", 10}, {"barrier", 9},        {"dispatch_stall", 4},      {"lg_throttle", 0},
                 {"short_scoreboard", 1}, {"mio_throttle", 0.5}, {"no_instruction", 0.5},    {"imc_miss", 0}};
  n.shared_load = 16777216, n.shared_load_wavefronts = 40e6, n.shared_exact = 44e6, n.shared_ideal = 44e6;
  n.l2_sectors = 15e6, n.dram_read = 40e6, n.dram_write = 17e6;
  n.narrow = 131072, n.wide = 17e6;
  KernelBuilder k = Make("cublas_sgemm", n);
  k.record.attributes.clear();
  k.record.stage.family = "reference";
  k.record.stage.idea = "cuBLAS, single precision";
  k.record.launch.kernel = "invented_library_kernel";
  return k;
}

}  // namespace culprit::testing
