// SPDX-License-Identifier: Apache-2.0
// The instructions that a counter of db/metric_catalogue.h counts.
#pragma once
#include <span>
#include <string_view>

#include "profiler/code/instruction.h"

namespace culprit {

struct InstructionKind {
  std::string_view id;
  std::string_view counted;    // mnemonics, a blank before and after each
  std::string_view uncertain;  // some of these are counted
  bool requests = false;       // an instruction whose guard switches it off makes no request
  bool hopper = false;         // which pipe does what is known for sm_90 only
  bool rare = false;           // few recordings have any, or names tell it less well: the error is larger
  bool threads = false;        // counts threads, not warps: each instruction counts its active lanes
};

std::span<const InstructionKind> InstructionKinds();

// The part of its executions that is counted: 1, 0, or 0.5 where either may be.
double PartCounted(const InstructionKind& kind, const SassInstruction& instruction);

}  // namespace culprit
