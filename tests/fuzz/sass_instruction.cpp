// SPDX-License-Identifier: Apache-2.0
// Machine instructions: an architecture, then encodings of 16 bytes.
#include <array>
#include <cstring>
#include <vector>

#include "profiler/code/instruction.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace culprit;
  if (size == 0) return 0;
  const int architecture = std::array{0, 75, 80, 90, 100, 120}[data[0] % 6];
  std::vector<MachineInstruction> code;
  for (std::size_t at = 1; at + 16 <= size; at += 16) {
    MachineInstruction& instruction = code.emplace_back();
    instruction.pc_offset = static_cast<std::int64_t>(at - 1);
    std::memcpy(&instruction.low, data + at, 8);
    std::memcpy(&instruction.high, data + at + 8, 8);
    Describe(instruction, architecture);
    const SassInstruction it = DecodeSass(instruction.low, instruction.high, instruction.pc_offset, architecture);
    fuzz::Require(it.mnemonic.empty() == it.opcode.empty(), "an opcode has a name, or it has none");
    fuzz::Require(it.opcode.starts_with(it.mnemonic), "modifiers stand behind the name");
    for (const auto* list : {&it.writes, &it.reads})
      for (const RegisterRange& range : *list) {
        const int end = range.file == RegisterFile::kGeneral                          ? 255
                        : range.file == RegisterFile::kUniform && architecture >= 100 ? 255
                        : range.file == RegisterFile::kUniform                        ? 63
                                                                                      : 7;
        fuzz::Require(range.first >= 0 && range.count > 0 && range.first + range.count <= end,
                      "a register lies in its file");
      }
  }
  ArchitectureOf(code);
  return 0;
}
