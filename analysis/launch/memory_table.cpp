// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/memory_table.h"

namespace culprit {
namespace {

const Measured kBlank = Measured::Missing(Absence::kUndefined);

SharedTable MakeShared(const KernelView& k) {
  const auto get = [&](std::string_view id) { return k.Get(id); };
  SharedTable table;
  const Measured load = get("shared_load_inst"), matrix = get("shared_ldsm_inst"), store = get("shared_store_inst"),
                 atomic = get("shared_atom_inst");
  const auto rest = [&](const Measured& other) {
    if (!other || *other >= 0) return other;
    table.noisy = true;
    return kBlank;
  };
  const Measured load_wavefronts = get("shared_load_wavefronts"), load_pct = get("shared_load_wavefronts_pct"),
                 load_conflicts = get("shared_load_conflicts_hw"), matrix_wavefronts = get("shared_ldsm_wavefronts"),
                 matrix_conflicts = get("shared_ldsm_conflicts_hw");
  table.matrix_apart = bool{matrix_wavefronts};
  table.rows = {
      {"shared_load", "Shared Load", load,
       matrix_wavefronts ? rest(load_wavefronts - matrix_wavefronts) : load_wavefronts,
       matrix_wavefronts.value_or(0) > 0 ? rest(load_pct * (load_wavefronts - matrix_wavefronts) / load_wavefronts)
                                         : load_pct,
       matrix_conflicts ? rest(load_conflicts - matrix_conflicts) : load_conflicts},
      // No counter gives this percentage, but all wavefronts have the same peak.
      {"shared_load_matrix", "Shared Load Matrix", matrix, matrix_wavefronts,
       matrix_wavefronts / get("shared_wavefronts") * get("shared_wavefronts_pct"), matrix_conflicts},
      {"shared_store", "Shared Store", store, get("shared_store_wavefronts"), get("shared_store_wavefronts_pct"),
       get("shared_store_conflicts_hw")},
      {"shared_atomic", "Shared Atomic", atomic, kBlank, kBlank, kBlank},
      {"other", "Other", kBlank, rest(get("shared_wavefronts") - load_wavefronts - get("shared_store_wavefronts")),
       rest(get("shared_wavefronts_pct") - load_pct - get("shared_store_wavefronts_pct")),
       rest(get("shared_conflicts_hw") - load_conflicts - get("shared_store_conflicts_hw"))},
      {"total", "Total", load + matrix + store + atomic, get("shared_wavefronts"), get("shared_wavefronts_pct"),
       get("shared_conflicts_hw")},
  };
  table.exact_wavefronts = get("sass_shared_wavefronts");
  table.ideal_wavefronts = get("sass_shared_wavefronts_ideal");
  table.exact_conflicts = table.exact_wavefronts - table.ideal_wavefronts;
  table.exact_conflict_pct = Measured(100) * table.exact_conflicts / table.exact_wavefronts;
  table.needs_full = k.NeedsFullProfile("sass_shared_wavefronts");
  return table;
}

SectorRow MakeSectors(const KernelView& k, std::string key, std::string title) {
  const Measured requests = k.Get(key + "_requests"), sectors = k.Get(key + "_sectors");
  const Measured instructions = k.Get(key + "_inst");
  return {std::move(key), std::move(title), instructions, requests, sectors, sectors / requests};
}

CacheRow MakeCache(const KernelView& k, std::string key, std::string title) {
  const Measured hit = k.Get(key + "_sectors_hit"), miss = k.Get(key + "_sectors_miss");
  // L2 has its own total, which also includes accesses without a look-up.
  const Measured total = key == "l2" ? k.Get("l2_sectors") : hit + miss;
  return {std::move(key), std::move(title), total, Measured(100) * hit / (hit + miss)};
}

}  // namespace

MemoryTables MakeMemoryTables(const KernelView& kernel) {
  MemoryTables tables;
  tables.shared = MakeShared(kernel);
  tables.sectors = {MakeSectors(kernel, "local_load", "Local Load"), MakeSectors(kernel, "local_store", "Local Store"),
                    MakeSectors(kernel, "global_load", "Global Load"),
                    MakeSectors(kernel, "global_store", "Global Store")};
  tables.caches = {MakeCache(kernel, "l1", "L1"), MakeCache(kernel, "l2", "L2")};
  tables.dram_read_bytes = kernel.Get("dram_read_bytes");
  tables.dram_write_bytes = kernel.Get("dram_write_bytes");
  return tables;
}

}  // namespace culprit
