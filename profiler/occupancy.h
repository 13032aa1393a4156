// SPDX-License-Identifier: Apache-2.0
// How many blocks of a kernel fit on one SM, from its resources alone: no GPU, no CUDA.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "db/records.h"

namespace culprit {

// What one SM of an architecture offers. Source: CUDA C++ Programming Guide 13.0, "Compute Capabilities": tables
// "Technical Specifications per Compute Capability" and "Shared Memory Capacity per Compute Capability".
struct SmLimits {
  std::string_view arch;  // "sm_90"
  int warps;
  int blocks;
  int shared_bytes;            // for all blocks together
  int shared_bytes_per_block;  // at most, when asked for (cudaFuncAttributeMaxDynamicSharedMemorySize)
  int reserved_shared_bytes;   // taken from every block by CUDA itself: 1 KB from compute capability 8.0 on
  int shared_granularity;      // bytes; CUDA Occupancy Calculator
};

// Null for an architecture that the table does not know: then nothing is guessed.
const SmLimits* FindSmLimits(std::string_view arch);

struct BlockResources {
  int threads = 0;
  int registers = 0;  // per thread
  int static_shared_bytes = 0;
  int dynamic_shared_bytes = 0;
};

struct Occupancy {
  int blocks_by_registers = 0;
  int blocks_by_shared = 0;
  int blocks_by_warps = 0;
  int blocks_by_blocks = 0;
  int blocks = 0;    // the smallest of the four; 0: the block does not fit at all
  int warps = 0;     // blocks x warps per block
  double ratio = 0;  // warps over the SM's maximum, 0..1
};

Occupancy ComputeOccupancy(const SmLimits& sm, const BlockResources& block);

// The largest block that the register file can hold, in threads: what cudaFuncGetAttributes calls maxThreadsPerBlock
// for a kernel without launch bounds.
int MaxThreadsByRegisters(int registers);

// Appends what the model says about `build` when launched with `block_threads` threads and `dynamic_shared_bytes`:
// block_threads, dynamic_shared_bytes, theoretical_occupancy, theoretical_warps_per_sm, blocks_per_sm_by_*, all with
// source "model". On an unknown architecture, or without register count or shared memory size, the derived ones have
// status kUnsupported.
void AddOccupancy(BuildRecord& build, int block_threads, int dynamic_shared_bytes);

}  // namespace culprit
