// SPDX-License-Identifier: Apache-2.0
#include "db/metric_catalogue.h"

#include <algorithm>

namespace culprit {
namespace {

using enum MetricSource;
using enum MetricSet;
using enum Counting;

// From CUPTI's lists for GV100 to GB20x (CUDA 13.0): gmma exists only on Hopper, and Blackwell has no imc_miss.
constexpr std::string_view kNotHopper = "GV TU GA AD GB";
constexpr std::string_view kWithoutTensorHfma2 = "GV TU GA102 GA103 GA104 GA106 GA107 AD GB";
constexpr std::string_view kBeforeHopper = "GV TU GA AD";
constexpr std::string_view kBlackwell = "GB";
constexpr std::string_view kVolta = "GV";
constexpr std::string_view kWithFp16Pipe = "GV TU GA100";
// Orin, Thor and Spark share the CPU's memory, and CUPTI lists no dram__ counters for them.
constexpr std::string_view kIntegrated = "GA10B GB10B GB20B";

using Spellings = std::vector<ChipSpelling>;

// Hardware counters of the core set, which vary from launch to launch or are equal in each.
CatalogueMetric Varies(std::string id, std::string name, std::string unit, std::string meaning, Spellings other = {}) {
  return {id, kRange, kCore, kVaries, name, unit, meaning, other};
}
CatalogueMetric Equal(std::string id, std::string name, std::string unit, std::string meaning, Spellings other = {}) {
  return {id, kRange, kCore, kEqual, name, unit, meaning, other};
}
// Each resident warp is in exactly one of these states each cycle.
CatalogueMetric Stall(const std::string& reason, std::string meaning, Spellings other = {}) {
  return Varies("stall_" + reason, "smsp__warps_issue_stalled_" + reason + ".sum", "warp-cycle", meaning, other);
}
// Counters of the full set: those that are equal in each launch, and percentages of peak.
CatalogueMetric Full(std::string id, std::string name, std::string unit, std::string meaning, Spellings other) {
  return {id, kRange, kFull, kEqual, name, unit, meaning, other};
}
CatalogueMetric Share(std::string id, std::string name, std::string meaning, Spellings other = {}) {
  return {id, kRange, kFull, kVaries, name, "%", meaning, other};
}
// Exact counts by patched code. `ncu`: Nsight Compute's name; empty: none.
CatalogueMetric Exact(std::string id, std::string name, std::string unit, std::string meaning, std::string ncu = {},
                      Spellings other = {}) {
  return {id, kSass, kFull, kEqual, name, unit, meaning, other, ncu};
}

// CUPTI's one-line descriptions, shortened. `.sum` adds all SM sub-partitions (smsp), SMs, L1s or L2 slices.
const std::vector<CatalogueMetric>& Table() {
  static const std::vector<CatalogueMetric> table = {
      // --- cycles, warps, issue: the terms of T = I x (W/I) x (A/W) x (E/A) / f ---
      Varies("sm_cycles_elapsed_max", "sm__cycles_elapsed.max", "cycle", "SM cycles from start to end, longest SM"),
      Varies(
          "counted_time_ns", "gpu__time_duration.sum", "ns",
          "time of the counted execution by the GPU's clock; with sm_cycles_elapsed_max the SM clock that it ran at"),
      Varies("smsp_cycles_elapsed", "smsp__cycles_elapsed.sum", "cycle",
             "cycles elapsed, summed over sub-partitions (E)"),
      Varies("smsp_cycles_active", "smsp__cycles_active.sum", "cycle",
             "cycles with at least one resident warp, summed over sub-partitions (A)"),
      Varies("sm_cycles_active_max", "sm__cycles_active.max", "cycle", "active cycles of the busiest SM"),
      Varies("sm_cycles_active_min", "sm__cycles_active.min", "cycle", "active cycles of the idlest SM"),
      Varies("warps_active", "smsp__warps_active.sum", "warp-cycle", "resident warps, summed over cycles (W)"),
      Varies("warps_eligible", "smsp__warps_eligible.sum", "warp-cycle", "warps able to issue, summed over cycles"),
      Varies("inst_issued", "smsp__inst_issued.sum", "inst", "warp instructions issued, replays included (I)"),
      Equal("inst_executed", "smsp__inst_executed.sum", "inst", "warp instructions executed"),
      Equal("thread_inst_executed", "smsp__thread_inst_executed.sum", "thread-inst",
            "thread instructions executed, predicated-off ones included"),
      Equal("threads_per_inst", "smsp__thread_inst_executed_per_inst_executed.ratio", "thread",
            "active threads per warp instruction; 32 means no divergence"),
      Varies("issue_active", "smsp__issue_active.sum", "cycle", "cycles in which a sub-partition issued"),
      Varies("issue_slot_pct", "smsp__issue_active.avg.pct_of_peak_sustained_active", "%",
             "issue slots used while active"),
      Varies("achieved_occupancy_pct", "sm__warps_active.avg.pct_of_peak_sustained_active", "%",
             "resident warps against the SM's maximum while active"),

      // --- stalls: each resident warp is in exactly one of these states each cycle ---
      Stall("selected", "issuing: this is work, not a stall"),
      Stall("not_selected", "eligible, but another warp issued"),
      Stall("long_scoreboard", "waiting for global, local, surface or texture memory"),
      Stall("short_scoreboard", "waiting for shared memory or another MIO result"),
      Stall("mio_throttle", "memory input/output queue full"),
      Stall("lg_throttle", "local and global memory queue full"),
      Stall("tex_throttle", "texture queue full"),
      Stall("barrier", "waiting for sibling warps at a barrier"),
      Stall("membar", "waiting on a memory barrier"),
      Stall("wait", "fixed-latency dependency"),
      Stall("math_pipe_throttle", "math pipe busy"),
      Stall("dispatch_stall", "dispatcher held back, register bank conflicts among the reasons"),
      Stall("branch_resolving", "branch target not yet known"),
      Stall("no_instruction", "instruction not fetched: cache miss or jump"),
      Stall("imc_miss", "immediate constant cache miss", {{kBlackwell, ""}}),
      Stall("drain", "exited, stores not yet drained"),
      Stall("sleeping", "sleeping by request"),
      Stall("gmma", "waiting for a warpgroup matrix instruction", {{kNotHopper, ""}}),
      Stall("misc", "none of the other reasons"),

      // --- shared memory, as the hardware counts it ---
      Equal("shared_load_inst", "smsp__inst_executed_op_shared_ld.sum", "inst", "shared loads (LDS, LD)"),
      Equal("shared_store_inst", "smsp__inst_executed_op_shared_st.sum", "inst", "shared stores (STS, ST)"),
      Equal("shared_ldsm_inst", "smsp__inst_executed_op_ldsm.sum", "inst", "matrix loads (LDSM)", {{kVolta, ""}}),
      Equal("shared_ldsm_wavefronts", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum", "wavefront",
            "data-stage cycles spent on matrix loads", {{kVolta, ""}}),
      Equal("shared_ldsm_conflicts_hw", "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldsm.sum",
            "wavefront", "matrix-load bank conflicts as the hardware counter says", {{kVolta, ""}}),
      Equal("shared_atom_inst", "smsp__inst_executed_op_shared_atom.sum", "inst", "shared atomics"),
      Varies("shared_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "wavefront",
             "data-stage cycles spent on shared memory"),
      Varies("shared_load_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "wavefront",
             "data-stage cycles spent on shared loads"),
      Varies("shared_store_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "wavefront",
             "data-stage cycles spent on shared stores"),
      Varies("shared_conflicts_hw", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "wavefront",
             "bank conflicts as the hardware counter says: lost arbitration is counted too"),
      Varies("shared_load_conflicts_hw", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "wavefront",
             "load bank conflicts as the hardware counter says"),
      Varies("shared_store_conflicts_hw", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "wavefront",
             "store bank conflicts as the hardware counter says"),
      Varies("shared_wavefronts_pct", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed",
             "%", "shared wavefronts against one per SM and cycle"),
      Varies("shared_load_wavefronts_pct",
             "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum.pct_of_peak_sustained_elapsed", "%",
             "shared-load wavefronts against one per SM and cycle"),
      Varies("shared_store_wavefronts_pct",
             "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum.pct_of_peak_sustained_elapsed", "%",
             "shared-store wavefronts against one per SM and cycle"),

      // --- local memory: register arrays and spills that live in device memory ---
      Equal("local_load_inst", "smsp__inst_executed_op_local_ld.sum", "inst", "local loads (LDL)"),
      Equal("local_store_inst", "smsp__inst_executed_op_local_st.sum", "inst", "local stores (STL)"),
      Equal("local_load_requests", "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", "request",
            "local-load requests to L1"),
      Equal("local_store_requests", "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", "request",
            "local-store requests to L1"),
      Equal("local_load_sectors", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "sector",
            "32-byte sectors of local loads"),
      Equal("local_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", "sector",
            "32-byte sectors of local stores"),

      // --- global memory ---
      Equal("global_load_inst", "smsp__inst_executed_op_global_ld.sum", "inst", "global loads (LDG)"),
      Equal("global_store_inst", "smsp__inst_executed_op_global_st.sum", "inst", "global stores (STG)"),
      Equal("global_load_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "request",
            "global-load requests to L1"),
      Equal("global_store_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "request",
            "global-store requests to L1"),
      Equal("global_load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sector",
            "32-byte sectors of global loads"),
      Equal("global_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "sector",
            "32-byte sectors of global stores"),

      // --- caches and DRAM ---
      Varies("l1_sectors_hit", "l1tex__t_sectors_lookup_hit.sum", "sector", "L1 sector look-ups that hit"),
      Varies("l1_sectors_miss", "l1tex__t_sectors_lookup_miss.sum", "sector", "L1 sector look-ups that missed"),
      Varies("l2_sectors", "lts__t_sectors.sum", "sector", "L2 sectors, all sources"),
      Varies("l2_sectors_from_l1", "lts__t_sectors_srcunit_tex.sum", "sector",
             "L2 sectors that L1 asked for, without traffic within L2"),
      Varies("l2_read_sectors", "lts__t_sectors_op_read.sum", "sector", "L2 sectors read"),
      Varies("l2_write_sectors", "lts__t_sectors_op_write.sum", "sector", "L2 sectors written"),
      Varies("l2_sectors_hit", "lts__t_sectors_lookup_hit.sum", "sector", "L2 sector look-ups that hit"),
      Varies("l2_sectors_miss", "lts__t_sectors_lookup_miss.sum", "sector", "L2 sector look-ups that missed"),
      Varies("dram_read_bytes", "dram__bytes_read.sum", "byte", "bytes read from device memory",
             {{kIntegrated, ""}, {"GB20", "dram__bytes_op_read.sum"}}),
      Varies("dram_write_bytes", "dram__bytes_write.sum", "byte", "bytes written to device memory",
             {{kIntegrated, ""}, {"GB20", "dram__bytes_op_write.sum"}}),
      Varies("l2_slice_requests_max", "lts__t_requests.max", "request", "L2 requests of the busiest slice"),
      Varies("l2_slice_requests_avg", "lts__t_requests.avg", "request", "L2 requests of a slice, on average"),
      Varies("host_sectors", "lts__t_sectors_srcunit_tex_aperture_sysmem.sum", "sector",
             "L2 sectors of the host's memory that L1 asked for: each passes the link to the host",
             {{"GB10B GB20B", "lts__t_sectors_srcunit_tex_aperture_sysmem.sum"}, {kBlackwell, ""}}),

      // --- instructions by kind and by pipe ---
      Equal("ffma_thread_inst", "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "thread-inst",
            "FFMA thread instructions, predicated on"),
      Equal("fp32_thread_inst", "smsp__sass_thread_inst_executed_op_fp32_pred_on.sum", "thread-inst",
            "single-precision thread instructions, predicated on"),
      Equal("conversion_thread_inst", "smsp__sass_thread_inst_executed_op_conversion_pred_on.sum", "thread-inst",
            "conversions between number formats, predicated on"),
      Equal("integer_thread_inst", "smsp__sass_thread_inst_executed_op_integer_pred_on.sum", "thread-inst",
            "integer thread instructions, predicated on"),
      Equal("fp16_thread_inst", "smsp__sass_thread_inst_executed_op_fp16_pred_on.sum", "thread-inst",
            "half-precision thread instructions, predicated on"),
      Equal("fp64_thread_inst", "smsp__sass_thread_inst_executed_op_fp64_pred_on.sum", "thread-inst",
            "double-precision thread instructions, predicated on"),
      Equal("pipe_fma_inst", "smsp__inst_executed_pipe_fma.sum", "inst", "FMA pipe"),
      Equal("pipe_alu_inst", "smsp__inst_executed_pipe_alu.sum", "inst",
            "ALU pipe: integer, logic, conversions of 32 bit"),
      Equal("pipe_lsu_inst", "smsp__inst_executed_pipe_lsu.sum", "inst", "load/store unit"),
      Equal("pipe_fp64_inst", "smsp__inst_executed_pipe_fp64.sum", "inst", "FP64 pipe"),
      Equal("pipe_fp16_inst", "smsp__inst_executed_pipe_fma_type_fp16.sum", "inst",
            "half-precision instructions, on the FMA pipe or, where the chip has one, the FP16 pipe",
            {{kWithFp16Pipe, "smsp__inst_executed_pipe_fp16.sum"}}),
      Equal("pipe_tex_inst", "smsp__inst_executed_pipe_tex.sum", "inst", "texture pipe"),
      Equal("pipe_xu_inst", "smsp__inst_executed_pipe_xu.sum", "inst", "XU pipe: special functions and conversions"),
      // Compilers move constants with HFMA2.MMA, which uses the tensor pipe of GH100, so a kernel without matrix
      // multiplication has some.
      Equal("pipe_tensor_inst", "smsp__inst_executed_pipe_tensor.sum", "inst",
            "tensor pipe; HFMA2.MMA, with which single-precision kernels move constants, included"),
      Equal(
          "tensor_hmma_inst", "smsp__inst_executed_pipe_tensor_op_hmma.sum", "inst",
          "tensor pipe: matrix multiplications of a warp on 16-bit and TF32 inputs, and HFMA2.MMA (tensor_hfma2_inst)",
          {{"GB20", "smsp__inst_executed_pipe_tensor_subpipe_hmma_op_hmma.sum"}, {kBlackwell, ""}}),
      Full("tensor_hfma2_inst", "smsp__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum", "inst",
           "tensor pipe: HFMA2.MMA, also constant moves; the matrix multiplications are tensor_hmma_inst less these",
           {{kWithoutTensorHfma2, ""}}),
      Equal("tensor_gmma_inst", "smsp__inst_executed_pipe_tensor_op_gmma.sum", "inst",
            "tensor pipe: matrix multiplications of a warpgroup", {{kNotHopper, ""}}),
      Equal("pipe_uniform_inst", "smsp__inst_executed_pipe_uniform.sum", "inst", "uniform datapath", {{kVolta, ""}}),
      Equal("pipe_cbu_inst", "smsp__inst_executed_pipe_cbu.sum", "inst", "control: branches, barriers, exits"),

      // --- bulk copies, which no counter of warp requests includes ---
      Full("tma_load_inst", "smsp__inst_executed_op_tma_ld.sum", "inst",
           "bulk copies to shared memory, one of a tensor's box or of a run of bytes each", {{kBeforeHopper, ""}}),
      Full("tma_read_bytes", "l1tex__m_xbar2l1tex_read_bytes_pipe_tma.sum", "byte",
           "bytes that bulk copies read from L2, in whole sectors", {{kBeforeHopper, ""}}),

      // --- core: atomics ---
      Equal("global_atom_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "request",
            "global atomics that return a value (ATOM), requests to L1"),
      Equal("global_red_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "request",
            "global reductions, atomics that return nothing (RED), requests to L1"),
      Equal("global_atom_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "sector",
            "32-byte sectors of global atomics"),
      Equal("global_red_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", "sector",
            "32-byte sectors of global reductions"),
      Varies("l2_atomic_cycles", "lts__d_atomic_input_cycles_active.sum", "cycle",
             "cycles in which an L2 slice's atomic unit took input"),
      Varies("shared_atom_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum", "wavefront",
             "data-stage cycles spent on shared atomics"),

      // --- core: fetching instructions and constants ---
      Varies("icc_requests", "sm__icc_requests.sum", "request", "requests to the SM's instruction cache"),
      Varies("icc_misses", "sm__icc_requests_lookup_miss.sum", "request",
             "of those, misses in the SM's instruction cache"),
      Varies("imc_misses", "smsp__imc_requests_lookup_miss.sum", "request",
             "misses in the cache of immediate constants", {{kBlackwell, ""}}),
      Varies("idc_requests", "idc__requests.sum", "request", "requests to the cache of indexed constants"),
      Varies("idc_misses", "idc__requests_lookup_miss.sum", "request", "of those, misses"),
      Varies("idc_replays", "sm__idc_divergent_instruction_replays.sum", "inst",
             "replays of constant loads whose lanes ask for different addresses"),
      Equal("pipe_adu_inst", "smsp__inst_executed_pipe_adu.sum", "inst",
            "address divergence unit: constant loads, barriers, warp votes"),
      Equal("branch_inst", "smsp__inst_executed_op_branch.sum", "inst", "branches"),
      Equal("divergent_branch_targets", "smsp__sass_branch_targets_threads_divergent.sum", "branch",
            "branches that sent lanes of one warp different ways"),

      // --- full: percentages of peak, several passes each ---
      Share("sm_throughput_pct", "sm__throughput.avg.pct_of_peak_sustained_elapsed",
            "SM: busiest of its pipes and queues"),
      Share("memory_throughput_pct", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed",
            "memory system: busiest part"),
      Share("l1_throughput_pct", "l1tex__throughput.avg.pct_of_peak_sustained_active", "L1: busiest part"),
      Share("l2_throughput_pct", "lts__throughput.avg.pct_of_peak_sustained_elapsed", "L2: busiest part"),
      Share("dram_throughput_pct", "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
            "device memory: busiest part", {{kIntegrated, ""}}),
      Share("fma_pipe_pct", "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active", "FMA pipe use while active"),
      Share("tensor_pipe_pct", "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
            "tensor pipe use while active, by HFMA2.MMA as well"),
      Share("lsu_pipe_pct", "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active",
            "load/store unit use while active"),
      Share("fp64_pipe_pct", "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_active",
            "FP64 pipe use while active"),
      Share("xu_pipe_pct", "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active", "XU pipe use while active"),
      Share("alu_pipe_pct", "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active", "ALU pipe use while active"),

      // --- full: exact counts by patched code, one process each (see sass_collector.h) ---
      Exact("sass_inst", "smsp__sass_inst_executed", "inst", "warp instructions, counted one by one", "inst_executed"),
      Exact("sass_shared_wavefronts", "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared", "wavefront",
            "shared-memory wavefronts that the addresses require", "memory_l1_wavefronts_shared"),
      Exact("sass_shared_wavefronts_ideal", "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal", "wavefront",
            "wavefronts that the same bytes would require without bank conflicts", "memory_l1_wavefronts_shared_ideal"),
      Exact("sass_shared_inst", "smsp__sass_inst_executed_op_shared", "inst", "shared-memory instructions",
            "smsp__sass_inst_executed_op_shared.sum"),
      Exact("sass_shared_load_inst", "smsp__sass_inst_executed_op_shared_ld", "inst", "shared loads",
            "smsp__sass_inst_executed_op_shared_ld.sum"),
      Exact("sass_shared_store_inst", "smsp__sass_inst_executed_op_shared_st", "inst", "shared stores",
            "smsp__sass_inst_executed_op_shared_st.sum"),
      Exact("sass_ldsm_inst", "smsp__sass_inst_executed_op_ldsm", "inst",
            "matrix loads from shared memory (LDSM), not among the shared loads", "smsp__inst_executed_op_ldsm.sum"),
      Exact("sass_stsm_inst", "smsp__sass_inst_executed_op_shared_stsm", "inst",
            "matrix stores to shared memory (STSM), not among the shared stores",
            "smsp__inst_executed_op_shared_stsm.sum", {{kBeforeHopper, ""}}),
      Exact("sass_ldgsts_inst", "smsp__sass_inst_executed_op_ldgsts", "inst",
            "asynchronous copies from global to shared memory (LDGSTS)", "smsp__inst_executed_op_ldgsts.sum"),
      Exact("sass_memory_128b_inst", "smsp__sass_inst_executed_op_memory_128b", "inst",
            "memory instructions of 128 bit per thread"),
      Exact("sass_memory_64b_inst", "smsp__sass_inst_executed_op_memory_64b", "inst",
            "memory instructions of 64 bit per thread"),
      Exact("sass_memory_32b_inst", "smsp__sass_inst_executed_op_memory_32b", "inst",
            "memory instructions of 32 bit per thread"),
      Exact("sass_memory_16b_inst", "smsp__sass_inst_executed_op_memory_16b", "inst",
            "memory instructions of 16 bit per thread"),
      Exact("sass_memory_8b_inst", "smsp__sass_inst_executed_op_memory_8b", "inst",
            "memory instructions of 8 bit per thread"),
      Exact("sass_global_inst", "smsp__sass_inst_executed_op_global", "inst",
            "global-memory instructions, atomics among them"),
      Exact("sass_global_load_inst", "smsp__sass_inst_executed_op_global_ld", "inst", "global loads",
            "smsp__sass_inst_executed_op_global_ld.sum"),
      Exact("sass_global_store_inst", "smsp__sass_inst_executed_op_global_st", "inst", "global stores",
            "smsp__sass_inst_executed_op_global_st.sum"),
      Exact("sass_global_sectors", "smsp__sass_sectors_mem_global", "sector", "global sectors that the addresses touch",
            "memory_l2_theoretical_sectors_global"),
      Exact("sass_global_sectors_ideal", "smsp__sass_sectors_mem_global_ideal", "sector",
            "sectors that the same bytes would touch if coalesced", "memory_l2_theoretical_sectors_global_ideal"),
      Exact("sass_local_sectors", "smsp__sass_sectors_mem_local", "sector", "local sectors that the addresses touch",
            "memory_l2_theoretical_sectors_local"),
      Exact("sass_local_inst", "smsp__sass_inst_executed_op_local", "inst", "local-memory instructions"),
      Exact("sass_local_load_inst", "smsp__sass_inst_executed_op_local_ld", "inst", "local loads",
            "smsp__sass_inst_executed_op_local_ld.sum"),
      Exact("sass_local_store_inst", "smsp__sass_inst_executed_op_local_st", "inst", "local stores",
            "smsp__sass_inst_executed_op_local_st.sum"),
      Exact("sass_thread_inst", "smsp__sass_thread_inst_executed", "thread-inst",
            "thread instructions, counted one by one, predicated-off ones included", "thread_inst_executed"),
      Exact("sass_thread_inst_on", "smsp__sass_thread_inst_executed_pred_on", "thread-inst",
            "thread instructions that no predicate switches off, counted one by one", "thread_inst_executed_true"),
      Exact("sass_branches_apart", "smsp__sass_branch_targets_threads_divergent", "branch",
            "executions of branches at which the lanes of a warp went apart, counted one by one",
            "smsp__sass_branch_targets_threads_divergent.sum"),
  };
  return table;
}

bool Covers(std::string_view prefixes, std::string_view chip) {
  while (!prefixes.empty()) {
    const auto end = prefixes.find(' ');
    if (chip.starts_with(prefixes.substr(0, end))) return true;
    prefixes = end == prefixes.npos ? std::string_view{} : prefixes.substr(end + 1);
  }
  return false;
}

}  // namespace

std::span<const CatalogueMetric> MetricCatalogue() { return Table(); }

const CatalogueMetric* FindMetric(std::string_view id) {
  const auto found = std::ranges::find(Table(), id, &CatalogueMetric::id);
  return found == Table().end() ? nullptr : &*found;
}

std::optional<std::string_view> NameOn(const CatalogueMetric& metric, std::string_view chip) {
  for (const ChipSpelling& other : metric.other) {
    if (!Covers(other.chips, chip)) continue;
    if (other.name.empty()) return std::nullopt;
    return other.name;
  }
  return metric.name;
}

std::string_view ChipWith(int cc_major, int cc_minor) {
  // CUDA C++ Programming Guide, "Compute Capabilities", and CUPTI's chip names (CUDA 13.0).
  static constexpr struct {
    int cc;
    std::string_view chip;
  } kChips[] = {{70, "GV100"}, {75, "TU102"},  {80, "GA100"},  {86, "GA102"},  {87, "GA10B"},  {89, "AD102"},
                {90, "GH100"}, {100, "GB100"}, {103, "GB100"}, {110, "GB10B"}, {120, "GB202"}, {121, "GB20B"}};
  for (const auto& known : kChips)
    if (known.cc == 10 * cc_major + cc_minor) return known.chip;
  return "";
}

std::optional<std::string_view> NcuNameOn(const CatalogueMetric& metric, std::string_view chip) {
  const auto name = NameOn(metric, chip);
  if (!name || metric.source == kRange) return name;
  return metric.ncu.empty() ? std::nullopt : std::optional<std::string_view>(metric.ncu);
}

MetricDefinition DefinitionOf(const CatalogueMetric& metric, std::string_view cupti_name) {
  return {metric.id, metric.source == kRange ? "range" : "sass", std::string(cupti_name), metric.unit, metric.meaning};
}

std::vector<MetricDefinition> MetricsOf(MetricSource source, MetricSet set, std::string_view chip,
                                        std::optional<Counting> counting) {
  std::vector<MetricDefinition> metrics;
  for (const CatalogueMetric& m : Table())
    if (m.source == source && (set == kFull || m.set == kCore) && (!counting || m.counting == *counting))
      metrics.push_back(DefinitionOf(m, NameOn(m, chip).value_or("")));
  return metrics;
}

}  // namespace culprit
