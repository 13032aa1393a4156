// SPDX-License-Identifier: Apache-2.0
#include "tests/evidence/seeds/instruction_class.h"

#include <algorithm>

#include "analysis/launch/instruction_counts.h"

namespace culprit {
namespace {

struct ClassOf {
  const char* key;
  std::vector<std::string> any_of;   // at least one of these counts is not zero
  std::vector<std::string> also;     // all of these are not zero
  std::vector<std::string> none_of;  // all of these are zero
  std::string opcode = {};           // not empty: decides alone
};

ClassOf Definition(InstructionClass which) {
  switch (which) {
    case InstructionClass::kSharedRead:
      return {"shared_read", {"sass_shared_load_inst", "sass_ldsm_inst"}, {}, {}};
    case InstructionClass::kSharedWrite:
      return {"shared_write", {"sass_shared_store_inst", "sass_stsm_inst", "sass_ldgsts_inst"}, {}, {}};
    case InstructionClass::kLds:
      return {"lds", {"sass_shared_load_inst"}, {}, {}};
    case InstructionClass::kLdsm:
      return {"ldsm", {"sass_ldsm_inst"}, {}, {}};
    case InstructionClass::kLdsNarrow:
      return {"lds_narrow", {"sass_shared_load_inst"}, {}, {"sass_memory_128b_inst"}};
    case InstructionClass::kSts:
      return {"sts", {"sass_shared_store_inst"}, {}, {}};
    case InstructionClass::kSts32:
      return {"sts32", {"sass_shared_store_inst"}, {"sass_memory_32b_inst"}, {}};
    case InstructionClass::kSts128:
      return {"sts128", {"sass_shared_store_inst"}, {"sass_memory_128b_inst"}, {}};
    case InstructionClass::kBarrier:
      return {"barrier", {}, {}, {}, "BAR"};
  }
  return {};
}

bool Matches(const InstructionRecord& instruction, const ClassOf& wanted) {
  if (!wanted.opcode.empty()) return instruction.opcode == wanted.opcode;
  const auto counted = [&](const std::string& id) { return CountOf(instruction, id) != 0; };
  return std::any_of(wanted.any_of.begin(), wanted.any_of.end(), counted) &&
         std::all_of(wanted.also.begin(), wanted.also.end(), counted) &&
         std::none_of(wanted.none_of.begin(), wanted.none_of.end(), counted);
}

}  // namespace

const char* KeyOf(InstructionClass which) { return Definition(which).key; }

// Zero rows are left out, so only the launch's own reading tells whether a count was taken.
Measured SumOf(const KernelView& kernel, std::span<const InstructionRecord> instructions, InstructionClass which,
               const std::string& id) {
  const ClassOf wanted = Definition(which);
  std::vector<std::string> needed = {id};
  needed.insert(needed.end(), wanted.also.begin(), wanted.also.end());
  needed.insert(needed.end(), wanted.none_of.begin(), wanted.none_of.end());
  for (const std::string& metric : needed)
    if (const Measured whole = kernel.Get(metric); !whole) return whole;
  // On a chip that lacks the class's instruction (STSM before Hopper) the count is 0.
  for (const std::string& metric : wanted.any_of)
    if (const Measured whole = kernel.Get(metric); !whole && whole.absence() != Absence::kUnsupported) return whole;
  if (instructions.empty()) return {};
  // The machine code was not available, so the number of barriers is not known.
  const auto has_opcode = [](const InstructionRecord& instruction) { return !instruction.opcode.empty(); };
  if (!wanted.opcode.empty() && std::none_of(instructions.begin(), instructions.end(), has_opcode)) return {};
  double sum = 0;
  for (const InstructionRecord& instruction : instructions)
    if (Matches(instruction, wanted)) sum += CountOf(instruction, id);
  return sum;
}

}  // namespace culprit
