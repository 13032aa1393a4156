// SPDX-License-Identifier: Apache-2.0
// Memory traffic of one kernel, in the layout that readers of NVIDIA's profilers know.
#pragma once
#include <string>
#include <vector>

#include "analysis/kernel/kernel_view.h"
#include "analysis/number/measured.h"

namespace culprit {

// A cell that the hardware does not tell apart is kUndefined ("-"), as in the profiler's own table.
struct SharedRow {
  std::string key;    // "shared_load"
  std::string title;  // "Shared Load"
  Measured instructions;
  // One per instruction on compute capability 7.0 and newer (Nsight Compute documentation, shared memory table).
  Measured requests;
  Measured wavefronts;
  Measured peak_pct;   // of one wavefront per SM and cycle
  Measured conflicts;  // as the hardware counter says: cycles lost to arbitration are counted too
};

struct SharedTable {
  // Shared Load, Shared Load Matrix, Shared Store, Shared Atomic, Other, Total. The counters of loads count matrix
  // loads too: they are taken off where they were counted by themselves (`matrix_apart`; older runs did not). Whatever
  // is neither load nor store is Other. Passes of one launch differ, so a remainder can come out below zero where there
  // is nothing to count: it is kUndefined then, and `noisy` set.
  std::vector<SharedRow> rows;
  bool noisy = false;
  bool matrix_apart = false;
  // Exact, from the addresses of every access (SASS metrics); a property of the code, equal in every run.
  Measured exact_wavefronts, ideal_wavefronts;
  Measured exact_conflicts;     // exact - ideal
  Measured exact_conflict_pct;  // of the exact wavefronts
  bool needs_full = false;      // no exact counts because the run was recorded with --profile=core
};

// Local and global memory at L1.
struct SectorRow {
  std::string key;  // "local_load"
  std::string title;
  Measured instructions, requests, sectors;
  Measured sectors_per_request;  // 4 for 32 consecutive 4-byte words, 32 for 32 scattered ones

  // A global load or store makes one request at most; asynchronous copies to shared memory (LDGSTS) make requests that
  // the counters of instructions do not count. Local memory has a few more requests than instructions by itself.
  bool HasUncountedInstructions() const {
    return key.starts_with("global") && instructions && requests && *requests > *instructions;
  }
};

struct CacheRow {
  std::string key;  // "l1"
  std::string title;
  Measured sectors;
  Measured hit_pct;  // hits over look-ups
};

struct MemoryTables {
  SharedTable shared;
  std::vector<SectorRow> sectors;  // local load, local store, global load, global store
  std::vector<CacheRow> caches;    // L1, L2
  Measured dram_read_bytes, dram_write_bytes;
};

MemoryTables MakeMemoryTables(const KernelView& kernel);

}  // namespace culprit
