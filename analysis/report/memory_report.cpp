// SPDX-License-Identifier: Apache-2.0
// The memory tables as a section of a kernel's report.
#include <algorithm>
#include <span>

#include "analysis/render/tabulate.h"
#include "analysis/report/kernel_report.h"

namespace culprit {
namespace {

ReportTable Shared(const SharedTable& shared) {
  ReportTable table =
      Tabulate<SharedRow>("shared", "Shared memory", shared.rows,
                          {{"access", "", &SharedRow::title},
                           {"instructions", "Instructions", Unit::kCount, &SharedRow::instructions},
                           {"requests", "Requests", Unit::kCount, &SharedRow::requests},
                           {"wavefronts", "Wavefronts", Unit::kCount, &SharedRow::wavefronts},
                           {"peak_pct", "% Peak", Unit::kPercent, &SharedRow::peak_pct},
                           {"bank_conflicts_hw", "Bank Conflicts*", Unit::kCount, &SharedRow::conflicts}});
  table.notes = {
      shared.needs_full
          ? "* As the hardware counter says: cycles lost to arbitration are counted too. The exact figure "
            "needs --profile=full."
          : "* As the hardware counter says: cycles lost to arbitration are counted too. The exact figure is "
            "below.",
      shared.matrix_apart
          ? "Shared Load is without matrix loads; Other is the total less loads, matrix loads and stores."
          : "The counters put matrix loads under Shared Load; Other is the total less loads and stores."};
  if (shared.noisy)
    table.notes.push_back("- in a remainder: the parts, counted in other passes, exceed their total by noise.");
  return table;
}

ReportTable Exact(const SharedTable& shared) {
  ReportTable table =
      Tabulate<SharedTable>("shared_exact", "Shared memory, exact counts from the addresses", std::span(&shared, 1),
                            {{"wavefronts", "Wavefronts", Unit::kCount, &SharedTable::exact_wavefronts},
                             {"ideal_wavefronts", "Without conflicts", Unit::kCount, &SharedTable::ideal_wavefronts},
                             {"bank_conflicts", "Bank conflicts", Unit::kCount, &SharedTable::exact_conflicts},
                             {"bank_conflict_pct", "Share", Unit::kPercent, &SharedTable::exact_conflict_pct}});
  if (shared.needs_full) table.shown = 0;
  return table;
}

ReportTable Sectors(const std::vector<SectorRow>& rows) {
  ReportTable table =
      Tabulate<SectorRow>("local_global", "Local and global memory", rows,
                          {{"access", "", &SectorRow::title},
                           {"instructions", "Instructions", Unit::kCount, &SectorRow::instructions},
                           {"requests", "Requests", Unit::kCount, &SectorRow::requests},
                           {"sectors", "Sectors", Unit::kCount, &SectorRow::sectors},
                           {"sectors_per_request", "Sectors/Request", Unit::kRatio, &SectorRow::sectors_per_request}});
  if (std::any_of(rows.begin(), rows.end(), [](const SectorRow& r) { return r.HasUncountedInstructions(); }))
    table.notes.push_back(
        "More global requests than instructions: requests of asynchronous copies are counted, their instructions are "
        "not, nor is any other access that the counters of instructions leave out.");
  return table;
}

ReportTable Caches(const std::vector<CacheRow>& rows) {
  return Tabulate<CacheRow>("caches", "Caches", rows,
                            {{"cache", "", &CacheRow::title},
                             {"sectors", "Sectors", Unit::kCount, &CacheRow::sectors},
                             {"hit_pct", "Hit rate", Unit::kPercent, &CacheRow::hit_pct}});
}

ReportTable DeviceMemory(const MemoryTables& tables) {
  return {"dram",
          "Device memory",
          {{"direction", ""}, {"bytes", "Bytes"}},
          {{"Read", Number{tables.dram_read_bytes, Unit::kBytes}},
           {"Write", Number{tables.dram_write_bytes, Unit::kBytes}}}};
}

}  // namespace

Section MakeMemorySection(const MemoryTables& tables) {
  return {"memory",
          "Memory",
          {},
          {Shared(tables.shared), Exact(tables.shared), Sectors(tables.sectors), Caches(tables.caches),
           DeviceMemory(tables)}};
}

}  // namespace culprit
