// SPDX-License-Identifier: Apache-2.0
// Counters of kinds of instructions, where it was counted how often each opcode ran. They are exact: in 209 recorded
// launches each warp ran each instruction once, in others accesses to memory were counted one by one, and the counters
// that follow are those of the hardware without a difference (tests/evidence/counters_of_opcodes_test.cpp).
#pragma once
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace culprit {

// By opcode with modifiers ("LDG.E.128.CONSTANT"): a count of instructions, of all that ran.
using OpcodeCounts = std::map<std::string, double, std::less<>>;

struct OpcodeCounter {
  std::string_view id;  // of db/metric_catalogue.h or analysis/launch/derived_facts.h
  double value = 0;
};

// `executed`: by warps. `hopper`: on sm_90, the only architecture of which it is known which pipe runs what. A counter is
// left out if an opcode that ran does not tell whether it belongs to it.
std::vector<OpcodeCounter> CountersOfWarps(const OpcodeCounts& executed, bool hopper);

// `threads`: by threads that no predicate switched off.
std::vector<OpcodeCounter> CountersOfThreads(const OpcodeCounts& threads, bool hopper);

// Bytes that each thread names in a load or store of shared or global memory. 0: not such an opcode, or an unknown width.
int AccessBytesOf(std::string_view opcode);

}  // namespace culprit
