// SPDX-License-Identifier: Apache-2.0
#include "analysis/why/demand.h"

#include <algorithm>

#include "analysis/access_shares.h"

namespace culprit {
namespace {

constexpr double kSectorBytes = 32;
constexpr double kWarp = 32;

}  // namespace

Exact ExactOfBoth(const KernelView& base, const KernelView& candidate) {
  const auto both = [&](auto share) {
    const auto counted = [&](const KernelView& k) {
      const Measured value = share(k);
      return value || value.absence() == Absence::kUndefined;
    };
    return counted(base) && counted(candidate);
  };
  return {both(ConflictShare), both(ExcessShare)};
}

Demand::Demand(const KernelView& k, Exact exact) {
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
  barriers = get("barrier_inst");

  shared_atomic = get("shared_atom_wavefronts");
  const double shared_all = std::max(0.0, get("shared_wavefronts") - shared_atomic);
  shared_conflicts =
      exact.shared ? shared_all * ConflictShare(k).value_or(0) : std::min(shared_all, get("shared_conflicts_hw"));
  shared_useful = shared_all - shared_conflicts;
  shared_width = get("shared_access_bytes");
  global_width = get("global_access_bytes");

  local_l1 = get("local_load_sectors") + get("local_store_sectors");
  local_requests = get("local_load_requests") + get("local_store_requests");
  // Asynchronous copies to shared memory (LDGSTS) are among the exact counts alone.
  const double copies = get("sass_ldgsts_inst");
  const double global_l1 =
      copies > 0 ? get("sass_global_sectors") : get("global_load_sectors") + get("global_store_sectors");
  global_requests = copies > 0 ? get("sass_global_inst") : get("global_load_requests") + get("global_store_requests");
  atomic_sectors = get("global_atom_sectors") + get("global_red_sectors");
  atomic_l2_cycles = get("l2_atomic_cycles");
  exact_global = exact.global;
  excess_l1 = exact.global ? global_l1 * ExcessShare(k).value_or(0) : 0;
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

  l1_pct = k.Get("l1_throughput_pct");
  l2_pct = k.Get("l2_throughput_pct");
  dram_pct = k.Get("dram_throughput_pct");

  instruction_misses = get("icc_misses");
  immediate_misses = get("imc_misses");
  constant_requests = get("idc_requests") + get("idc_replays");
}

}  // namespace culprit
