// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/memory_use.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

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

// The library has a C++ library of its own, whose other forms of `new` and `delete` call these two. The program has its
// own (exports.map). Both are `malloc`, so memory may change hands.
void* operator new(std::size_t bytes) {
  void* const memory = std::malloc(bytes > 0 ? bytes : 1);
  if (memory == nullptr) throw std::bad_alloc();
  culprit::NoteMemory(static_cast<std::int64_t>(malloc_usable_size(memory)));
  return memory;
}

void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  culprit::NoteMemory(-static_cast<std::int64_t>(malloc_usable_size(memory)));
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
