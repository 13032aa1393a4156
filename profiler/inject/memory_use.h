// SPDX-License-Identifier: Apache-2.0
// How much memory this library's buffers take in the recorded program, beside what CUPTI takes for itself.
#pragma once
#include <cstddef>
#include <cstdint>

namespace culprit {

// A buffer was allocated. Any thread.
void NoteMemory(std::int64_t bytes);  // negative: freed
// The most bytes that were allocated at one time.
std::int64_t PeakMemory();

}  // namespace culprit
