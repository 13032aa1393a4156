// SPDX-License-Identifier: Apache-2.0
// Machine code of kernels, instruction by instruction, and the program-counter samples of it. Plain structs.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace culprit {

struct SourceFrame {
  std::string file;  // relative to the repository root; only the file name if it lies elsewhere
  int line = 0;      // from 1
  bool operator==(const SourceFrame&) const = default;
};

// A 128-bit instruction of sm_75 and later. `low` and `high` are the encoding. profiler/code/instruction.h decodes the
// other fields from it; they are stored as well so that SQL can search them.
struct MachineInstruction {
  std::int64_t pc_offset = 0;  // bytes from the function's start
  std::uint64_t low = 0, high = 0;
  std::string opcode;               // with modifiers: "LDG.E.128"; empty: not in our tables
  std::string operands;             // "R4, desc[UR4][R2.64+0x10]"; empty: none, or not decoded
  int stall_cycles = 0;             // 0..15: minimum cycles until the warp's next instruction
  bool yield = false;               // hint: the scheduler should switch to another warp
  int write_scoreboard = -1;        // 0..5: released when the results are written; -1: none
  int read_scoreboard = -1;         // 0..5: released when the operands have been read; -1: none
  unsigned wait_mask = 0;           // bit n: waits until scoreboard n is free
  std::vector<SourceFrame> frames;  // innermost first; the last is in the kernel itself; empty: no line information
  bool operator==(const MachineInstruction&) const = default;
};

// A source line as it was when it was compiled. Long lines are cut.
struct SourceQuote {
  static constexpr std::size_t kMostBytes = 240;
  // Lines quoted before and after each named line, so that a reader sees the surrounding loop.
  static constexpr int kAround = 2;
  SourceFrame at;
  std::string text;
  bool operator==(const SourceQuote&) const = default;
};

struct MachineCode {
  std::string function;                          // symbol
  std::string digest;                            // of its bytes, as in BuildRecord
  std::vector<MachineInstruction> instructions;  // by pc_offset, without gaps
  std::vector<SourceQuote> quotes = {};          // lines of `frames` and around them, if the source was available
};

// Samples of one instruction in one warp state. A sample is one warp that was about to issue the instruction at
// `pc_offset`. `reason` says why it waited, or that it issued.
struct PcSample {
  std::string function;
  std::int64_t pc_offset = 0;
  std::string reason;  // "long_scoreboard", "selected", ...: CUPTI's name without "smsp__pcsamp_warps_issue_stalled_"
  std::int64_t samples = 0;
  std::int64_t not_issued = 0;  // samples in cycles in which the scheduler issued nothing
};

// Program-counter samples of one launch. Its repetitions run alone, in a phase without other counters.
struct SamplingRecord {
  std::int64_t period_cycles = 0;  // between two samples on one SM
  std::int64_t launches = 0;       // repetitions; of a program, its launches while it was sampled
  std::int64_t samples = 0;        // as counted by CUPTI, including those without a known instruction; 0: only code
  std::int64_t dropped = 0;        // lost, according to CUPTI
  std::vector<PcSample> rows;      // by function, pc_offset, reason
  std::vector<MachineCode> code;   // of the functions in `rows`, and of the kernel, if their modules were available
};

}  // namespace culprit
