// SPDX-License-Identifier: Apache-2.0
// The memory tables as a section of a kernel's report.
#include <algorithm>
#include <span>

#include "analysis/show/render/tabulate.h"
#include "analysis/show/report/kernel_report.h"

namespace culprit {
namespace {

using enum Unit;

ReportTable Shared(const SharedTable& shared) {
  ReportTable table = Tabulate<SharedRow>("shared", "Shared memory", shared.rows,
                                          {{"access", "", &SharedRow::title},
                                           {"instructions", "Instructions", kCount, &SharedRow::instructions},
                                           {"requests", "Requests", kCount, &SharedRow::instructions},
                                           {"wavefronts", "Wavefronts", kCount, &SharedRow::wavefronts},
                                           {"peak_pct", "% Peak", kPercent, &SharedRow::peak_pct},
                                           {"bank_conflicts_hw", "Bank Conflicts*", kCount, &SharedRow::conflicts}});
  table.notes = {
      std::string("* As the hardware counter says: cycles lost to arbitration are counted too. The exact figure ") +
          (shared.needs_full ? "was not counted." : "is below."),
      shared.matrix_apart
          ? "Shared Load is without matrix loads; Other is the total less loads, matrix loads and stores."
          : "The counters put matrix loads under Shared Load; Other is the total less loads and stores."};
  if (shared.noisy)
    table.notes.push_back("- in a remainder: the parts, counted in other passes, exceed their total by noise.");
  return table;
}

ReportTable ExactShared(const SharedTable& shared) {
  ReportTable table =
      Tabulate<SharedTable>("shared_exact", "Shared memory, exact counts from the addresses", std::span(&shared, 1),
                            {{"wavefronts", "Wavefronts", kCount, &SharedTable::exact_wavefronts},
                             {"ideal_wavefronts", "Without conflicts", kCount, &SharedTable::ideal_wavefronts},
                             {"bank_conflicts", "Bank conflicts", kCount, &SharedTable::exact_conflicts},
                             {"bank_conflict_pct", "Share", kPercent, &SharedTable::exact_conflict_pct}});
  if (shared.needs_full) table.shown = 0;
  return table;
}

ReportTable Sectors(const std::vector<SectorRow>& rows) {
  ReportTable table =
      Tabulate<SectorRow>("local_global", "Local and global memory", rows,
                          {{"access", "", &SectorRow::title},
                           {"instructions", "Instructions", kCount, &SectorRow::instructions},
                           {"requests", "Requests", kCount, &SectorRow::requests},
                           {"sectors", "Sectors", kCount, &SectorRow::sectors},
                           {"sectors_per_request", "Sectors/Request", kRatio, &SectorRow::sectors_per_request}});
  if (std::ranges::any_of(rows, &SectorRow::HasUncountedInstructions))
    table.notes.push_back(
        "More global requests than instructions: requests of asynchronous copies are counted, their instructions are "
        "not, nor is any other access that the counters of instructions leave out.");
  return table;
}

ReportTable Caches(const std::vector<CacheRow>& rows) {
  return Tabulate<CacheRow>("caches", "Caches", rows,
                            {{"cache", "", &CacheRow::title},
                             {"sectors", "Sectors", kCount, &CacheRow::sectors},
                             {"hit_pct", "Hit rate", kPercent, &CacheRow::hit_pct}});
}

ReportTable DeviceMemory(const MemoryTables& tables) {
  return {"dram",
          "Device memory",
          {{"direction", ""}, {"bytes", "Bytes"}},
          {{"Read", {tables.dram_read_bytes, kBytes}}, {"Write", {tables.dram_write_bytes, kBytes}}}};
}

}  // namespace

Section MakeMemorySection(const MemoryTables& tables) {
  return {.key = "memory",
          .title = "Memory",
          .tables = {Shared(tables.shared), ExactShared(tables.shared), Sectors(tables.sectors), Caches(tables.caches),
                     DeviceMemory(tables)}};
}

}  // namespace culprit
