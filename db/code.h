// SPDX-License-Identifier: Apache-2.0
// Machine code of kernels, instruction by instruction, and what sampling of program counters saw of it. Plain structs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace culprit {

struct SourceFrame {
  std::string file;  // as recordings name it: relative to the repository root below it, else the name alone
  int line = 0;      // from 1
  bool operator==(const SourceFrame&) const = default;
};

// A 128-bit instruction of sm_75 and later. The encoding is the fact; the texts and the control fields are what
// profiler/sass/instruction.h reads from it, kept beside it so that SQL finds them.
struct MachineInstruction {
  std::int64_t pc_offset = 0;  // bytes from the function's start
  std::uint64_t low = 0, high = 0;
  std::string opcode;               // with modifiers: "LDG.E.128"; empty: not in our tables
  std::string operands;             // "R4, desc[UR4][R2.64+0x10]"; empty: none, or not decoded
  int stall_cycles = 0;             // 0..15: the least distance to the next instruction of the warp
  bool yield = false;               // the scheduler is asked to take another warp
  int write_scoreboard = -1;        // 0..5: released when the results are there; -1: none
  int read_scoreboard = -1;         // 0..5: released when the operands were read; -1: none
  unsigned wait_mask = 0;           // bit n: waits until scoreboard n is free
  std::vector<SourceFrame> frames;  // innermost first, the last in the kernel itself; empty: no line information
  bool operator==(const MachineInstruction&) const = default;
};

// A line as it stood in its file when it was compiled. Long ones are cut.
struct SourceQuote {
  static constexpr std::size_t kMostBytes = 240;
  SourceFrame at;
  std::string text;
  bool operator==(const SourceQuote&) const = default;
};

struct MachineCode {
  std::string function;                          // symbol
  std::string digest;                            // over its bytes, as BuildRecord has it
  std::vector<MachineInstruction> instructions;  // by pc_offset, without gaps
  std::vector<SourceQuote> quotes = {};          // of lines in frames and around them, as far as they were at hand
};

// Samples of one instruction in one state. A sample is one warp that the sampler looked at: it was about to issue the
// instruction at `pc_offset`, and `reason` says what kept it, or that it issued.
struct PcSample {
  std::string function;
  std::int64_t pc_offset = 0;
  std::string reason;  // "long_scoreboard", "selected", ...: CUPTI's, without "smsp__pcsamp_warps_issue_stalled_"
  std::int64_t samples = 0;
  std::int64_t not_issued = 0;  // of them in cycles in which the scheduler issued nothing
};

// What sampling saw of one launch: one or more repetitions of it, by themselves, in a phase without other counters.
struct SamplingRecord {
  std::int64_t period_cycles = 0;  // between two samples of an SM
  std::int64_t launches = 0;       // repetitions that were sampled
  std::int64_t samples = 0;        // that CUPTI counted, those without a known instruction included
  std::int64_t dropped = 0;        // that CUPTI says it lost
  std::vector<PcSample> rows;      // by function, pc_offset, reason
  std::vector<MachineCode> code;   // of the functions that have rows, as far as their modules were at hand
};

}  // namespace culprit
