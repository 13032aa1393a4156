// SPDX-License-Identifier: Apache-2.0
#include "tests/support/kernel_builder.h"

#include <algorithm>

namespace culprit::testing {

Device InventedDevice() {
  Device d;
  d.name = "Invented GPU H100";
  d.chip = "GH100";
  d.cc_major = 9;
  d.sm_count = 132;
  d.fp32_lanes_per_sm = 128;
  d.sm_clock_mhz = 1980;
  d.dram_bytes_per_s = 3.35e12;
  d.memory_bytes = 80LL << 30;
  d.l2_bytes = 50LL << 20;
  d.shared_bytes_per_sm = 228 << 10;
  d.registers_per_sm = 65536;
  d.max_threads_per_sm = 2048;
  d.max_blocks_per_sm = 32;
  return d;
}

KernelBuilder::KernelBuilder(std::string stage) {
  RunRecord& run = record.run.run;
  run.uuid = "11111111-2222-4333-8444-555555555555";
  run.started_utc = "2026-01-02T03:04:05Z";
  run.label = "invented";
  run.command_line = "gemm_bench --profile=full";
  run.profile = "full";
  run.l2 = "hot";
  run.seed = 1;
  run.git_sha = "0123456789abcdef";
  run.device = InventedDevice();
  run.toolchain = {"580.00", "13.0", "13.0", "26", "13.0.88", "g++ 12.2.0"};
  record.run.state = "complete";
  record.stage.id = stage;
  record.stage.family = "v_study";
  record.stage.idea = "an invented stage";
  record.stage.constraint = "any size";
  record.stage.source_file = "kernels/invented.cu";
  record.stage.source_line = 7;
  LaunchRecord& launch = record.launch;
  launch.stage = stage;
  launch.arch = "sm_90";
  launch.shape = "2048x2048x2048";
  launch.kernel = stage;
  launch.grid_x = launch.grid_y = 16;
  launch.grid_z = 1;
  launch.block_x = 256;
  launch.block_y = launch.block_z = 1;
  launch.flop = 2.0 * 2048 * 2048 * 2048;
  launch.min_bytes = 3.0 * 4 * 2048 * 2048;
  launch.verify_error_over_bound = 0.125;
  launch.verify_reference = "cublas";
}

KernelBuilder& KernelBuilder::Time(double us, double clock_mhz) {
  record.samples.assign(3, Sample{0, us, clock_mhz, false});
  return *this;
}

KernelBuilder& KernelBuilder::Metric(const std::string& id, double value, const std::string& unit) {
  for (Reading& r : record.readings)
    if (r.metric.id == id) {
      r.value = value;
      r.status = ReadingStatus::kOk;
      return *this;
    }
  const std::string source = id.starts_with("sass_") ? "sass" : id.starts_with("launch_") ? "launch" : "range";
  record.readings.push_back(
      {{id, source, source == "launch" ? "" : "cupti__" + id, unit, "meaning of " + id}, value, ReadingStatus::kOk});
  return *this;
}

KernelBuilder& KernelBuilder::Missing(const std::string& id, ReadingStatus status) {
  Metric(id, 0);
  for (Reading& r : record.readings)
    if (r.metric.id == id) {
      r.value.reset();
      r.status = status;
    }
  return *this;
}

KernelBuilder& KernelBuilder::Remove(const std::string& id) {
  std::erase_if(record.readings, [&](const Reading& r) { return r.metric.id == id; });
  std::erase_if(record.attributes, [&](const StaticAttribute& a) { return a.name == id; });
  return *this;
}

KernelBuilder& KernelBuilder::Stall(const std::string& reason, double us, double total_us, double warps_active) {
  return Metric("stall_" + reason, us / total_us * warps_active, "warp-cycle");
}

KernelBuilder& KernelBuilder::Accesses(const std::string& memory, int bytes, double count) {
  record.accesses[memory][bytes] = count;
  return *this;
}

KernelBuilder& KernelBuilder::Attribute(const std::string& name, double value, const std::string& source) {
  for (StaticAttribute& a : record.attributes)
    if (a.name == name && a.source == source) {
      a.value = value;
      return *this;
    }
  record.attributes.push_back({name, source, value, ReadingStatus::kOk});
  return *this;
}

KernelBuilder Quiet() {
  KernelBuilder k("quiet");
  k.Time(100);
  k.Metric("warps_active", 1000, "warp-cycle");
  for (const char* reason : {"long_scoreboard", "short_scoreboard", "mio_throttle", "lg_throttle", "barrier",
                             "math_pipe_throttle", "dispatch_stall", "no_instruction", "imc_miss"})
    k.Metric(std::string("stall_") + reason, 0, "warp-cycle");
  k.Metric("stall_selected", 400, "warp-cycle").Metric("stall_wait", 600, "warp-cycle");
  k.Metric("stall_drain", 0, "warp-cycle").Metric("stall_branch_resolving", 0, "warp-cycle");
  k.Metric("stall_membar", 0, "warp-cycle");
  // Nothing of what demands are made of is left open.
  k.Metric("inst_issued", 1e6).Metric("fp32_thread_inst", 32e6 * 0.6, "thread-inst").Metric("launch_kernels", 1);
  for (const char* id : {"conversion_thread_inst",
                         "fp16_thread_inst",
                         "integer_thread_inst",
                         "tensor_hmma_inst",
                         "tensor_hfma2_inst",
                         "tensor_gmma_inst",
                         "branch_inst",
                         "pipe_fma_inst",
                         "shared_ldsm_inst",
                         "shared_atom_inst",
                         "shared_atom_wavefronts",
                         "global_store_inst",
                         "global_atom_requests",
                         "global_red_requests",
                         "global_atom_sectors",
                         "global_red_sectors",
                         "l2_atomic_cycles",
                         "host_sectors",
                         "l2_slice_requests_max",
                         "l2_slice_requests_avg",
                         "local_load_requests",
                         "local_store_requests",
                         "global_load_requests",
                         "global_store_requests",
                         "l2_sectors_from_l1",
                         "idc_requests",
                         "idc_replays",
                         "imc_misses",
                         "icc_misses"})
    k.Metric(id, 0);
  k.Metric("sm_cycles_elapsed_max", 1e5, "cycle")
      .Metric("sm_cycles_active_max", 1e5, "cycle")
      .Metric("sm_cycles_active_min", 1e5, "cycle");
  k.Metric("smsp_cycles_active", 4e5, "cycle").Metric("smsp_cycles_elapsed", 4e5, "cycle");
  k.Metric("achieved_occupancy_pct", 80, "%")
      .Metric("issue_slot_pct", 30, "%")
      .Metric("threads_per_inst", 32, "thread");
  k.Metric("inst_executed", 1e6).Metric("ffma_thread_inst", 32e6 * 0.6, "thread-inst");
  k.Metric("pipe_fp64_inst", 0).Metric("pipe_xu_inst", 0);
  for (const char* id :
       {"shared_load_inst", "shared_store_inst", "local_load_inst", "local_store_inst", "global_load_inst"})
    k.Metric(id, 0);
  k.Metric("local_load_sectors", 0, "sector").Metric("local_store_sectors", 0, "sector");
  k.Metric("global_load_sectors", 900, "sector").Metric("global_store_sectors", 100, "sector");
  k.Metric("sass_global_sectors", 1000, "sector").Metric("sass_global_sectors_ideal", 1000, "sector");
  k.Metric("shared_wavefronts", 0, "wavefront").Metric("shared_wavefronts_pct", 0, "%");
  k.Metric("sass_shared_wavefronts", 0, "wavefront").Metric("sass_shared_wavefronts_ideal", 0, "wavefront");
  k.Metric("sass_memory_8b_inst", 0)
      .Metric("sass_memory_16b_inst", 0)
      .Metric("sass_memory_32b_inst", 0)
      .Metric("sass_memory_64b_inst", 0)
      .Metric("sass_memory_128b_inst", 100)
      .Metric("sass_shared_inst", 0);
  k.record.accesses["shared"];
  k.Accesses("global", 16, 100);
  k.Metric("dram_read_bytes", 1e6, "byte").Metric("dram_write_bytes", 1e6, "byte");
  k.Metric("l1_throughput_pct", 10, "%").Metric("l2_throughput_pct", 10, "%");
  k.Metric("l1_sectors_hit", 10, "sector").Metric("l1_sectors_miss", 10, "sector").Metric("l2_sectors", 10, "sector");
  k.Attribute("registers", 32)
      .Attribute("stack_frame_bytes", 0)
      .Attribute("spill_store_bytes", 0)
      .Attribute("spill_load_bytes", 0);
  k.Attribute("static_shared_bytes", 1024)
      .Attribute("dynamic_shared_bytes", 0, "model")
      .Attribute("block_threads", 256, "model");
  k.Attribute("theoretical_occupancy", 1, "model");
  k.Attribute("blocks_per_sm_by_registers", 8, "model").Attribute("blocks_per_sm_by_shared", 100, "model");
  k.Attribute("blocks_per_sm_by_warps", 8, "model").Attribute("blocks_per_sm_by_blocks", 32, "model");
  return k;
}

}  // namespace culprit::testing
