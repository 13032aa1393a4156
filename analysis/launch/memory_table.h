// SPDX-License-Identifier: Apache-2.0
// Memory traffic of one kernel, in the layout of NVIDIA's profilers.
#pragma once
#include <string>
#include <vector>

#include "analysis/launch/kernel_view.h"
#include "analysis/number/measured.h"

namespace culprit {

// A cell that the hardware does not count separately is kUndefined ("-"), as in the profiler's table.
struct SharedRow {
  std::string key;    // "shared_load"
  std::string title;  // "Shared Load"
  // Also its requests: 1 per instruction on compute capability 7.0 and later (Nsight Compute documentation, shared memory
  // table).
  Measured instructions;
  Measured wavefronts;
  Measured peak_pct;   // 100 %: one wavefront per SM and cycle
  Measured conflicts;  // the hardware counter's, which includes cycles lost to arbitration
};

struct SharedTable {
  // Shared Load, Shared Load Matrix, Shared Store, Shared Atomic, Other, Total. The load counters include matrix loads.
  // These are subtracted when they were counted separately (`matrix_apart`; not in older runs). Other is the remainder:
  // neither load nor store. Replay passes of one launch differ, so a remainder near 0 can come out negative. Then it is
  // kUndefined, and `noisy` is set.
  std::vector<SharedRow> rows;
  bool noisy = false;
  bool matrix_apart = false;
  // Exact, from the addresses of every access (SASS metrics). They depend on the code alone, so they are equal in every
  // run.
  Measured exact_wavefronts, ideal_wavefronts;
  Measured exact_conflicts;     // exact - ideal
  Measured exact_conflict_pct;  // of the exact wavefronts
  bool needs_full = false;      // no exact counts, because the run did not ask for them
};

// Local and global memory at L1.
struct SectorRow {
  std::string key;  // "local_load"
  std::string title;
  Measured instructions, requests, sectors;
  Measured sectors_per_request;  // 4 for 32 consecutive 4-byte words, 32 for 32 scattered ones

  // A global load or store makes at most one request. Asynchronous copies to shared memory (LDGSTS) make requests that
  // the instruction counters do not count. Local memory always has a few more requests than instructions.
  bool HasUncountedInstructions() const {
    return key.starts_with("global") && instructions && requests && *requests > *instructions;
  }
};

struct CacheRow {
  std::string key;  // "l1"
  std::string title;
  Measured sectors;
  Measured hit_pct;  // hits / look-ups
};

struct MemoryTables {
  SharedTable shared;
  std::vector<SectorRow> sectors;  // local load, local store, global load, global store
  std::vector<CacheRow> caches;    // L1, L2
  Measured dram_read_bytes, dram_write_bytes;
};

MemoryTables MakeMemoryTables(const KernelView& kernel);

}  // namespace culprit
