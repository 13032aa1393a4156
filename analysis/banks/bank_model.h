// SPDX-License-Identifier: Apache-2.0
// What one warp access to shared memory costs: how often the 32 banks of 4 bytes have to be asked.
//
// Shared memory answers one wavefront at a time: at most one word of 4 bytes from each bank, to as many lanes as want
// it. The lanes of an instruction are served in groups, one after the other:
//
//   32 bit     one group, the warp
//   64 bit     half warps
//   128 bit    quarter warps
//   ldmatrix, stmatrix   the 8 lanes that name the rows of one matrix
//
// A group takes as many wavefronts as the most wanted bank has different words to give or take.
//
// Loads of 64 and 128 bits may serve two neighbouring groups, which are the warp or a half of it, as one, when lanes
// pair up: every active lane i wants what lane i^1 wants, or every one what lane i^2 wants; an inactive partner does
// not matter. Stores never do, nor do the matrix forms.
//
// Two counters of an H100 see that differently, and the model gives both:
//   - the hardware (l1tex__data_pipe_lsu_wavefronts_mem_shared) merges when the lanes of the whole warp pair up, and
//     then also groups that conflict. It is what takes time, so layouts are judged by it.
//   - the SASS metric (smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared), the only count of a single instruction, is
//     worked out from the addresses by patched code. It decides for each two groups, so for each half warp of 128 bits,
//     and merges them only where one wavefront then serves both.
// They agree wherever lanes do not pair up, or pair up without conflicts throughout the warp.
//
// Sources: banks, words and broadcast: CUDA C++ Programming Guide, "Shared Memory" of compute capability 5.x and later.
// Pairing: forums.developer.nvidia.com/t/unexpected-shared-memory-bank-conflict/77228 (the return path carries one
// register per cycle and packs two when pairs agree; stated for compute capability 7.x). Everything else, and how far
// it holds on sm_90: tests/bank_patterns/measured_h100.csv. Of its 2,824 rows `wavefronts` equals the hardware's
// counter in all, `sass_wavefronts` the SASS metric in 2,761: in 63 loads of 128 bits, whose lanes pair up while some
// take no part, it counts otherwise by no rule that was found (tests/bank_patterns/disputed.h).
#pragma once
#include <array>

#include "db/shared_access.h"

namespace culprit {

inline constexpr int kBanks = 32;
inline constexpr int kBankBytes = 4;
inline constexpr int kWavefrontBytes = kBanks * kBankBytes;

// ldmatrix and stmatrix, whose lanes name rows of 16 bytes instead of their own data.
constexpr bool IsMatrix(SharedOp op) { return op == SharedOp::kLoadMatrix || op == SharedOp::kStoreMatrix; }

struct BankCost {
  int wavefronts = 0;       // as the hardware's own counter says
  int sass_wavefronts = 0;  // as the SASS metric says: what counts of single instructions are compared with
  // As smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal counts on an H100: the wavefronts that the bytes of all
  // active lanes would fill, but never more than `sass_wavefronts`. The hardware can do with less.
  int ideal = 0;
  // What `wavefronts` would be if no two words met in a bank: one for each group, or for two that lanes which pair up
  // make one. No layout of the data can do with less; `ideal` is below it where the lanes of a group are too few to
  // fill a wavefront, and above it where lanes share their data.
  int least = 0;
  // Which group and which of `wavefronts` (0 is the first) serves a lane; -1 for an inactive lane. A lane is never
  // split: its bytes are aligned to their number, so all its banks see the same neighbours.
  std::array<int, kWarpLanes> group_of_lane = {};
  std::array<int, kWarpLanes> wavefront_of_lane = {};

  int excess() const { return sass_wavefronts - ideal; }
  int conflicts() const { return wavefronts - least; }  // what another layout could save
};

// The bank of the first word at a byte address.
constexpr int BankOf(std::int64_t address) { return static_cast<int>(address / kBankBytes % kBanks); }

// Throws culprit::Error when the access cannot exist: no active lane, a width that the operation lacks, an address that
// is negative or not a multiple of the width, a matrix with fewer than 8 rows.
BankCost Model(const SharedAccess& access);

// The same check alone.
void CheckAccess(const SharedAccess& access);

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": 228 KB per SM on 9.0 and 10.0, less
// on all others.
inline constexpr std::int64_t kMostSharedBytes = 228 * 1024;

// Whether the bytes of every active lane lie in what an SM can have.
bool FitsAnSm(const SharedAccess& access);

}  // namespace culprit
