// SPDX-License-Identifier: Apache-2.0
// Machine instructions by what they do to shared memory, told apart by what was counted for them; and barriers, which
// are told by their opcode.
#pragma once
#include <span>
#include <string>

#include "analysis/kernel/kernel_view.h"
#include "analysis/number/measured.h"
#include "db/records.h"

namespace culprit {

enum class InstructionClass {
  kSharedRead,   // LDS and LDSM
  kSharedWrite,  // STS, STSM, and LDGSTS, which writes to shared memory without a register in between
  kLds,
  kLdsm,
  kLdsNarrow,  // LDS of less than 128 bits per thread
  kSts,
  kSts32,
  kSts128,
  kBarrier,  // BAR: a warp arrives at a barrier of its block, waits there, or both
};

// "lds", "sts32", ...
const char* KeyOf(InstructionClass which);

// 0 where the instruction has no such count: what is 0 for an instruction has no row.
double CountOf(const InstructionRecord& instruction, const std::string& id);

// Sum of an exact count over the instructions of one class; missing when the launch was not counted by instruction,
// when a count that tells the class is missing, or for kBarrier when no instruction has an opcode.
Measured SumOf(const KernelView& kernel, std::span<const InstructionRecord> instructions, InstructionClass which,
               const std::string& id);

}  // namespace culprit
