// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/memory_use.h"

#include <atomic>

namespace {

std::atomic<std::int64_t> used{0}, peak{0};

}  // namespace

namespace culprit {

void NoteMemory(std::int64_t bytes) {
  const std::int64_t now = used.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  std::int64_t most = peak.load(std::memory_order_relaxed);
  while (now > most && !peak.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
  }
}

std::int64_t PeakMemory() { return peak.load(std::memory_order_relaxed); }

}  // namespace culprit
