// SPDX-License-Identifier: Apache-2.0
// Computes how many blocks of a kernel fit on one SM from its resources. Needs no GPU and no CUDA.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "db/records.h"
#include "profiler/code/chip.h"

namespace culprit {

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
  int blocks = 0;    // the smallest of the four limits; 0: the block does not fit
  int warps = 0;     // blocks x warps per block
  double ratio = 0;  // warps / the SM's maximum, 0..1
};

Occupancy ComputeOccupancy(const Chip& sm, const BlockResources& block);

// The largest number of threads per block that fits in the register file. It is cudaFuncGetAttributes'
// maxThreadsPerBlock for a kernel without launch bounds.
int MaxThreadsByRegisters(int registers);

// Appends to `build` the attributes of a launch with `block_threads` threads and `dynamic_shared_bytes`, with source
// "model": block_threads, dynamic_shared_bytes, theoretical_occupancy, theoretical_warps_per_sm, blocks_per_sm_by_*. If
// the architecture, the register count or the shared memory size is not known, the computed ones have the status
// kUnsupported.
void AddOccupancy(BuildRecord& build, int block_threads, int dynamic_shared_bytes);

}  // namespace culprit
