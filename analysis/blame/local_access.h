// SPDX-License-Identifier: Apache-2.0
// What local memory holds, by how its addresses are made: registers that were spilled, or an array.
//
// ptxas spills to fixed places of the stack frame, which it names by a constant offset from the stack pointer, R1. An
// array is in local memory because an index is not known when compiling; then the address is computed. Other accesses
// to it may still be constant: those that fill it, say. Seen on sm_90 (CUDA 13.0): a frame that holds both has the
// array's elements, which constant offsets only write, before the spills, which they write and read.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "profiler/sass/instruction.h"

namespace culprit {

enum class LocalPlace {
  kComputed,  // of an array: which element is known only at run time
  kElement,   // of an array, at a constant offset: others of the function are computed, and no constant offset both
              // writes and reads this place
  kSpill,     // a constant offset that is written and read as such, or any where the function computes none
};

struct LocalAccess {
  int instruction = 0;  // counted from 0
  LocalPlace place = LocalPlace::kComputed;
  bool store = false;
  int bytes = 0;                       // of each thread
  std::optional<std::int64_t> offset;  // from R1, which is the lowest byte of the function's frame; none: computed
  bool operator==(const LocalAccess&) const = default;
};

// The LDL and STL of a function, in the order of the code, which is all of it by pc_offset. LD and ST, which may meet
// any memory, are left out.
std::vector<LocalAccess> LocalAccesses(std::span<const SassInstruction> code);

}  // namespace culprit
