// SPDX-License-Identifier: Apache-2.0
#include "analysis/why/demand.h"

#include <algorithm>
#include <utility>

#include "analysis/access_shares.h"

namespace culprit {
namespace {

constexpr double kSectorBytes = 32;
constexpr double kWarp = 32;

}  // namespace

Demand::Demand(const KernelView& k) {
  const auto get = [&](std::string_view id) { return k.Get(id).value_or(0); };

  issued = get("inst_issued");
  local = get("local_load_inst") + get("local_store_inst");
  shared = get("shared_load_inst") + get("shared_store_inst") + get("shared_ldsm_inst") + get("shared_atom_inst");
  global = get("global_load_inst") + get("global_store_inst");
  atomic = get("global_atom_requests") + get("global_red_requests");
  lanes = get("threads_per_inst");
  const double per_warp = lanes > 0 ? lanes : kWarp;
  fp32 = std::max(get("fp32_thread_inst"), get("ffma_thread_inst")) / per_warp;
  fp64 = get("pipe_fp64_inst");
  conversion = std::min(get("conversion_thread_inst") / per_warp, get("pipe_xu_inst"));
  special = get("pipe_xu_inst") - conversion;
  tensor = get("tensor_hmma_inst") - get("tensor_hfma2_inst") + get("tensor_gmma_inst");
  branch = get("branch_inst");
  other = std::max(0.0, issued - local - shared - global - atomic - fp32 - fp64 - special - conversion - tensor);
  const Measured executed_barriers = k.Get("barrier_inst");
  barriers_known = executed_barriers.value().has_value();
  barriers = executed_barriers.value_or(0);

  shared_atomic = get("shared_atom_wavefronts");
  const double shared_all = std::max(0.0, get("shared_wavefronts") - shared_atomic);
  shared_conflicts = shared_all * ConflictShare(k).value_or(0);
  shared_useful = shared_all - shared_conflicts;

  // Widths are counted for all memories together; what is not global or local is shared.
  constexpr std::pair<const char*, int> kWidths[] = {{"sass_memory_8b_inst", 1},
                                                     {"sass_memory_16b_inst", 2},
                                                     {"sass_memory_32b_inst", 4},
                                                     {"sass_memory_64b_inst", 8},
                                                     {"sass_memory_128b_inst", 16}};
  double all_bytes = 0;
  for (const auto& [id, bytes] : kWidths) all_bytes += get(id) * bytes * kWarp;
  shared_bytes =
      std::max(0.0, all_bytes - kSectorBytes * (get("sass_global_sectors_ideal") + get("sass_local_sectors")));

  local_l1 = get("local_load_sectors") + get("local_store_sectors");
  local_requests = get("local_load_requests") + get("local_store_requests");
  const double global_l1 = get("global_load_sectors") + get("global_store_sectors");
  global_requests = get("global_load_requests") + get("global_store_requests");
  atomic_sectors = get("global_atom_sectors") + get("global_red_sectors");
  atomic_l2_cycles = get("l2_atomic_cycles");
  excess_l1 = global_l1 * ExcessShare(k).value_or(0);
  useful_l1 = global_l1 - excess_l1;

  // The levels below L1 do not tell local from global accesses, so both are taken to miss alike (access_shares.h).
  const double all_l1 = local_l1 + global_l1;
  const double local_part = all_l1 > 0 ? local_l1 / all_l1 : 0;
  // Sectors that L2's halves and device memory exchange are nobody's demand; older recordings did not tell them apart.
  // Misses that L1 merges wait for L2 all the same.
  const double l2 = std::max(k.Get("l2_sectors_from_l1").value_or(get("l2_sectors")), get("l1_sectors_miss"));
  const double dram = (get("dram_read_bytes") + get("dram_write_bytes")) / kSectorBytes;
  local_l2 = l2 * local_part;
  local_dram = dram * local_part;
  excess_l2 = std::clamp(l2 - local_l2 - useful_l1, 0.0, excess_l1);
  excess_dram = std::clamp(dram - local_dram - useful_l1, 0.0, excess_l1);
  useful_l2 = l2 - local_l2 - excess_l2;
  useful_dram = dram - local_dram - excess_dram;

  l1_pct = get("l1_throughput_pct");
  l2_pct = get("l2_throughput_pct");
  dram_pct = get("dram_throughput_pct");

  instruction_misses = get("icc_misses");
  immediate_misses = get("imc_misses");
  constant_requests = get("idc_requests") + get("idc_replays");
}

}  // namespace culprit
