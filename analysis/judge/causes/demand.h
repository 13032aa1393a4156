// SPDX-License-Identifier: Apache-2.0
// The demand of one kernel on the machine, by kind of access or instruction, from its counters. A number that was not
// counted is a range (range.h), as narrow as other counters allow.
#pragma once
#include <optional>
#include <set>
#include <string>

#include "analysis/judge/causes/swap_demand.h"
#include "analysis/launch/kernel_view.h"
#include "analysis/number/range.h"

namespace culprit {

// The most instructions that a bulk copy and its addresses take. It was 8 to 19 on an H200, depending on how the loops
// around the copy are unrolled.
inline constexpr double kBulkCopyInstructions = 20;

// Requests for one line that a slice of L2 serves in an SM cycle: 280,000 in 631,000 cycles of an H200. Requests for
// different lines take half as long, so their cost is too high (docs/evidence/cupti.md).
inline constexpr double kOneLineRequests = 0.44;

struct Demand {
  // If exact counts are missing: kOpen makes bank conflicts and excess sectors a range of all possible values. kMerged
  // counts them as useful, for callers that need no difference between the two.
  enum class Splits { kOpen, kMerged };
  // kLoads: loads of atomics' loops count as other loads. For pairs of which one kernel does not know these.
  enum class Swaps { kAtomics, kLoads };
  explicit Demand(const KernelView& kernel, Splits splits = Splits::kOpen, Swaps swaps = Swaps::kAtomics);

  // Warp instructions.
  Range issued, local, shared, global, atomic;
  Range shared_atomic_inst;  // of shared memory, with the loads of their loops: in none of the above
  Range copies;              // asynchronous copies of threads (LDGSTS): in none of the above
  Range fp32, fp64, fp16, special, conversion, tensor, branch;
  Range gmma;                      // the part of `tensor` that four warps execute together
  Range gmma_cycles;               // cycles for which these keep the tensor pipes of sub-partitions busy
  Range other;                     // issued, minus all of these except branch
  Range in_fma_pipe, in_alu_pipe;  // all instructions of these pipes
  Range lanes;                     // active threads per warp instruction
  // Bulk copies (TMA) to shared memory, and the bytes that they read. None: they were not counted and are not judged.
  std::optional<double> bulk_copies, bulk_bytes;
  bool KnowsBulk() const { return bulk_copies && bulk_bytes && *bulk_copies > 0 && *bulk_bytes > 0; }
  // An upper bound of the warp instructions that issue bulk copies, which one thread executes. `lanes_besides`: the
  // active threads per warp instruction of all others.
  Range by_copying_thread = 0.0, lanes_besides = 0.0;
  Range barriers;

  // Shared memory, wavefronts. Loads of atomics' loops belong to the atomics.
  Range shared_useful, shared_conflicts, shared_atomic;
  Range shared_all;  // all except atomics
  // The part that matrix instructions of warpgroups read by themselves. It keeps the pipe busy, but no warp waits for
  // it as for a load.
  Range shared_by_products;
  // The useful wavefronts of threads' asynchronous copies. Copies of 16 bytes that bypass L1 take none. Copies through
  // L1 take one per 128 bytes, for any width (docs/evidence/cupti.md). Counters do not separate these wavefronts from
  // operands that products read.
  Range shared_by_copies;
  // Bytes per access and thread; 0: no accesses.
  Range shared_width, global_width;

  // 32-byte sectors.
  Range local_l1, local_l2, local_dram;
  Range useful_l1, useful_l2, useful_dram;     // of global accesses: as many as if they were coalesced
  Range excess_l1, excess_l2, excess_dram;     // of global accesses: beyond `useful`
  Range sectors_l1, sectors_l2, sectors_dram;  // of everything except atomics
  Range local_requests, global_requests;
  Range atomic_sectors, atomic_l2_cycles, atomics_returning;  // _returning: requests of atomics that return a value

  // Sectors of the host's memory, and requests that the busiest slice of L2 got beyond twice the average of all slices
  // and beyond all atomics. 0 if the link or the slice is hardly busy. None: not measured, as in recordings of earlier
  // versions.
  std::optional<double> host_sectors, camped_requests;

  Range instruction_misses, immediate_misses, constant_requests;

  std::set<std::string> missing;  // ids that this class needs and that were not measured

 private:
  class Reader;
  void ReadInstructions(Reader& read, const SwapDemand& swaps);
  void ReadShared(Reader& read, Splits splits, const SwapDemand& swaps);
  void ReadConflicts(Reader& read, Splits splits, const SwapDemand& swaps);
  void ReadProducts(Reader& read, const SwapDemand& swaps);
  Range SharedByThreads(Reader& read, const SwapDemand& swaps) const;
  void ReadMemory(Reader& read, Splits splits);
  void ReadPlaces(const KernelView& kernel);
};

}  // namespace culprit
