// SPDX-License-Identifier: Apache-2.0
// Machine code of sm_90 for tests, encoded instruction by instruction, with invented samples.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "db/code.h"

namespace culprit::testing {

constexpr int kRz = 255;

// One instruction: Encoded(0x981).To(4).A(2).Bits(40, 24, 0x10).
class Encoded {
 public:
  explicit Encoded(std::uint64_t opcode_and_form) {
    Bits(0, 12, opcode_and_form).Bits(12, 3, 7).Bits(110, 3, 7).Bits(113, 3, 7).Bits(105, 4, 1);
  }
  Encoded& Bits(int first, int count, std::uint64_t value) {
    for (int n = 0; n < count; ++n) {
      const int bit = first + n;
      std::uint64_t& word = bit >= 64 ? high : low;
      const std::uint64_t mask = std::uint64_t{1} << bit % 64;
      word = (value >> n & 1) != 0 ? word | mask : word & ~mask;
    }
    return *this;
  }
  Encoded& To(int r) { return Bits(16, 8, r); }
  Encoded& A(int r) { return Bits(24, 8, r); }
  Encoded& B(int r) { return Bits(32, 8, r); }
  Encoded& C(int r) { return Bits(64, 8, r); }
  Encoded& Number(std::int64_t n) { return Bits(32, 32, static_cast<std::uint64_t>(n)); }
  Encoded& Sets(int scoreboard) { return Bits(110, 3, scoreboard); }
  Encoded& Waits(int scoreboard) { return Bits(116 + scoreboard, 1, 1); }
  Encoded& If(int predicate) { return Bits(12, 3, predicate); }
  Encoded& Line(int n) { return line = n, *this; }
  Encoded& Samples(const std::string& reason, std::int64_t n) { return samples.emplace_back(reason, n), *this; }

