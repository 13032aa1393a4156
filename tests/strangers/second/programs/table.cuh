// SPDX-License-Identifier: Apache-2.0
// A hash table with open addresses: who finds a slot taken goes on to the next.
#pragma once
#include <cstdint>

constexpr std::uint32_t kEmpty = ~0u;

struct Slot {
  std::uint32_t key = kEmpty, value = 0;
#ifdef CHANGE_B
  std::uint32_t added_at = 0, found_at = 0, times_found = 0, owner = 0, flags = 0, spare = 0;
#endif
};

__host__ __device__ inline std::uint64_t Mix(std::uint64_t key) {
  key = (key ^ key >> 30) * 0xbf58476d1ce4e5b9u;
  key = (key ^ key >> 27) * 0x94d049bb133111ebu;
  return key ^ key >> 31;
}

#ifdef CHANGE_A
// The slots need not be a power of two any more.
__host__ __device__ inline std::uint64_t FirstSlot(std::uint32_t key, std::uint64_t slots) { return Mix(key) % slots; }
__host__ __device__ inline std::uint64_t NextSlot(std::uint64_t slot, std::uint64_t slots) {
  return (slot + 1) % slots;
}
#else
__host__ __device__ inline std::uint64_t FirstSlot(std::uint32_t key, std::uint64_t slots) {
  return Mix(key) & (slots - 1);
}
__host__ __device__ inline std::uint64_t NextSlot(std::uint64_t slot, std::uint64_t slots) {
  return (slot + 1) & (slots - 1);
}
#endif

// The value of a key, or `otherwise`.
__device__ inline std::uint32_t Find(const Slot* __restrict__ table, std::uint64_t slots, std::uint32_t key,
                                     std::uint32_t otherwise) {
  for (std::uint64_t slot = FirstSlot(key, slots);; slot = NextSlot(slot, slots)) {
    const std::uint32_t taken_by = table[slot].key;
    if (taken_by == key) return table[slot].value;
    if (taken_by == kEmpty) return otherwise;
  }
}
