// SPDX-License-Identifier: Apache-2.0
// What one warp access to shared memory costs: how often the 32 banks of 4 bytes have to be asked.
//
// Shared memory answers one wavefront at a time: at most one word of 4 bytes from each bank, to as many lanes as want
// it. The lanes of an instruction are served in groups, one after the other:
//
//   32 bit     one group, the warp
//   64 bit     half warps; both are one group when their lanes pair up (below)
//   128 bit    quarter warps; the two of a half warp are one group when its lanes pair up. Halves stay apart: a word
//              that all lanes read is 2 wavefronts
//   ldmatrix, stmatrix   the 8 lanes that name the rows of one matrix
//
// A group takes as many wavefronts as the most wanted bank has different words to give or take.
//
// Lanes pair up when every active lane i wants what lane i^1 wants, or every one what lane i^2 wants; an inactive
// partner does not matter.
//
// Sources: banks, words and broadcast: CUDA C++ Programming Guide, "Shared Memory" of compute capability 5.x and later.
// Pairing: forums.developer.nvidia.com/t/unexpected-shared-memory-bank-conflict/77228 (the return path carries one
// register per cycle and packs two when pairs agree; stated for compute capability 7.x). Halves of 128 bits: on an H100
// sgemm_smem's broadcast LDS.128 count 2 wavefronts each, all of them ideal, and sgemm_float4, sgemm_zorder, v1_6 and
// v1_7 count what these rules say (tests/unit/analysis/bank_model_test.cpp).
#pragma once
#include <array>

#include "db/shared_access.h"

namespace culprit {

inline constexpr int kBanks = 32;
inline constexpr int kBankBytes = 4;
inline constexpr int kWavefrontBytes = kBanks * kBankBytes;

struct BankCost {
  int wavefronts = 0;
  // Without conflicts: one wavefront for each group. This is how smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal
  // counts the kernels named above; data that several lanes of a group share is not counted twice, data that groups
  // share is.
  int ideal = 0;
  // Which group and which wavefront (0 is the first of the instruction) serves a lane; -1 for an inactive lane. A lane
  // is never split: its bytes are aligned to their number, so all its banks see the same neighbours.
  std::array<int, kWarpLanes> group_of_lane = {};
  std::array<int, kWarpLanes> wavefront_of_lane = {};

  int excess() const { return wavefronts - ideal; }
};

// The bank of the first word at a byte address.
constexpr int BankOf(std::int64_t address) { return static_cast<int>(address / kBankBytes % kBanks); }

// Throws culprit::Error when the access cannot exist: no active lane, a width that the operation lacks, an address that
// is negative or not a multiple of the width, a matrix with fewer than 8 rows.
BankCost Model(const SharedAccess& access);

// The same check alone.
void CheckAccess(const SharedAccess& access);

}  // namespace culprit
