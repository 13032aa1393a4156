// SPDX-License-Identifier: Apache-2.0
// The memory tables as a section of a kernel's report.
#include <algorithm>

#include "analysis/report/kernel_report.h"

namespace culprit {
namespace {

Number Count(const Measured& value) { return {value, Unit::kCount}; }

ReportTable Shared(const SharedTable& shared) {
  ReportTable table{
      "shared",
      "Shared memory",
      {{"access", ""},
       {"instructions", "Instructions"},
       {"requests", "Requests"},
       {"wavefronts", "Wavefronts"},
       {"peak_pct", "% Peak"},
       {"bank_conflicts_hw", "Bank Conflicts*"}},
      {},
      {shared.needs_full
           ? "* As the hardware counter says: cycles lost to arbitration are counted too. The exact figure needs "
             "--profile=full."
           : "* As the hardware counter says: cycles lost to arbitration are counted too. The exact figure is below.",
       shared.matrix_apart
           ? "Shared Load is without matrix loads; Other is the total less loads, matrix loads and stores."
           : "The counters put matrix loads under Shared Load; Other is the total less loads and stores."}};
  if (shared.noisy)
    table.notes.push_back("- in a remainder: the parts, counted in other passes, exceed their total by noise.");
  for (const SharedRow& row : shared.rows)
    table.rows.push_back({row.title, Count(row.instructions), Count(row.requests), Count(row.wavefronts),
                          Number{row.peak_pct, Unit::kPercent}, Count(row.conflicts)});
  return table;
}

ReportTable Exact(const SharedTable& shared) {
  ReportTable table{"shared_exact",
                    "Shared memory, exact counts from the addresses",
                    {{"wavefronts", "Wavefronts"},
                     {"ideal_wavefronts", "Without conflicts"},
                     {"bank_conflicts", "Bank conflicts"},
                     {"bank_conflict_pct", "Share"}},
                    {},
                    {}};
  table.rows.push_back({Count(shared.exact_wavefronts), Count(shared.ideal_wavefronts), Count(shared.exact_conflicts),
                        Number{shared.exact_conflict_pct, Unit::kPercent}});
  if (shared.needs_full) table.shown = 0;
  return table;
}

ReportTable Sectors(const std::vector<SectorRow>& rows) {
  ReportTable table{"local_global",
                    "Local and global memory",
                    {{"access", ""},
                     {"instructions", "Instructions"},
                     {"requests", "Requests"},
                     {"sectors", "Sectors"},
                     {"sectors_per_request", "Sectors/Request"}},
                    {},
                    {}};
  for (const SectorRow& row : rows)
    table.rows.push_back({row.title, Count(row.instructions), Count(row.requests), Count(row.sectors),
                          Number{row.sectors_per_request, Unit::kRatio}});
  if (std::any_of(rows.begin(), rows.end(), [](const SectorRow& r) { return r.HasUncountedInstructions(); }))
    table.notes.push_back(
        "More global requests than instructions: requests of asynchronous copies are counted, their instructions are "
        "not, nor is any other access that the counters of instructions leave out.");
  return table;
}

ReportTable Caches(const std::vector<CacheRow>& rows) {
  ReportTable table{"caches", "Caches", {{"cache", ""}, {"sectors", "Sectors"}, {"hit_pct", "Hit rate"}}, {}, {}};
  for (const CacheRow& row : rows)
    table.rows.push_back({row.title, Count(row.sectors), Number{row.hit_pct, Unit::kPercent}});
  return table;
}

ReportTable DeviceMemory(const MemoryTables& tables) {
  ReportTable table{"dram", "Device memory", {{"direction", ""}, {"bytes", "Bytes"}}, {}, {}};
  table.rows.push_back({"Read", Number{tables.dram_read_bytes, Unit::kBytes}});
  table.rows.push_back({"Write", Number{tables.dram_write_bytes, Unit::kBytes}});
  return table;
}

}  // namespace

Section MakeMemorySection(const MemoryTables& tables) {
  Section section{"memory", "Memory", {}, {}, {}, {}};
  section.tables = {Shared(tables.shared), Exact(tables.shared), Sectors(tables.sectors), Caches(tables.caches),
                    DeviceMemory(tables)};
  return section;
}

}  // namespace culprit
