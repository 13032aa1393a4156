// SPDX-License-Identifier: Apache-2.0
// Looks up four million keys, half of which are there, in a hash table.
#include "job.h"
#include "table.cuh"

namespace {
constexpr std::uint64_t kSlots = 1 << 21;
constexpr int kHeld = static_cast<int>(kSlots) * 6 / 10, kQueries = 1 << 22, kThreads = 256, kEach = 4;

constexpr std::uint32_t KeyOf(int i) { return static_cast<std::uint32_t>(i) * 2654435761u >> 1; }
}  // namespace

template <int kPerThread>
__global__ void __launch_bounds__(kThreads)
    probe_table(const Slot* __restrict__ table, std::uint64_t slots, const std::uint32_t* __restrict__ queries,
                std::uint32_t* __restrict__ answers) {
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * kThreads * kPerThread + threadIdx.x;
  std::uint32_t key[kPerThread];
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) key[i] = queries[first + i * kThreads];
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) answers[first + i * kThreads] = Find(table, slots, key[i], 0);
}

std::vector<double> Probe() {
  std::vector<Slot> table(kSlots);
  for (int i = 0; i < kHeld; ++i) {
    const std::uint32_t key = KeyOf(i);
    std::uint64_t slot = FirstSlot(key, kSlots);
    while (table[slot].key != kEmpty && table[slot].key != key) slot = NextSlot(slot, kSlots);
    table[slot].key = key, table[slot].value = static_cast<std::uint32_t>(i) + 1;
  }
  std::vector<std::uint32_t> queries(kQueries);
  Numbers numbers(13);
  for (std::uint32_t& query : queries) query = KeyOf(static_cast<int>(numbers.Next() % (2 * kHeld)));
  const Slot* slots = OnDevice(table);
  const std::uint32_t* keys = OnDevice(queries);
  std::uint32_t* answers = OnDevice<std::uint32_t>(kQueries);
  for (int i = 0; i < kLaunches; ++i)
    probe_table<kEach><<<kQueries / kThreads / kEach, kThreads>>>(slots, kSlots, keys, answers);
  const std::vector<double> result = FromDevice(answers, kQueries);
  if (!results_wanted) return result;
  for (int i = 0; i < kQueries; i += 1001) {
    std::uint32_t wanted = 0;
    for (std::uint64_t slot = FirstSlot(queries[i], kSlots); table[slot].key != kEmpty; slot = NextSlot(slot, kSlots))
      if (table[slot].key == queries[i]) wanted = table[slot].value;
    Hold("probe_table", result[i], wanted, 0);
  }
  return result;
}
