// SPDX-License-Identifier: Apache-2.0
#include "db/sampled_counters.h"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <stdexcept>

#include "db/metric_catalogue.h"

namespace culprit {
namespace {

const CounterTurn kLocalMemory = {"sectors of local memory",
                                  {
                                      {kClockCounter, "sm__cycles_elapsed.max"},
                                      {"local_load_sectors", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"},
                                      {"local_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"},
                                  }};

// Names of the group TriageCompute count all SMs in one pass with many others. Plain names of the same counters need
// passes of their own.
const std::vector<CounterTurn> kHopper = {
    {"instructions, pipes, L1, L2 and device memory",
     {
         {kClockCounter, "sm__cycles_elapsed.max"},
         {"inst_executed", "TPC.TriageCompute.sm__inst_executed_realtime.sum"},
         {"warps_active", "TPC.TriageCompute.tpc__warps_active_shader_cs_realtime.sum"},
         // The plain counter of sub-partitions does not start beside these. An SM with a warp counts for all its four.
         {"smsp_cycles_active", "TPC.TriageCompute.sm__cycles_active.sum", 4},
         {"pipe_alu_inst", "TPC.TriageCompute.sm__inst_executed_pipe_alu_realtime.sum"},
         {"pipe_fma_halves_inst", "TPC.TriageCompute.sm__inst_executed_pipe_fma_realtime.sum"},
         {"sass_thread_inst_on", "SM_A.TriageCompute.sm__thread_inst_executed_pred_on_realtime.sum"},
         {"tensor_pipe_cycles", "TPC.TriageCompute.sm__pipe_tensor_cycles_active_realtime.sum"},
         {"pipe_xu_inst", "SM_A.TriageCompute.sm__inst_executed_pipe_xu_realtime.sum"},
         {"l1_sectors_hit", "SM_B.TriageCompute.l1tex__t_sectors_lookup_hit.sum"},
         {"l1_sectors_miss", "SM_B.TriageCompute.l1tex__t_sectors_lookup_miss.sum"},
         {"l2_sectors", "lts__t_sectors.sum"},
         {"l2_sectors_from_l1", "lts__t_sectors_srcunit_tex.sum"},
         {"dram_read_bytes", "dram__bytes_read.sum"},
         {"dram_write_bytes", "dram__bytes_write.sum"},
     }},
    {"wavefronts of shared memory and their conflicts, and requests of constants",
     {
         {kClockCounter, "sm__cycles_elapsed.max"},
         {"pipe_uniform_inst", "SM_A.TriageCompute.sm__inst_executed_pipe_uniform_realtime.sum"},
         {"shared_wavefronts", "SM_A.TriageCompute.l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"},
         {"shared_conflicts_hw", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"},
         {"idc_requests", "idc__requests.sum"},
     }},
    kLocalMemory,
    {"loads and stores of shared memory apart, and misses of the instruction cache",
     {
         {kClockCounter, "sm__cycles_elapsed.max"},
         {"shared_load_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
         {"shared_store_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
         {"icc_misses", "sm__icc_requests_lookup_miss.sum"},
     }},
    {"misses of the cache of immediate constants",
     {
         {kClockCounter, "sm__cycles_elapsed.max"},
         {"imc_misses", "smsp__imc_requests_lookup_miss.sum"},
     }},
};

// The lists below were made by CUPTI's host library, counter by counter in the same order: the name with the group or
// without it, in the first list that still is one pass. Left out are counters that need two passes, and instructions of
// the FMA pipe where no counter adds up its halves.
const std::vector<CounterTurn> kDataCentreBlackwell = {
    {"instructions, pipes, shared memory, L2 and device memory",
     {
         {kClockCounter, "sm__cycles_elapsed.max"},
         {"inst_executed", "TPC.TriageCompute.sm__inst_executed_realtime.sum"},
         {"warps_active", "TPC.TriageCompute.tpc__warps_active_shader_cs_realtime.sum"},
         {"smsp_cycles_active", "TPC.TriageCompute.sm__cycles_active.sum", 4},
         {"pipe_alu_inst", "TPC.TriageCompute.sm__inst_executed_pipe_alu_realtime.sum"},
         {"tensor_pipe_cycles", "TPC.TriageCompute.sm__pipe_tensor_cycles_active_realtime.sum"},
         {"pipe_uniform_inst", "SM_A.TriageCompute.sm__inst_executed_pipe_uniform_realtime.sum"},
         {"pipe_xu_inst", "SM_A.TriageCompute.sm__inst_executed_pipe_xu_realtime.sum"},
         {"shared_wavefronts", "SM_A.TriageCompute.l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"},
         {"shared_conflicts_hw", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"},
         {"l2_sectors", "lts__t_sectors.sum"},
         {"l2_sectors_from_l1", "lts__t_sectors_srcunit_tex.sum"},
         {"dram_read_bytes", "dram__bytes_read.sum"},
         {"dram_write_bytes", "dram__bytes_write.sum"},
     }},
    {"active lanes",
     {
         {kClockCounter, "sm__cycles_elapsed.max"},
         {"sass_thread_inst_on", "sm__thread_inst_executed_pred_on_realtime.sum"},
     }},
    {"look-ups in L1 and misses of the instruction cache",
     {
         {kClockCounter, "sm__cycles_elapsed.max"},
         {"l1_sectors_hit", "SM_B.TriageCompute.l1tex__t_sectors_lookup_hit.sum"},
         {"l1_sectors_miss", "SM_B.TriageCompute.l1tex__t_sectors_lookup_miss.sum"},
         {"icc_misses", "sm__icc_requests_lookup_miss.sum"},
     }},
    kLocalMemory,
    {"loads and stores of shared memory apart and requests of constants",
     {
         {kClockCounter, "sm__cycles_elapsed.max"},
         {"shared_load_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
         {"shared_store_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
         {"idc_requests", "idc__requests.sum"},
     }},
};

const std::vector<CounterTurn> kDataCentreAmpere = {
    {"instructions, pipes, shared memory, L2 and device memory",
     {
         {kClockCounter, "sm__cycles_elapsed.max"},
         {"inst_executed", "sm__inst_executed_realtime.sum"},
         {"warps_active", "tpc__warps_active_shader_cs_realtime.sum"},
         {"smsp_cycles_active", "sm__cycles_active.sum", 4},
         {"pipe_alu_inst", "sm__inst_executed_pipe_alu_realtime.sum"},
         {"sass_thread_inst_on", "sm__thread_inst_executed_pred_on_realtime.sum"},
         {"tensor_pipe_cycles", "sm__pipe_tensor_cycles_active_realtime.sum"},
         {"pipe_xu_inst", "sm__inst_executed_pipe_xu_realtime.sum"},
         {"shared_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"},
         {"shared_conflicts_hw", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"},
         {"l2_sectors", "lts__t_sectors.sum"},
         {"l2_sectors_from_l1", "lts__t_sectors_srcunit_tex.sum"},
         {"dram_read_bytes", "dram__bytes_read.sum"},
         {"dram_write_bytes", "dram__bytes_write.sum"},
     }},
    {"look-ups in L1 and misses of the instruction cache",
     {
         {kClockCounter, "sm__cycles_elapsed.max"},
         {"l1_sectors_hit", "l1tex__t_sectors_lookup_hit.sum"},
         {"l1_sectors_miss", "l1tex__t_sectors_lookup_miss.sum"},
         {"icc_misses", "sm__icc_requests_lookup_miss.sum"},
     }},
    kLocalMemory,
    {"requests of constants and misses of the cache of immediate constants",
     {
         {kClockCounter, "sm__cycles_elapsed.max"},
         {"idc_requests", "idc__requests.sum"},
         {"imc_misses", "smsp__imc_requests_lookup_miss.sum"},
     }},
};

const std::vector<CounterTurn> kGraphicsAmpereAndAda = {
    {"instructions, pipes, shared memory, L2 and device memory",
     {
         {kClockCounter, "sm__cycles_elapsed.max"},
         {"inst_executed", "sm__inst_executed_realtime.sum"},
         {"warps_active", "tpc__warps_active_shader_cs_realtime.sum"},
         {"smsp_cycles_active", "sm__cycles_active.sum", 4},
         {"pipe_alu_inst", "sm__inst_executed_pipe_alu_realtime.sum"},
         {"pipe_uniform_inst", "smsp__inst_executed_pipe_uniform.sum"},
         {"sass_thread_inst_on", "sm__thread_inst_executed_pred_on_realtime.sum"},
         {"tensor_pipe_cycles", "sm__pipe_tensor_cycles_active_realtime.sum"},
         {"pipe_xu_inst", "sm__inst_executed_pipe_xu_realtime.sum"},
         {"shared_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"},
         {"l2_sectors", "lts__t_sectors.sum"},
         {"l2_sectors_from_l1", "lts__t_sectors_srcunit_tex.sum"},
         {"dram_read_bytes", "dram__bytes_read.sum"},
         {"dram_write_bytes", "dram__bytes_write.sum"},
     }},
    {"bank conflicts, misses of the instruction cache and misses of the cache of immediate constants",
     {
         {kClockCounter, "sm__cycles_elapsed.max"},
         {"shared_conflicts_hw", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"},
         {"icc_misses", "sm__icc_requests_lookup_miss.sum"},
         {"imc_misses", "smsp__imc_requests_lookup_miss.sum"},
     }},
    {"look-ups in L1",
     {
         {kClockCounter, "sm__cycles_elapsed.max"},
         {"l1_sectors_hit", "l1tex__t_sectors_lookup_hit.sum"},
         {"l1_sectors_miss", "l1tex__t_sectors_lookup_miss.sum"},
     }},
    kLocalMemory,
    {"requests of constants",
     {
         {kClockCounter, "sm__cycles_elapsed.max"},
         {"idc_requests", "idc__requests.sum"},
     }},
};

const std::vector<CounterTurn> kGraphicsBlackwell = {
    {"instructions, pipes, shared memory, L2 and device memory",
     {
         {kClockCounter, "sm__cycles_elapsed.max"},
         {"inst_executed", "sm__inst_executed_realtime.sum"},
         {"warps_active", "tpc__warps_active_shader_cs_realtime.sum"},
         {"smsp_cycles_active", "sm__cycles_active.sum", 4},
         {"sass_thread_inst_on", "sm__thread_inst_executed_pred_on_realtime.sum"},
         {"pipe_xu_inst", "sm__inst_executed_pipe_xu_realtime.sum"},
         {"shared_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"},
         {"shared_conflicts_hw", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"},
         {"l2_sectors", "lts__t_sectors.sum"},
         {"l2_sectors_from_l1", "lts__t_sectors_srcunit_tex.sum"},
         {"dram_read_bytes", "dram__bytes_op_read.sum"},
         {"dram_write_bytes", "dram__bytes_op_write.sum"},
     }},
    {"instructions of the ALU pipe",
     {
         {kClockCounter, "sm__cycles_elapsed.max"},
         {"pipe_alu_inst", "smsp__inst_executed_pipe_alu.sum"},
     }},
    {"look-ups in L1 and instructions of the uniform pipe",
     {
         {kClockCounter, "sm__cycles_elapsed.max"},
         {"pipe_uniform_inst", "sm__inst_executed_pipe_uniform_realtime.sum"},
         {"l1_sectors_hit", "l1tex__t_sectors_lookup_hit.sum"},
         {"l1_sectors_miss", "l1tex__t_sectors_lookup_miss.sum"},
     }},
    {"cycles of the tensor pipe",
     {
         {kClockCounter, "sm__cycles_elapsed.max"},
         {"tensor_pipe_cycles", "sm__pipe_tensor_cycles_active_realtime.sum"},
     }},
    kLocalMemory,
    {"misses of the instruction cache",
     {
         {kClockCounter, "sm__cycles_elapsed.max"},
         {"icc_misses", "sm__icc_requests_lookup_miss.sum"},
     }},
    {"loads and stores of shared memory apart",
     {
         {kClockCounter, "sm__cycles_elapsed.max"},
         {"shared_load_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
         {"shared_store_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
     }},
};

struct ChipLists {
  std::string_view chips;  // separated by spaces
  std::span<const CounterTurn> lists;
  bool were_compared = false;
};

// Integrated GPUs have no counters of device memory in these lists, and are left out.
const ChipLists kChips[] = {
    {"GH100", kHopper, true},
    {"GB100 GB102 GB110", kDataCentreBlackwell},
    {"GA100", kDataCentreAmpere},
    {"GA102 GA103 GA104 GA106 GA107 AD102 AD103 AD104 AD106 AD107", kGraphicsAmpereAndAda},
    {"GB202 GB203 GB205 GB206 GB207", kGraphicsBlackwell},
};

const ChipLists* FindChip(std::string_view chip) {
  const auto has = [&](const ChipLists& of) {
    return std::ranges::any_of(std::views::split(of.chips, ' '),
                               [&](const auto& one) { return std::string_view(one.begin(), one.end()) == chip; });
  };
  const auto* const found = std::ranges::find_if(kChips, has);
  return found == std::end(kChips) ? nullptr : found;
}

}  // namespace

std::span<const CounterTurn> CounterTurnsOn(std::string_view chip) {
  const ChipLists* const found = FindChip(chip);
  return found == nullptr ? std::span<const CounterTurn>() : found->lists;
}

bool WereSampledCountersCompared(std::string_view chip) {
  const ChipLists* const found = FindChip(chip);
  return found != nullptr && found->were_compared;
}

std::span<const MetricDefinition> OnlySampled() {
  static const std::vector<MetricDefinition> metrics = {
      {"pipe_fma_halves_inst", std::string(kSampledSource), "", "inst",
       "FMA pipe, its two halves added up: instructions of half precision take both"},
      {"tensor_pipe_cycles", std::string(kSampledSource), "", "cycle",
       "in which the tensor pipe of a sub-partition was busy, summed over sub-partitions"},
      {"barrier_inst", std::string(kSampledSource), "", "inst", "executions of BAR by warps"},
      {"shared_access_bytes", std::string(kSampledSource), "", "byte",
       "that a thread names in a load or store of shared memory, on average"},
      {"global_access_bytes", std::string(kSampledSource), "", "byte", "the same of global memory"},
  };
  return metrics;
}

namespace {

const MetricDefinition* FindOnlySampled(std::string_view id) {
  const auto found = std::ranges::find(OnlySampled(), id, &MetricDefinition::id);
  return found == OnlySampled().end() ? nullptr : &*found;
}

}  // namespace

bool IsSampledOn(std::string_view id, std::string_view chip) {
  if (FindOnlySampled(id) != nullptr) return true;
  const CatalogueMetric* const metric = FindMetric(id);
  return metric != nullptr && NameOn(*metric, chip);
}

MetricDefinition SampledMetric(std::string_view id, std::string_view cupti_name) {
  if (const MetricDefinition* const only = FindOnlySampled(id)) {
    MetricDefinition definition = *only;
    definition.cupti_name = cupti_name;
    return definition;
  }
  const CatalogueMetric* const metric = FindMetric(id);
  if (metric == nullptr) throw std::logic_error("the catalogue has no metric '" + std::string(id) + "'");
  MetricDefinition definition = DefinitionOf(*metric, cupti_name);
  definition.source = kSampledSource;
  return definition;
}

}  // namespace culprit
