// SPDX-License-Identifier: Apache-2.0
// What a 128-bit machine instruction of sm_75 to sm_120 says: its name, what it reads and writes, when it may issue and
// where it jumps. NVIDIA does not publish the encoding: docs/sass.md says where each field comes from and how it was
// held against NVIDIA's disassembler. No CUDA in here.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "db/code.h"

namespace culprit {

enum class RegisterFile { kGeneral, kUniform, kPredicate, kUniformPredicate };

// `count` registers from `first` on. RZ, URZ, PT and UPT are left out: they hold nothing.
struct RegisterRange {
  RegisterFile file = RegisterFile::kGeneral;
  int first = 0;
  int count = 1;
  bool operator==(const RegisterRange&) const = default;
};

// How a load, store or atomic makes its address.
struct SassAddress {
  int base = -1;            // general register (the first of a pair); -1: none
  int uniform_base = -1;    // uniform register; -1: none
  std::int64_t offset = 0;  // bytes
};

enum class SassFlow { kNext, kBranch, kExit, kCall, kReturn, kIndirect };

struct SassInstruction {
  std::int64_t pc_offset = 0;
  std::string mnemonic;                      // "LDG"; empty: not in the table, and then only the control fields hold
  std::string opcode;                        // with the modifiers that we decode: "LDG.E.128"
  std::string operands;                      // for people
  bool guarded = false;                      // @P or @!P: it may not be done
  std::vector<RegisterRange> writes, reads;  // the guard is among the reads
  bool registers_known = false;              // these are all of them; else there may be more
  std::optional<SassAddress> address;        // memory instructions
  int access_bytes = 0;                      // of each thread; 0: no memory access, or not known
  SassFlow flow = SassFlow::kNext;
  std::optional<std::int64_t> target;  // kBranch, kCall: pc offset in the same function, where it is in the code
  int stall_cycles = 0;
  bool yield = false;
  int write_scoreboard = -1, read_scoreboard = -1;
  unsigned wait_mask = 0;
};

// `architecture` is a compute capability such as 80, 90 or 120. With 0, unknown, the encoding is read as sm_90's, and
// lost are: uniform registers beyond UR62 (since sm_100 there are 255), whether a global access of sm_100 has a
// descriptor, the width of its LDGSTS, opcodes whose name the architecture decides (HFMA2.MMA or IADD, VIADD, REDG),
// the type of an atomic, and branches over a multiple of 4096 bytes.
SassInstruction DecodeSass(std::uint64_t low, std::uint64_t high, std::int64_t pc_offset, int architecture = 0);

// What the code of a whole function tells of its architecture: 80 (before sm_90), 90, 100 (sm_100 and later) or 0.
int ArchitectureOf(std::span<const MachineInstruction> code);

// Fills texts and control fields of an instruction whose encoding and pc_offset are set.
void Describe(MachineInstruction& instruction, int architecture = 0);

}  // namespace culprit
