// SPDX-License-Identifier: Apache-2.0
// Whether an access to local memory belongs to a spilled register or to an array.
//
// ptxas spills to constant offsets from the stack pointer R1. The address of an array element is computed, but stores
// that fill an array can have constant offsets, too. On sm_90 (CUDA 13.0), a stack frame with both has the array before
// the spills. A constant offset of the array is only written, but a spill's offset is written and read.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "profiler/code/instruction.h"

namespace culprit {

enum class LocalPlace {
  kComputed,  // an array: the address is computed at run time
  kElement,   // an array: a constant offset that is not both written and read, in a function with computed accesses
  kSpill,     // a spill: a constant offset that is both written and read, or any if the function computes no address
};

struct LocalAccess {
  int instruction = 0;  // counted from 0
  LocalPlace place = LocalPlace::kComputed;
  bool store = false;
  int bytes = 0;                       // per thread
  std::optional<std::int64_t> offset;  // from R1, the lowest byte of the function's frame; none: computed
  bool operator==(const LocalAccess&) const = default;
};

// The LDL and STL instructions of a function, in the order of its code. `code` is the whole function, sorted by
// pc_offset. LD and ST are left out, because they can access any memory.
std::vector<LocalAccess> LocalAccesses(std::span<const SassInstruction> code);

}  // namespace culprit
