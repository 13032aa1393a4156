// SPDX-License-Identifier: Apache-2.0
// One warp that carries out given shared-memory accesses, each by an instruction of its own.
#pragma once
#include <cuda_runtime_api.h>

#include "db/shared_access.h"

namespace culprit::testing {

// A launch has room for this many accesses of one instruction.
inline constexpr int kSlots = 64;

// The instruction of LDS.32 to STS.128, ldmatrix and stmatrix.
struct BankInstruction {
  SharedOp op = SharedOp::kLoad;
  int lane_bytes = 4;
  int matrices = 0;  // 1, 2 or 4 for the matrix forms, else 0
  bool transposed = false;
  bool operator==(const BankInstruction&) const = default;
};

// stmatrix exists since sm_90.
bool NeedsHopper(const BankInstruction& instruction);

// Slot s carries out its instruction repeats[s] times with the byte addresses addresses[s * 32 + lane]; a negative one
// turns the lane off, but not in the matrix forms, which all lanes enter. Device pointers: addresses[kSlots * 32],
// repeats[kSlots], sink[32]. No other instruction of the kernel touches shared memory. Throws culprit::Error when CUDA
// refuses the launch.
void LaunchBankSlots(const BankInstruction& instruction, const int* addresses, const int* repeats, unsigned* sink,
                     cudaStream_t stream);

}  // namespace culprit::testing
