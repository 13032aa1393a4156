// SPDX-License-Identifier: Apache-2.0
// The cost of one warp access to shared memory: the number of wavefronts over 32 banks of 4 bytes.
//
// Shared memory serves one wavefront at a time: at most one 4-byte word per bank, for any number of lanes. The lanes of
// an instruction are served in groups, one after the other:
//
//   32 bit     one group, the warp
//   64 bit     half warps
//   128 bit    quarter warps
//   ldmatrix, stmatrix   the 8 lanes that address the rows of one matrix
//
// A group takes as many wavefronts as the largest number of different words in one bank.
//
// In loads of 64 and 128 bits, two neighbouring groups (the warp or half of it) may be served as one when lanes pair
// up. Lanes pair up when every active lane i reads the same address as lane i^1, or every active lane i the same as
// lane i^2. Inactive partners do not matter. Groups of stores and of matrix operations are never merged.
//
// Two counters of an H100 treat this merging differently, and the model gives both:
//   - The hardware (l1tex__data_pipe_lsu_wavefronts_mem_shared) merges when the lanes of the whole warp pair up, even
//     when groups conflict. These wavefronts take the time, so layouts are judged by this counter.
//   - The SASS metric (smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared) is the only count per instruction. Patched code
//     computes it from the addresses. It looks at two groups at a time (for 128 bits, each half warp) and merges them
//     only when one wavefront then serves both.
// Both agree when lanes do not pair up, or when they pair up and the whole warp has no conflicts.
//
// Sources: banks, words and broadcast: CUDA C++ Programming Guide, "Shared Memory" of compute capability 5.x and later.
// Pairing: forums.developer.nvidia.com/t/unexpected-shared-memory-bank-conflict/77228 (the return path carries one
// register per cycle and packs two when pairs agree; stated for compute capability 7.x). Everything else was measured
// on sm_90: tests/bank_patterns/measured_h100.csv. `wavefronts` equals the hardware's counter in all 2,824 rows of that
// file. `sass_wavefronts` equals the SASS metric in 2,761 rows. The other 63 rows are 128-bit loads with paired lanes
// and some inactive lanes; we found no rule for them (tests/bank_patterns/disputed.h).
#pragma once
#include <array>

#include "db/shared_access.h"

namespace culprit {

inline constexpr int kBanks = 32;
inline constexpr int kBankBytes = 4;
inline constexpr int kWavefrontBytes = kBanks * kBankBytes;

// ldmatrix and stmatrix: lanes address 16-byte rows instead of their own data.
constexpr bool IsMatrix(SharedOp op) { return op == SharedOp::kLoadMatrix || op == SharedOp::kStoreMatrix; }

struct BankCost {
  int wavefronts = 0;       // as the hardware counts
  int sass_wavefronts = 0;  // as the SASS metric counts: for comparison with counts per instruction
  // As smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal on an H100: the bytes of all active lanes in full
  // wavefronts, but at most `sass_wavefronts`. The hardware can need fewer.
  int ideal = 0;
  // `wavefronts` without any bank conflict: one per group, or per two groups that pair up. No data layout needs fewer.
  // `ideal` is lower when the lanes of a group do not fill a wavefront, and higher when lanes share data.
  int least = 0;
  // The group and the wavefront (from 0) that serve a lane; -1: inactive. One wavefront serves all bytes of a lane,
  // because an access of n bytes is aligned to n bytes.
  std::array<int, kWarpLanes> group_of_lane = {};
  std::array<int, kWarpLanes> wavefront_of_lane = {};

  int excess() const { return sass_wavefronts - ideal; }
  int conflicts() const { return wavefronts - least; }  // what another layout could save
};

// The bank of the first word at a byte address.
constexpr int BankOf(std::int64_t address) { return static_cast<int>(address / kBankBytes % kBanks); }

// Throws culprit::Error for an impossible access: no active lane, a width that the operation lacks, a negative or
// misaligned address, a matrix with fewer than 8 rows.
BankCost Model(const SharedAccess& access);

// Throws for the same accesses as Model.
void CheckAccess(const SharedAccess& access);

// CUDA C++ Programming Guide, "Technical Specifications per Compute Capability": an SM has 228 KB on 9.0 and 10.0, and
// less on all others.
inline constexpr std::int64_t kMostSharedBytes = 228 * 1024;

// Whether all active lanes' bytes lie within an SM's shared memory.
bool FitsAnSm(const SharedAccess& access);

}  // namespace culprit
