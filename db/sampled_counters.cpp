// SPDX-License-Identifier: Apache-2.0
#include "db/sampled_counters.h"

#include <stdexcept>

#include "db/metric_catalogue.h"

namespace culprit {
namespace {

// Names of the group TriageCompute count all SMs in one pass with many others. Plain names of the same counters need
// passes of their own.
const std::vector<CounterTurn> kHopper = {
    {
        {kClockCounter, "sm__cycles_elapsed.max"},
        {"inst_executed", "TPC.TriageCompute.sm__inst_executed_realtime.sum"},
        {"warps_active", "TPC.TriageCompute.tpc__warps_active_shader_cs_realtime.sum"},
        // The plain counter of sub-partitions does not start beside these. An SM with a warp counts for all its four.
        {"smsp_cycles_active", "TPC.TriageCompute.sm__cycles_active.sum", 4},
        {"pipe_alu_inst", "TPC.TriageCompute.sm__inst_executed_pipe_alu_realtime.sum"},
        {"pipe_fma_inst", "TPC.TriageCompute.sm__inst_executed_pipe_fma_realtime.sum"},
        {"pipe_uniform_inst", "SM_A.TriageCompute.sm__inst_executed_pipe_uniform_realtime.sum"},
        {"pipe_xu_inst", "SM_A.TriageCompute.sm__inst_executed_pipe_xu_realtime.sum"},
        {"shared_wavefronts", "SM_A.TriageCompute.l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"},
        {"shared_conflicts_hw", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"},
        {"l2_sectors", "lts__t_sectors.sum"},
        {"l2_sectors_from_l1", "lts__t_sectors_srcunit_tex.sum"},
        {"dram_read_bytes", "dram__bytes_read.sum"},
        {"dram_write_bytes", "dram__bytes_write.sum"},
    },
    {
        {kClockCounter, "sm__cycles_elapsed.max"},
        {"local_load_sectors", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"},
        {"local_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"},
    },
    {
        {kClockCounter, "sm__cycles_elapsed.max"},
        {"l1_sectors_hit", "SM_B.TriageCompute.l1tex__t_sectors_lookup_hit.sum"},
        {"l1_sectors_miss", "SM_B.TriageCompute.l1tex__t_sectors_lookup_miss.sum"},
    },
};

}  // namespace

std::span<const CounterTurn> CounterTurnsOn(std::string_view chip) {
  if (chip == "GH100") return kHopper;
  return {};
}

MetricDefinition SampledMetric(std::string_view id, std::string_view cupti_name) {
  const CatalogueMetric* const metric = FindMetric(id);
  if (metric == nullptr) throw std::logic_error("the catalogue has no metric '" + std::string(id) + "'");
  MetricDefinition definition = DefinitionOf(*metric, cupti_name);
  definition.source = kSampledSource;
  return definition;
}

}  // namespace culprit
