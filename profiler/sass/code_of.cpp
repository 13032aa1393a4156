// SPDX-License-Identifier: Apache-2.0
#include "profiler/sass/code_of.h"

#include <cstdint>
#include <cstdio>

#include "db/error.h"
#include "db/fnv.h"
#include "profiler/sass/elf_image.h"
#include "profiler/sass/instruction.h"

namespace culprit {

std::string CodeDigest(std::span<const unsigned char> code) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(Fnv1a(code)));
  return text;
}

namespace {

// The compute capability that a cubin is for, from the ELF flags: bits 8 to 15 since ABI 8 (CUDA 13), before that the
// lowest eight. 0 for another ABI.
int ArchitectureOf(const ElfImage& cubin) {
  const int abi = cubin.header().e_ident[EI_ABIVERSION];
  if (abi != 7 && abi != 8) return 0;
  return static_cast<int>(cubin.header().e_flags >> (abi == 8 ? 8 : 0) & 0xff);
}

}  // namespace

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
