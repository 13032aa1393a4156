// SPDX-License-Identifier: Apache-2.0
// What one kernel asked of the machine, from its counters; each number by the kind of access or instruction that asked.
// What was not counted is a range (range.h): as wide as the other counters leave it.
#pragma once
#include <optional>
#include <set>
#include <string>

#include "analysis/kernel/kernel_view.h"
#include "analysis/number/range.h"

namespace culprit {

// What was counted exactly for both kernels of a pair.
struct Exact {
  bool shared = false;  // wavefronts with and without bank conflicts
  bool global = false;  // sectors with and without coalescing
};
Exact ExactOfBoth(const KernelView& base, const KernelView& candidate);

// What a bulk copy needs at most, with its addresses: 8 to 19 on an H200, by how loops around it were unrolled.
inline constexpr double kBulkCopyInstructions = 20;

struct Demand {
  // Where exact counts are missing: bank conflicts and excess sectors lie anywhere between what they can be, or count
  // as needed, for whom the difference does not matter.
  enum class Splits { kOpen, kMerged };
  explicit Demand(const KernelView& kernel, Splits splits = Splits::kOpen);

  // Warp instructions.
  Range issued, local, shared, global, atomic;
  Range copies;  // asynchronous ones of threads (LDGSTS): of none of these
  Range fp32, fp64, fp16, special, conversion, tensor, branch;
  Range gmma;                      // of tensor, those of four warps
  Range gmma_cycles;               // that these keep the tensor pipes of sub-partitions busy
  Range other;                     // issued minus all of these but branch
  Range in_fma_pipe, in_alu_pipe;  // of whatever kind
  Range lanes;                     // active threads per warp instruction
  // Bulk copies (TMA) to shared memory and the bytes that they read; none where they were not counted: then nothing is
  // said of them.
  std::optional<double> bulk_copies, bulk_bytes;
  bool KnowsBulk() const { return bulk_copies && bulk_bytes && *bulk_copies > 0 && *bulk_bytes > 0; }
  // Warp instructions of the one thread that issues bulk copies, as many as its copies can need; and the active threads
  // of all others.
  Range by_copying_thread = 0.0, lanes_besides = 0.0;
  Range barriers;

  // Shared memory, wavefronts.
  Range shared_useful, shared_conflicts, shared_atomic;
  Range shared_all;  // but for atomics
  // Of these, what matrix instructions of warpgroups read by themselves: it keeps the pipe busy, and no warp waits for
  // it as for a load.
  Range shared_by_products;
  // And of the useful ones what asynchronous copies of threads take: those of 16 bytes past L1 none; what comes through
  // L1 one for each 128 bytes, however wide the copies are (docs/cupti.md). Not told apart from what products read.
  Range shared_by_copies;
  // Bytes that a thread names in an access; 0: it makes none.
  Range shared_width, global_width;

  // 32-byte sectors.
  Range local_l1, local_l2, local_dram;
  Range useful_l1, useful_l2, useful_dram;     // of global accesses, as many as coalesced ones would touch
  Range excess_l1, excess_l2, excess_dram;     // of global accesses, beyond those
  Range sectors_l1, sectors_l2, sectors_dram;  // of all but atomics, whosever they are
  Range local_requests, global_requests;
  Range atomic_sectors, atomic_l2_cycles, atomics_returning;  // the last: requests of atomics that return a value

  Range instruction_misses, immediate_misses, constant_requests;

  std::set<std::string> missing;  // ids that were read here and not measured

 private:
  class Reader;
  void ReadInstructions(Reader& read);
  void ReadShared(Reader& read, Splits splits);
  void ReadProducts(Reader& read);
  void ReadMemory(Reader& read, Splits splits);
};

}  // namespace culprit
