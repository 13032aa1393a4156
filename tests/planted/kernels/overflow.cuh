// SPDX-License-Identifier: Apache-2.0
// A path that hardly anything takes: the sum over a lane's column of a list of 60 entries. No entry can be added before
// the last one has been seen: they are either kept in registers, some 60 more of the whole kernel's, or read twice.
#pragma once
#include <cstddef>
#include <vector>

#include "tests/planted/kernels/run.h"

namespace culprit {

constexpr int kOverflowLanes = 32;
constexpr int kOverflowEntries = 60;
constexpr int kOverflowKeys = 2;  // behind the entries; the parity of all says which one they are XORed with
constexpr int kOverflowWords = (kOverflowEntries + kOverflowKeys) * kOverflowLanes;  // of a list

// Reads are volatile either way: as many as written here.
template <bool kKept>
__device__ unsigned OverflowSum(const unsigned* list, unsigned lane) {
  const volatile unsigned* words = list;
  unsigned sum = 0, parity = 0;
  if constexpr (kKept) {
    unsigned entry[kOverflowEntries];
#pragma unroll
    for (int i = 0; i < kOverflowEntries; ++i) parity ^= entry[i] = words[i * kOverflowLanes + lane];
    const unsigned key = words[(kOverflowEntries + parity % kOverflowKeys) * kOverflowLanes + lane];
#pragma unroll
    for (int i = 0; i < kOverflowEntries; ++i) sum += entry[i] ^ key;
  } else {
#pragma unroll 1
    for (int i = 0; i < kOverflowEntries; ++i) parity ^= words[i * kOverflowLanes + lane];
    const unsigned key = words[(kOverflowEntries + parity % kOverflowKeys) * kOverflowLanes + lane];
#pragma unroll 1
    for (int i = 0; i < kOverflowEntries; ++i) sum += words[i * kOverflowLanes + lane] ^ key;
  }
  return sum;
}

// Lists of entries below 256: a sum of 60 stays below 2^14.
inline std::vector<unsigned> OverflowLists(std::size_t lists) {
  const std::vector<float> random = UniformFloats(lists * kOverflowWords, 2);
  std::vector<unsigned> words(random.size());
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<unsigned>((random[i] + 1) * 127);
  return words;
}

// OverflowSum on the host.
inline unsigned OverflowOnHost(const unsigned* list, unsigned lane) {
  unsigned sum = 0, parity = 0;
  for (int i = 0; i < kOverflowEntries; ++i) parity ^= list[i * kOverflowLanes + lane];
  const unsigned key = list[(kOverflowEntries + parity % kOverflowKeys) * kOverflowLanes + lane];
  for (int i = 0; i < kOverflowEntries; ++i) sum += list[i * kOverflowLanes + lane] ^ key;
  return sum;
}

}  // namespace culprit
