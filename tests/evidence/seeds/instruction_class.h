// SPDX-License-Identifier: Apache-2.0
// Classes of machine instructions by their use of shared memory, recognised by their counts, and barriers, recognised
// by opcode.
#pragma once
#include <span>
#include <string>

#include "analysis/launch/kernel_view.h"
#include "analysis/number/measured.h"
#include "db/records.h"

namespace culprit {

enum class InstructionClass {
  kSharedRead,   // LDS and LDSM
  kSharedWrite,  // STS, STSM, and LDGSTS, which copies from global to shared memory
  kLds,
  kLdsm,
  kLdsNarrow,  // LDS of less than 128 bits per thread
  kSts,
  kSts32,
  kSts128,
  kBarrier,  // BAR: a warp arrives at a barrier of its block, waits at it, or both
};

// "lds", "sts32", ...
const char* KeyOf(InstructionClass which);

// Sum of an exact count over the instructions of a class. Missing when the launch was not counted by instruction, when
// a count that defines the class is missing, or, for kBarrier, when no instruction has an opcode.
Measured SumOf(const KernelView& kernel, std::span<const InstructionRecord> instructions, InstructionClass which,
               const std::string& id);

}  // namespace culprit
