// SPDX-License-Identifier: Apache-2.0
#include "db/metric_catalogue.h"

#include <array>

namespace culprit {
namespace {

using enum MetricSource;
using enum MetricSet;
using enum Counting;

// Seen in CUPTI's lists for GV100 to GB20x (CUDA 13.0): gmma exists on Hopper alone, imc_miss is gone from Blackwell.
constexpr std::string_view kNotHopper = "GV TU GA AD GB";
constexpr std::string_view kWithoutTensorHfma2 = "GV TU GA102 GA103 GA104 GA106 GA107 AD GB";
constexpr std::string_view kBeforeHopper = "GV TU GA AD";
constexpr std::string_view kBlackwell = "GB";
constexpr std::string_view kVolta = "GV";
constexpr std::string_view kWithFp16Pipe = "GV TU GA100";
// Orin, Thor and Spark share the CPU's memory, and CUPTI lists no dram__ counters for them.
constexpr std::string_view kIntegrated = "GA10B GB10B GB20B";

// CUPTI's own one-line descriptions, shortened. `.sum` adds all SM sub-partitions (smsp), SMs, L1s or L2 slices.
const std::vector<CatalogueMetric>& Table() {
  static const std::vector<CatalogueMetric> table = {
      // --- cycles, warps, issue: the terms of T = I x (W/I) x (A/W) x (E/A) / f ---
      {"sm_cycles_elapsed_max", kRange, kCore, kVaries, "sm__cycles_elapsed.max", "cycle",
       "SM cycles from start to end, longest SM"},
      {"counted_time_ns", kRange, kCore, kVaries, "gpu__time_duration.sum", "ns",
       "time of the counted execution by the GPU's clock; with sm_cycles_elapsed_max the SM clock that it ran at"},
      {"smsp_cycles_elapsed", kRange, kCore, kVaries, "smsp__cycles_elapsed.sum", "cycle",
       "cycles elapsed, summed over sub-partitions (E)"},
      {"smsp_cycles_active", kRange, kCore, kVaries, "smsp__cycles_active.sum", "cycle",
       "cycles with at least one resident warp, summed over sub-partitions (A)"},
      {"sm_cycles_active_max", kRange, kCore, kVaries, "sm__cycles_active.max", "cycle",
       "active cycles of the busiest SM"},
      {"sm_cycles_active_min", kRange, kCore, kVaries, "sm__cycles_active.min", "cycle",
       "active cycles of the idlest SM"},
      {"warps_active", kRange, kCore, kVaries, "smsp__warps_active.sum", "warp-cycle",
       "resident warps, summed over cycles (W)"},
      {"warps_eligible", kRange, kCore, kVaries, "smsp__warps_eligible.sum", "warp-cycle",
       "warps able to issue, summed over cycles"},
      {"inst_issued", kRange, kCore, kVaries, "smsp__inst_issued.sum", "inst",
       "warp instructions issued, replays included (I)"},
      {"inst_executed", kRange, kCore, kEqual, "smsp__inst_executed.sum", "inst", "warp instructions executed"},
      {"thread_inst_executed", kRange, kCore, kEqual, "smsp__thread_inst_executed.sum", "thread-inst",
       "thread instructions executed, predicated-off ones included"},
      {"threads_per_inst", kRange, kCore, kEqual, "smsp__thread_inst_executed_per_inst_executed.ratio", "thread",
       "active threads per warp instruction; 32 means no divergence"},
      {"issue_active", kRange, kCore, kVaries, "smsp__issue_active.sum", "cycle",
       "cycles in which a sub-partition issued"},
      {"issue_slot_pct", kRange, kCore, kVaries, "smsp__issue_active.avg.pct_of_peak_sustained_active", "%",
       "issue slots used while active"},
      {"achieved_occupancy_pct", kRange, kCore, kVaries, "sm__warps_active.avg.pct_of_peak_sustained_active", "%",
       "resident warps against the SM's maximum while active"},

      // --- stalls: each resident warp is in exactly one of these states each cycle ---
      {"stall_selected", kRange, kCore, kVaries, "smsp__warps_issue_stalled_selected.sum", "warp-cycle",
       "issuing: this is work, not a stall"},
      {"stall_not_selected", kRange, kCore, kVaries, "smsp__warps_issue_stalled_not_selected.sum", "warp-cycle",
       "eligible, but another warp issued"},
      {"stall_long_scoreboard", kRange, kCore, kVaries, "smsp__warps_issue_stalled_long_scoreboard.sum", "warp-cycle",
       "waiting for global, local, surface or texture memory"},
      {"stall_short_scoreboard", kRange, kCore, kVaries, "smsp__warps_issue_stalled_short_scoreboard.sum", "warp-cycle",
       "waiting for shared memory or another MIO result"},
      {"stall_mio_throttle", kRange, kCore, kVaries, "smsp__warps_issue_stalled_mio_throttle.sum", "warp-cycle",
       "memory input/output queue full"},
      {"stall_lg_throttle", kRange, kCore, kVaries, "smsp__warps_issue_stalled_lg_throttle.sum", "warp-cycle",
       "local and global memory queue full"},
      {"stall_tex_throttle", kRange, kCore, kVaries, "smsp__warps_issue_stalled_tex_throttle.sum", "warp-cycle",
       "texture queue full"},
      {"stall_barrier", kRange, kCore, kVaries, "smsp__warps_issue_stalled_barrier.sum", "warp-cycle",
       "waiting for sibling warps at a barrier"},
      {"stall_membar", kRange, kCore, kVaries, "smsp__warps_issue_stalled_membar.sum", "warp-cycle",
       "waiting on a memory barrier"},
      {"stall_wait", kRange, kCore, kVaries, "smsp__warps_issue_stalled_wait.sum", "warp-cycle",
       "fixed-latency dependency"},
      {"stall_math_pipe_throttle", kRange, kCore, kVaries, "smsp__warps_issue_stalled_math_pipe_throttle.sum",
       "warp-cycle", "math pipe busy"},
      {"stall_dispatch_stall", kRange, kCore, kVaries, "smsp__warps_issue_stalled_dispatch_stall.sum", "warp-cycle",
       "dispatcher held back, register bank conflicts among the reasons"},
      {"stall_branch_resolving", kRange, kCore, kVaries, "smsp__warps_issue_stalled_branch_resolving.sum", "warp-cycle",
       "branch target not yet known"},
      {"stall_no_instruction", kRange, kCore, kVaries, "smsp__warps_issue_stalled_no_instruction.sum", "warp-cycle",
       "instruction not fetched: cache miss or jump"},
      {"stall_imc_miss",
       kRange,
       kCore,
       kVaries,
       "smsp__warps_issue_stalled_imc_miss.sum",
       "warp-cycle",
       "immediate constant cache miss",
       {{kBlackwell, ""}}},
      {"stall_drain", kRange, kCore, kVaries, "smsp__warps_issue_stalled_drain.sum", "warp-cycle",
       "exited, stores not yet drained"},
      {"stall_sleeping", kRange, kCore, kVaries, "smsp__warps_issue_stalled_sleeping.sum", "warp-cycle",
       "sleeping by request"},
      {"stall_gmma",
       kRange,
       kCore,
       kVaries,
       "smsp__warps_issue_stalled_gmma.sum",
       "warp-cycle",
       "waiting for a warpgroup matrix instruction",
       {{kNotHopper, ""}}},
      {"stall_misc", kRange, kCore, kVaries, "smsp__warps_issue_stalled_misc.sum", "warp-cycle",
       "none of the other reasons"},

      // --- shared memory, as the hardware counts it ---
      {"shared_load_inst", kRange, kCore, kEqual, "smsp__inst_executed_op_shared_ld.sum", "inst",
       "shared loads (LDS, LD)"},
      {"shared_store_inst", kRange, kCore, kEqual, "smsp__inst_executed_op_shared_st.sum", "inst",
       "shared stores (STS, ST)"},
      {"shared_ldsm_inst",
       kRange,
       kCore,
       kEqual,
       "smsp__inst_executed_op_ldsm.sum",
       "inst",
       "matrix loads (LDSM)",
       {{kVolta, ""}}},
      {"shared_ldsm_wavefronts",
       kRange,
       kCore,
       kEqual,
       "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum",
       "wavefront",
       "data-stage cycles spent on matrix loads",
       {{kVolta, ""}}},
      {"shared_ldsm_conflicts_hw",
       kRange,
       kCore,
       kEqual,
       "smsp__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldsm.sum",
       "wavefront",
       "matrix-load bank conflicts as the hardware counter says",
       {{kVolta, ""}}},
      {"shared_atom_inst", kRange, kCore, kEqual, "smsp__inst_executed_op_shared_atom.sum", "inst", "shared atomics"},
      {"shared_wavefronts", kRange, kCore, kVaries, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", "wavefront",
       "data-stage cycles spent on shared memory"},
      {"shared_load_wavefronts", kRange, kCore, kVaries, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
       "wavefront", "data-stage cycles spent on shared loads"},
      {"shared_store_wavefronts", kRange, kCore, kVaries, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
       "wavefront", "data-stage cycles spent on shared stores"},
      {"shared_conflicts_hw", kRange, kCore, kVaries, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "wavefront",
       "bank conflicts as the hardware counter says: lost arbitration is counted too"},
      {"shared_load_conflicts_hw", kRange, kCore, kVaries, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
       "wavefront", "load bank conflicts as the hardware counter says"},
      {"shared_store_conflicts_hw", kRange, kCore, kVaries, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
       "wavefront", "store bank conflicts as the hardware counter says"},
      {"shared_wavefronts_pct", kRange, kCore, kVaries,
       "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed", "%",
       "shared wavefronts against one per SM and cycle"},
      {"shared_load_wavefronts_pct", kRange, kCore, kVaries,
       "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum.pct_of_peak_sustained_elapsed", "%",
       "shared-load wavefronts against one per SM and cycle"},
      {"shared_store_wavefronts_pct", kRange, kCore, kVaries,
       "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum.pct_of_peak_sustained_elapsed", "%",
       "shared-store wavefronts against one per SM and cycle"},

      // --- local memory: register arrays and spills that live in device memory ---
      {"local_load_inst", kRange, kCore, kEqual, "smsp__inst_executed_op_local_ld.sum", "inst", "local loads (LDL)"},
      {"local_store_inst", kRange, kCore, kEqual, "smsp__inst_executed_op_local_st.sum", "inst", "local stores (STL)"},
      {"local_load_requests", kRange, kCore, kEqual, "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", "request",
       "local-load requests to L1"},
      {"local_store_requests", kRange, kCore, kEqual, "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", "request",
       "local-store requests to L1"},
      {"local_load_sectors", kRange, kCore, kEqual, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "sector",
       "32-byte sectors of local loads"},
      {"local_store_sectors", kRange, kCore, kEqual, "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", "sector",
       "32-byte sectors of local stores"},

      // --- global memory ---
      {"global_load_inst", kRange, kCore, kEqual, "smsp__inst_executed_op_global_ld.sum", "inst", "global loads (LDG)"},
      {"global_store_inst", kRange, kCore, kEqual, "smsp__inst_executed_op_global_st.sum", "inst",
       "global stores (STG)"},
      {"global_load_requests", kRange, kCore, kEqual, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "request",
       "global-load requests to L1"},
      {"global_store_requests", kRange, kCore, kEqual, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "request",
       "global-store requests to L1"},
      {"global_load_sectors", kRange, kCore, kEqual, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sector",
       "32-byte sectors of global loads"},
      {"global_store_sectors", kRange, kCore, kEqual, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "sector",
       "32-byte sectors of global stores"},

      // --- caches and DRAM ---
      {"l1_sectors_hit", kRange, kCore, kVaries, "l1tex__t_sectors_lookup_hit.sum", "sector",
       "L1 sector look-ups that hit"},
      {"l1_sectors_miss", kRange, kCore, kVaries, "l1tex__t_sectors_lookup_miss.sum", "sector",
       "L1 sector look-ups that missed"},
      {"l2_sectors", kRange, kCore, kVaries, "lts__t_sectors.sum", "sector", "L2 sectors, all sources"},
      {"l2_sectors_from_l1", kRange, kCore, kVaries, "lts__t_sectors_srcunit_tex.sum", "sector",
       "L2 sectors that L1 asked for, without traffic within L2"},
      {"l2_read_sectors", kRange, kCore, kVaries, "lts__t_sectors_op_read.sum", "sector", "L2 sectors read"},
      {"l2_write_sectors", kRange, kCore, kVaries, "lts__t_sectors_op_write.sum", "sector", "L2 sectors written"},
      {"l2_sectors_hit", kRange, kCore, kVaries, "lts__t_sectors_lookup_hit.sum", "sector",
       "L2 sector look-ups that hit"},
      {"l2_sectors_miss", kRange, kCore, kVaries, "lts__t_sectors_lookup_miss.sum", "sector",
       "L2 sector look-ups that missed"},
      {"dram_read_bytes",
       kRange,
       kCore,
       kVaries,
       "dram__bytes_read.sum",
       "byte",
       "bytes read from device memory",
       {{kIntegrated, ""}, {"GB20", "dram__bytes_op_read.sum"}}},
      {"dram_write_bytes",
       kRange,
       kCore,
       kVaries,
       "dram__bytes_write.sum",
       "byte",
       "bytes written to device memory",
       {{kIntegrated, ""}, {"GB20", "dram__bytes_op_write.sum"}}},

      // --- instructions by kind and by pipe ---
      {"ffma_thread_inst", kRange, kCore, kEqual, "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", "thread-inst",
       "FFMA thread instructions, predicated on"},
      {"fp32_thread_inst", kRange, kCore, kEqual, "smsp__sass_thread_inst_executed_op_fp32_pred_on.sum", "thread-inst",
       "single-precision thread instructions, predicated on"},
      {"conversion_thread_inst", kRange, kCore, kEqual, "smsp__sass_thread_inst_executed_op_conversion_pred_on.sum",
       "thread-inst", "conversions between number formats, predicated on"},
      {"integer_thread_inst", kRange, kCore, kEqual, "smsp__sass_thread_inst_executed_op_integer_pred_on.sum",
       "thread-inst", "integer thread instructions, predicated on"},
      {"fp16_thread_inst", kRange, kCore, kEqual, "smsp__sass_thread_inst_executed_op_fp16_pred_on.sum", "thread-inst",
       "half-precision thread instructions, predicated on"},
      {"fp64_thread_inst", kRange, kCore, kEqual, "smsp__sass_thread_inst_executed_op_fp64_pred_on.sum", "thread-inst",
       "double-precision thread instructions, predicated on"},
      {"pipe_fma_inst", kRange, kCore, kEqual, "smsp__inst_executed_pipe_fma.sum", "inst", "FMA pipe"},
      {"pipe_alu_inst", kRange, kCore, kEqual, "smsp__inst_executed_pipe_alu.sum", "inst",
       "ALU pipe: integer, logic, conversions of 32 bit"},
      {"pipe_lsu_inst", kRange, kCore, kEqual, "smsp__inst_executed_pipe_lsu.sum", "inst", "load/store unit"},
      {"pipe_fp64_inst", kRange, kCore, kEqual, "smsp__inst_executed_pipe_fp64.sum", "inst", "FP64 pipe"},
      {"pipe_fp16_inst",
       kRange,
       kCore,
       kEqual,
       "smsp__inst_executed_pipe_fma_type_fp16.sum",
       "inst",
       "half-precision instructions, on the FMA pipe or, where the chip has one, the FP16 pipe",
       {{kWithFp16Pipe, "smsp__inst_executed_pipe_fp16.sum"}}},
      {"pipe_tex_inst", kRange, kCore, kEqual, "smsp__inst_executed_pipe_tex.sum", "inst", "texture pipe"},
      {"pipe_xu_inst", kRange, kCore, kEqual, "smsp__inst_executed_pipe_xu.sum", "inst",
       "XU pipe: special functions and conversions"},
      // Compilers move constants with HFMA2.MMA, which runs on the tensor pipe of GH100: a kernel without any matrix
      // multiplication has some.
      {"pipe_tensor_inst", kRange, kCore, kEqual, "smsp__inst_executed_pipe_tensor.sum", "inst",
       "tensor pipe; HFMA2.MMA, with which single-precision kernels move constants, included"},
      {"tensor_hmma_inst",
       kRange,
       kCore,
       kEqual,
       "smsp__inst_executed_pipe_tensor_op_hmma.sum",
       "inst",
       "tensor pipe: matrix multiplications of a warp on 16-bit and TF32 inputs, and HFMA2.MMA (tensor_hfma2_inst)",
       {{"GB20", "smsp__inst_executed_pipe_tensor_subpipe_hmma_op_hmma.sum"}, {kBlackwell, ""}}},
      {"tensor_hfma2_inst",
       kRange,
       kFull,
       kEqual,
       "smsp__inst_executed_pipe_tensor_op_hmma_type_hfma2.sum",
       "inst",
       "tensor pipe: HFMA2.MMA, also constant moves; the matrix multiplications are tensor_hmma_inst less these",
       {{kWithoutTensorHfma2, ""}}},
      {"tensor_gmma_inst",
       kRange,
       kCore,
       kEqual,
       "smsp__inst_executed_pipe_tensor_op_gmma.sum",
       "inst",
       "tensor pipe: matrix multiplications of a warpgroup",
       {{kNotHopper, ""}}},
      {"pipe_uniform_inst",
       kRange,
       kCore,
       kEqual,
       "smsp__inst_executed_pipe_uniform.sum",
       "inst",
       "uniform datapath",
       {{kVolta, ""}}},
      {"pipe_cbu_inst", kRange, kCore, kEqual, "smsp__inst_executed_pipe_cbu.sum", "inst",
       "control: branches, barriers, exits"},

      // --- bulk copies, which no request of a warp counts ---
      {"tma_load_inst",
       kRange,
       kFull,
       kEqual,
       "smsp__inst_executed_op_tma_ld.sum",
       "inst",
       "bulk copies to shared memory, one of a tensor's box or of a run of bytes each",
       {{kBeforeHopper, ""}}},
      {"tma_read_bytes",
       kRange,
       kFull,
       kEqual,
       "l1tex__m_xbar2l1tex_read_bytes_pipe_tma.sum",
       "byte",
       "bytes that bulk copies read from L2, in whole sectors",
       {{kBeforeHopper, ""}}},

      // --- core: atomics ---
      {"global_atom_requests", kRange, kCore, kEqual, "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "request",
       "global atomics that return a value (ATOM), requests to L1"},
      {"global_red_requests", kRange, kCore, kEqual, "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "request",
       "global reductions, atomics that return nothing (RED), requests to L1"},
      {"global_atom_sectors", kRange, kCore, kEqual, "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "sector",
       "32-byte sectors of global atomics"},
      {"global_red_sectors", kRange, kCore, kEqual, "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", "sector",
       "32-byte sectors of global reductions"},
      {"l2_atomic_cycles", kRange, kCore, kVaries, "lts__d_atomic_input_cycles_active.sum", "cycle",
       "cycles in which an L2 slice's atomic unit took input"},
      {"shared_atom_wavefronts", kRange, kCore, kVaries, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum",
       "wavefront", "data-stage cycles spent on shared atomics"},

      // --- core: fetching instructions and constants ---
      {"icc_requests", kRange, kCore, kVaries, "sm__icc_requests.sum", "request",
       "requests to the SM's instruction cache"},
      {"icc_misses", kRange, kCore, kVaries, "sm__icc_requests_lookup_miss.sum", "request",
       "of those, misses in the SM's instruction cache"},
      {"imc_misses",
       kRange,
       kCore,
       kVaries,
       "smsp__imc_requests_lookup_miss.sum",
       "request",
       "misses in the cache of immediate constants",
       {{kBlackwell, ""}}},
      {"idc_requests", kRange, kCore, kVaries, "idc__requests.sum", "request",
       "requests to the cache of indexed constants"},
      {"idc_misses", kRange, kCore, kVaries, "idc__requests_lookup_miss.sum", "request", "of those, misses"},
      {"idc_replays", kRange, kCore, kVaries, "sm__idc_divergent_instruction_replays.sum", "inst",
       "replays of constant loads whose lanes ask for different addresses"},
      {"pipe_adu_inst", kRange, kCore, kEqual, "smsp__inst_executed_pipe_adu.sum", "inst",
       "address divergence unit: constant loads, barriers, warp votes"},
      {"branch_inst", kRange, kCore, kEqual, "smsp__inst_executed_op_branch.sum", "inst", "branches"},
      {"divergent_branch_targets", kRange, kCore, kEqual, "smsp__sass_branch_targets_threads_divergent.sum", "branch",
       "branches that sent lanes of one warp different ways"},

      // --- full: percentages of peak, several passes each ---
      {"sm_throughput_pct", kRange, kFull, kVaries, "sm__throughput.avg.pct_of_peak_sustained_elapsed", "%",
       "SM: busiest of its pipes and queues"},
      {"memory_throughput_pct", kRange, kFull, kVaries,
       "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "%", "memory system: busiest part"},
      {"l1_throughput_pct", kRange, kFull, kVaries, "l1tex__throughput.avg.pct_of_peak_sustained_active", "%",
       "L1: busiest part"},
      {"l2_throughput_pct", kRange, kFull, kVaries, "lts__throughput.avg.pct_of_peak_sustained_elapsed", "%",
       "L2: busiest part"},
      {"dram_throughput_pct",
       kRange,
       kFull,
       kVaries,
       "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
       "%",
       "device memory: busiest part",
       {{kIntegrated, ""}}},
      {"fma_pipe_pct", kRange, kFull, kVaries, "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active", "%",
       "FMA pipe use while active"},
      {"tensor_pipe_pct", kRange, kFull, kVaries, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", "%",
       "tensor pipe use while active, by HFMA2.MMA as well"},
      {"lsu_pipe_pct", kRange, kFull, kVaries, "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active", "%",
       "load/store unit use while active"},
      {"fp64_pipe_pct", kRange, kFull, kVaries, "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_active", "%",
       "FP64 pipe use while active"},
      {"xu_pipe_pct", kRange, kFull, kVaries, "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active", "%",
       "XU pipe use while active"},
      {"alu_pipe_pct", kRange, kFull, kVaries, "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active", "%",
       "ALU pipe use while active"},

      // --- full: exact counts by patched code, a process each (see sass_collector.h) ---
      {"sass_inst",
       kSass,
       kFull,
       kEqual,
       "smsp__sass_inst_executed",
       "inst",
       "warp instructions, counted one by one",
       {},
       "inst_executed"},
      {"sass_shared_wavefronts",
       kSass,
       kFull,
       kEqual,
       "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared",
       "wavefront",
       "shared-memory wavefronts that the addresses require",
       {},
       "memory_l1_wavefronts_shared"},
      {"sass_shared_wavefronts_ideal",
       kSass,
       kFull,
       kEqual,
       "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal",
       "wavefront",
       "wavefronts that the same bytes would require without bank conflicts",
       {},
       "memory_l1_wavefronts_shared_ideal"},
      {"sass_shared_inst",
       kSass,
       kFull,
       kEqual,
       "smsp__sass_inst_executed_op_shared",
       "inst",
       "shared-memory instructions",
       {},
       "smsp__sass_inst_executed_op_shared.sum"},
      {"sass_shared_load_inst",
       kSass,
       kFull,
       kEqual,
       "smsp__sass_inst_executed_op_shared_ld",
       "inst",
       "shared loads",
       {},
       "smsp__sass_inst_executed_op_shared_ld.sum"},
      {"sass_shared_store_inst",
       kSass,
       kFull,
       kEqual,
       "smsp__sass_inst_executed_op_shared_st",
       "inst",
       "shared stores",
       {},
       "smsp__sass_inst_executed_op_shared_st.sum"},
      {"sass_ldsm_inst",
       kSass,
       kFull,
       kEqual,
       "smsp__sass_inst_executed_op_ldsm",
       "inst",
       "matrix loads from shared memory (LDSM), not among the shared loads",
       {},
       "smsp__inst_executed_op_ldsm.sum"},
      {"sass_stsm_inst",
       kSass,
       kFull,
       kEqual,
       "smsp__sass_inst_executed_op_shared_stsm",
       "inst",
       "matrix stores to shared memory (STSM), not among the shared stores",
       {{kBeforeHopper, ""}},
       "smsp__inst_executed_op_shared_stsm.sum"},
      {"sass_ldgsts_inst",
       kSass,
       kFull,
       kEqual,
       "smsp__sass_inst_executed_op_ldgsts",
       "inst",
       "asynchronous copies from global to shared memory (LDGSTS)",
       {},
       "smsp__inst_executed_op_ldgsts.sum"},
      {"sass_memory_128b_inst", kSass, kFull, kEqual, "smsp__sass_inst_executed_op_memory_128b", "inst",
       "memory instructions of 128 bit per thread"},
      {"sass_memory_64b_inst", kSass, kFull, kEqual, "smsp__sass_inst_executed_op_memory_64b", "inst",
       "memory instructions of 64 bit per thread"},
      {"sass_memory_32b_inst", kSass, kFull, kEqual, "smsp__sass_inst_executed_op_memory_32b", "inst",
       "memory instructions of 32 bit per thread"},
      {"sass_memory_16b_inst", kSass, kFull, kEqual, "smsp__sass_inst_executed_op_memory_16b", "inst",
       "memory instructions of 16 bit per thread"},
      {"sass_memory_8b_inst", kSass, kFull, kEqual, "smsp__sass_inst_executed_op_memory_8b", "inst",
       "memory instructions of 8 bit per thread"},
      {"sass_global_inst", kSass, kFull, kEqual, "smsp__sass_inst_executed_op_global", "inst",
       "global-memory instructions, atomics among them"},
      {"sass_global_load_inst",
       kSass,
       kFull,
       kEqual,
       "smsp__sass_inst_executed_op_global_ld",
       "inst",
       "global loads",
       {},
       "smsp__sass_inst_executed_op_global_ld.sum"},
      {"sass_global_store_inst",
       kSass,
       kFull,
       kEqual,
       "smsp__sass_inst_executed_op_global_st",
       "inst",
       "global stores",
       {},
       "smsp__sass_inst_executed_op_global_st.sum"},
      {"sass_global_sectors",
       kSass,
       kFull,
       kEqual,
       "smsp__sass_sectors_mem_global",
       "sector",
       "global sectors that the addresses touch",
       {},
       "memory_l2_theoretical_sectors_global"},
      {"sass_global_sectors_ideal",
       kSass,
       kFull,
       kEqual,
       "smsp__sass_sectors_mem_global_ideal",
       "sector",
       "sectors that the same bytes would touch if coalesced",
       {},
       "memory_l2_theoretical_sectors_global_ideal"},
      {"sass_local_sectors",
       kSass,
       kFull,
       kEqual,
       "smsp__sass_sectors_mem_local",
       "sector",
       "local sectors that the addresses touch",
       {},
       "memory_l2_theoretical_sectors_local"},
      {"sass_local_inst", kSass, kFull, kEqual, "smsp__sass_inst_executed_op_local", "inst",
       "local-memory instructions"},
      {"sass_local_load_inst",
       kSass,
       kFull,
       kEqual,
       "smsp__sass_inst_executed_op_local_ld",
       "inst",
       "local loads",
       {},
       "smsp__sass_inst_executed_op_local_ld.sum"},
      {"sass_local_store_inst",
       kSass,
       kFull,
       kEqual,
       "smsp__sass_inst_executed_op_local_st",
       "inst",
       "local stores",
       {},
       "smsp__sass_inst_executed_op_local_st.sum"},
      {"sass_thread_inst",
       kSass,
       kFull,
       kEqual,
       "smsp__sass_thread_inst_executed",
       "thread-inst",
       "thread instructions, counted one by one, predicated-off ones included",
       {},
       "thread_inst_executed"},
      {"sass_thread_inst_on",
       kSass,
       kFull,
       kEqual,
       "smsp__sass_thread_inst_executed_pred_on",
       "thread-inst",
       "thread instructions that no predicate switches off, counted one by one",
       {},
       "thread_inst_executed_true"},
      {"sass_branches_apart",
       kSass,
       kFull,
       kEqual,
       "smsp__sass_branch_targets_threads_divergent",
       "branch",
       "executions of branches at which the lanes of a warp went apart, counted one by one",
       {},
       "smsp__sass_branch_targets_threads_divergent.sum"},
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

// The core set is part of the full one.
bool BelongsTo(const CatalogueMetric& metric, MetricSource source, MetricSet set) {
  return metric.source == source && (set == kFull || metric.set == kCore);
}

template <class Wanted>
std::vector<MetricDefinition> Definitions(std::string_view chip, const Wanted& wanted) {
  std::vector<MetricDefinition> metrics;
  for (const CatalogueMetric& m : Table())
    if (wanted(m)) metrics.push_back(DefinitionOf(m, NameOn(m, chip).value_or("")));
  return metrics;
}

}  // namespace

std::span<const CatalogueMetric> MetricCatalogue() { return Table(); }

std::optional<std::string_view> NameOn(const CatalogueMetric& metric, std::string_view chip) {
  for (const ChipSpelling& other : metric.other) {
    if (!Covers(other.chips, chip)) continue;
    if (other.name.empty()) return std::nullopt;
    return other.name;
  }
  return metric.name;
}

std::string_view ChipWith(int cc_major, int cc_minor) {
  // CUDA C++ Programming Guide, "Compute Capabilities", and CUPTI's names of their chips (CUDA 13.0).
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
  return metric.ncu.empty() ? std::nullopt : std::optional(metric.ncu);
}

MetricDefinition DefinitionOf(const CatalogueMetric& metric, std::string_view cupti_name) {
  return {std::string(metric.id), metric.source == kRange ? "range" : "sass", std::string(cupti_name),
          std::string(metric.unit), std::string(metric.meaning)};
}

std::vector<MetricDefinition> MetricsOf(MetricSource source, MetricSet set, std::string_view chip) {
  return Definitions(chip, [&](const CatalogueMetric& m) { return BelongsTo(m, source, set); });
}

std::vector<MetricDefinition> MetricsOf(MetricSource source, MetricSet set, std::string_view chip, Counting counting) {
  return Definitions(chip,
                     [&](const CatalogueMetric& m) { return BelongsTo(m, source, set) && m.counting == counting; });
}

std::span<const std::string_view> StallReasons() {
  static const std::vector<std::string_view> reasons = [] {
    std::vector<std::string_view> found;
    for (const CatalogueMetric& m : Table())
      if (m.id.starts_with("stall_")) found.push_back(m.id.substr(6));
    return found;
  }();
  return reasons;
}

}  // namespace culprit
