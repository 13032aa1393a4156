// SPDX-License-Identifier: Apache-2.0
#include "profiler/code/code_of.h"

#include <fmt/format.h>

#include <cstdint>

#include "db/error.h"
#include "db/fnv.h"
#include "profiler/code/instruction.h"

namespace culprit {

std::string CodeDigest(std::span<const unsigned char> code) { return fmt::format("{:016x}", Fnv1a(code)); }

int ArchitectureOf(const ElfImage& cubin) {
  const int abi = cubin.header().e_ident[EI_ABIVERSION];
  if (abi != 7 && abi != 8) return 0;
  return static_cast<int>(cubin.header().e_flags >> (abi == 8 ? 8 : 0) & 0xff);
}

std::optional<MachineCode> CodeOf(std::span<const unsigned char> cubin, const std::string& function) try {
  const ElfImage elf(function, cubin);
  const ElfSection* const text = elf.Find(".text." + function);
  if (text == nullptr) return std::nullopt;
  const int architecture = ArchitectureOf(elf);
  MachineCode code{function, CodeDigest(text->data), {}};
  for (std::uint64_t pc = 0; pc + 16 <= text->data.size(); pc += 16) {
    MachineInstruction instruction;
    instruction.pc_offset = static_cast<std::int64_t>(pc);
    instruction.low = elf.Read<std::uint64_t>(text->data, pc);
    instruction.high = elf.Read<std::uint64_t>(text->data, pc + 8);
    Describe(instruction, architecture);
    code.instructions.push_back(std::move(instruction));
  }
  return code;
} catch (const Error&) {
  return std::nullopt;
}

}  // namespace culprit
