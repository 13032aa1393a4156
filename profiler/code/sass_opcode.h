// SPDX-License-Identifier: Apache-2.0
// The name of a machine instruction, from the machine code in a cubin. No CUDA in here.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace culprit {

// The mnemonic without its modifiers ("LDS" of LDS.128) of a 128-bit instruction of sm_75 to sm_120, from its first 64
// bits; empty for one that is not in the table, where nothing is guessed.
//
// NVIDIA does not publish the encoding. Bits 0 to 8 are the opcode, bits 9 to 11 say which operands are registers,
// constants or immediates. An opcode is in the table if NVIDIA's disassembler prints the same mnemonic for it in every
// form and on every architecture where it was seen: in records of sm_75, sm_80, sm_86, sm_100, sm_110 and sm_120 that
// public assemblers keep, and, for those that PTX can ask for one by one, where ptxas of CUDA 13.0 puts it on those
// architectures and on sm_90. HGMMA and WARPGROUP, of sm_90 alone, are what ptxas makes of wgmma on 16-bit inputs; JMP
// and JMX are what nvdisasm 11.8 prints. Left out are opcodes that mean different instructions by form or architecture
// (0x035, 0x036, 0x18e: RED or REDG, 0x1ab, 0x1c7, 0x1ea). script/check-opcodes compares the table with the
// disassembler.
std::string_view SassOpcode(std::uint64_t first_word);

// The mnemonic at `pc_offset` of a function's code; empty also if the code is shorter.
std::string_view SassOpcodeAt(std::span<const unsigned char> code, std::int64_t pc_offset);

}  // namespace culprit
