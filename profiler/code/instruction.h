// SPDX-License-Identifier: Apache-2.0
// What a 128-bit machine instruction of sm_75 to sm_120 says: its name, what it reads and writes, when it may issue and
// where it jumps. NVIDIA does not publish the encoding: docs/evidence/sass.md says where each field comes from and how
// it was checked. No CUDA in here.
#pragma once
#include <cstdint>
#include <optional>
#include <set>
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

// The numbers of those registers that are of `file`.
std::set<int> NumbersOf(RegisterFile file, std::span<const RegisterRange> ranges);

// How a load, store or atomic makes its address.
struct SassAddress {
  int base = -1;            // general register (the first of a pair); -1: none
  int uniform_base = -1;    // uniform register; -1: none
  std::int64_t offset = 0;  // bytes
};

// What an instruction computes with. RZ and URZ are the number 0.
struct SassSource {
  enum class Kind { kUnknown, kRegister, kUniform, kNumber, kConstant };
  Kind kind = Kind::kUnknown;
  std::int64_t number = 0;  // of the register; the number itself; or the offset in the constant bank
  int bank = -1;            // of a constant; -1: a register says which
  bool negated = false;
};

// The integer arithmetic that makes addresses, the same for uniform registers.
enum class SassInteger {
  kNone,
  kMove,
  kAbsolute,
  kSelect,       // one of two
  kAdd,          // up to three
  kMultiplyAdd,  // the low word of a product and a sum
  kShiftAdd,     // LEA
  kLogic,        // LOP3
  kShift,        // SHF: of the pair of the first and the third source, by the second
  kSpecial,      // reads a special register
  kConstant,     // loads from a constant bank
};

struct SassArithmetic {
  SassInteger operation = SassInteger::kNone;
  std::vector<SassSource> sources = {};  // in the order of the operands
  bool extended = false;                 // adds a carry, too
  int shift = 0;                         // kShiftAdd: by so many bits
  bool high = false;                     // kShiftAdd, kShift: the high word of a pair
  bool right = false, of_words = false;  // kShift; of_words: of 32 bits, not of 64
  unsigned truth_table = 0;              // kLogic
  int special = -1;                      // kSpecial: which register, as NAK numbers them
};

enum class SassFlow { kNext, kBranch, kExit, kCall, kReturn, kIndirect };

struct SassInstruction {
  std::int64_t pc_offset = 0;
  std::string mnemonic;                      // "LDG"; empty: not in the table, and only the control fields are valid
  std::string opcode;                        // with the modifiers that we decode: "LDG.E.128"
  std::string operands;                      // for people
  bool guarded = false;                      // @P or @!P: the instruction may be skipped
  std::vector<RegisterRange> writes, reads;  // the guard is among the reads
  bool registers_known = false;              // all registers are listed; false: there may be more
  std::optional<SassAddress> address;        // memory instructions
  SassArithmetic arithmetic = {};
  int access_bytes = 0;  // of each thread; 0: no memory access, or not known
  SassFlow flow = SassFlow::kNext;
  std::optional<std::int64_t> target;  // kBranch, kCall: pc offset in the same function, where it is in the code
  int stall_cycles = 0;
  bool yield = false;
  int write_scoreboard = -1, read_scoreboard = -1;
  unsigned wait_mask = 0;
};

// `architecture` is a compute capability such as 80, 90 or 120. With 0 (unknown) the encoding is read as for sm_90, and
// these are lost: uniform registers beyond UR62 (since sm_100 there are 255), whether a global access of sm_100 has a
// descriptor, the width of its LDGSTS, opcodes whose name the architecture decides (HFMA2.MMA or IADD, VIADD, REDG),
// the type of an atomic, and branches over a multiple of 4096 bytes.
SassInstruction DecodeSass(std::uint64_t low, std::uint64_t high, std::int64_t pc_offset, int architecture = 0);

// The architecture, recognised from the code of a whole function: 80 (before sm_90), 90, 100 (sm_100 and later) or 0.
int ArchitectureOf(std::span<const MachineInstruction> code);

// Fills texts and control fields of an instruction whose encoding and pc_offset are set.
void Describe(MachineInstruction& instruction, int architecture = 0);

}  // namespace culprit