  std::uint64_t low = 0, high = 0;
  int line = 1;
  std::vector<std::pair<std::string, std::int64_t>> samples = {};
};

// Special registers.
constexpr int kThreadIdX = 0x21, kThreadIdY = 0x22, kBlockIdX = 0x25;

inline int WidthBits(int bytes) { return bytes == 16 ? 6 : bytes == 8 ? 5 : bytes == 4 ? 4 : bytes == 2 ? 2 : 0; }
inline Encoded S2r(int to, int special) { return Encoded(0x919).To(to).Bits(72, 8, special); }
inline Encoded Mov(int to, std::int64_t number) { return Encoded(0x802).To(to).Number(number).Bits(72, 4, 15); }
inline Encoded Copy(int to, int from) { return Encoded(0x202).To(to).B(from).Bits(72, 4, 15); }
// to = a * number + c
inline Encoded Imad(int to, int a, std::int64_t number, int c) {
  return Encoded(0x824).To(to).A(a).Number(number).C(c).Bits(73, 1, 1).Bits(81, 3, 7);
}
inline Encoded ImadByRegister(int to, int a, int b, int c) {
  return Encoded(0x224).To(to).A(a).B(b).C(c).Bits(73, 1, 1).Bits(81, 3, 7);
}
inline Encoded ImadWide(int to, int a, std::int64_t number, int c) {
  return Encoded(0x825).To(to).A(a).Number(number).C(c).Bits(73, 1, 1).Bits(81, 3, 7);
}
inline Encoded Iadd(int to, int a, std::int64_t number) {
  return Encoded(0x810).To(to).A(a).Number(number).C(kRz).Bits(77, 4, 15).Bits(81, 3, 7).Bits(84, 3, 7).Bits(87, 4, 15);
}
inline Encoded IaddRegister(int to, int a, int b) {
  return Encoded(0x210).To(to).A(a).B(b).C(kRz).Bits(77, 4, 15).Bits(81, 3, 7).Bits(84, 3, 7).Bits(87, 4, 15);
}
// to = a + the parameter at `offset` of the constant bank
inline Encoded IaddParameter(int to, int a, int offset) {
  return Encoded(0xa10)
      .To(to)
      .A(a)
      .C(kRz)
      .Bits(38, 16, offset)
      .Bits(77, 4, 15)
      .Bits(81, 3, 7)
      .Bits(84, 3, 7)
      .Bits(87, 4, 15);
}
inline Encoded And(int to, int a, std::int64_t number) {
  return Encoded(0x812).To(to).A(a).Number(number).C(kRz).Bits(72, 8, 0xc0).Bits(81, 3, 7).Bits(87, 4, 15);
}
inline Encoded ShiftRight(int to, int from, int bits) {
  return Encoded(0x819).To(to).A(kRz).Number(bits).C(from).Bits(73, 2, 3).Bits(76, 1, 1).Bits(80, 1, 1);
}
// Loads a parameter of the kernel; one of 8 bytes is a pointer.
inline Encoded Parameter(int to, int offset, int bytes) {
  return Encoded(0xb82).To(to).A(kRz).Bits(38, 16, offset).Bits(73, 3, WidthBits(bytes));
}
inline Encoded Ldg(int to, int at, int offset, int bytes = 4) {
  return Encoded(0x981)
      .To(to)
      .A(at)
      .Bits(40, 24, static_cast<std::uint64_t>(offset))
      .Bits(72, 1, 1)
      .Bits(73, 3, WidthBits(bytes));
}
inline Encoded Stg(int at, int offset, int from, int bytes = 4) {
  return Encoded(0x986)
      .A(at)
      .B(from)
      .Bits(40, 24, static_cast<std::uint64_t>(offset))
      .Bits(72, 1, 1)
      .Bits(73, 3, WidthBits(bytes));
}
inline Encoded Lds(int to, int at, int offset, int bytes = 4) {
  return Encoded(0x984).To(to).A(at).Bits(40, 24, static_cast<std::uint64_t>(offset)).Bits(73, 3, WidthBits(bytes));
}
inline Encoded Sts(int at, int offset, int from, int bytes = 4) {
  return Encoded(0x988).A(at).B(from).Bits(40, 24, static_cast<std::uint64_t>(offset)).Bits(73, 3, WidthBits(bytes));
}
inline Encoded Ldl(int to, int at, int offset) {
  return Encoded(0x983).To(to).A(at).Bits(40, 24, static_cast<std::uint64_t>(offset)).Bits(73, 3, 4);
}
inline Encoded Stl(int at, int offset, int from) {
  return Encoded(0x987).A(at).B(from).Bits(40, 24, static_cast<std::uint64_t>(offset)).Bits(73, 3, 4);
}
inline Encoded Fadd(int to, int a, int b) { return Encoded(0x221).To(to).A(a).B(b); }
inline Encoded ToDouble(int to, int from) { return Encoded(0x310).To(to).B(from).Bits(75, 2, 3).Bits(84, 2, 2); }
inline Encoded ToFloat(int to, int from) { return Encoded(0x310).To(to).B(from).Bits(75, 2, 2).Bits(84, 2, 3); }
inline Encoded IntegerToDouble(int to, int from) { return Encoded(0x312).To(to).B(from).Bits(75, 2, 3).Bits(84, 2, 2); }
inline Encoded Dfma(int to, int a, int b, int c) { return Encoded(0x22b).To(to).A(a).B(b).C(c); }
inline Encoded Bar() { return Encoded(0xb1d); }
inline Encoded Shfl(int to, int from) { return Encoded(0xf89).To(to).A(from).Bits(81, 3, 7); }
inline Encoded Exit() { return Encoded(0x94d).Bits(87, 3, 7); }
// Branches from instruction number `from` to number `to` if predicate `p` is true.
inline Encoded BranchTo(int from, int to, int p) {
  const std::int64_t distance = (std::int64_t{16} * to - (std::int64_t{16} * from + 16)) / 4;
  return Encoded(0x947)
      .If(p)
      .Bits(16, 8, static_cast<std::uint64_t>(distance))
      .Bits(34, 48, static_cast<std::uint64_t>(distance >> 8))
      .Bits(87, 3, 7);
}

// Samples of a function "kernel". Its code is these instructions, on lines of "kernel.cu", and a branch to itself, with
// which every function ends. The samples are those of the instructions.
inline SamplingRecord Sampled(const std::vector<Encoded>& instructions) {
  SamplingRecord sampling;
  sampling.period_cycles = 1024;
  sampling.launches = 1;
  MachineCode& code = sampling.code.emplace_back(MachineCode{"kernel", "00c0ffee", {}});
  std::vector<Encoded> all = instructions;
  all.push_back(BranchTo(static_cast<int>(all.size()), static_cast<int>(all.size()), 7));
  for (const Encoded& i : all) {
    MachineInstruction& instruction = code.instructions.emplace_back();
    instruction.pc_offset = 16 * static_cast<std::int64_t>(code.instructions.size() - 1);
    instruction.low = i.low;
    instruction.high = i.high;
    instruction.frames = {{"kernel.cu", i.line}};
    for (const auto& [reason, n] : i.samples) {
      sampling.rows.push_back({"kernel", instruction.pc_offset, reason, n, 0});
      sampling.samples += n;
    }
  }
  return sampling;
}

}  // namespace culprit::testing
