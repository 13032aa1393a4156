// SPDX-License-Identifier: Apache-2.0
// The machine code of one function of a cubin. No CUDA in here.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "db/code.h"
#include "profiler/code/elf_image.h"

namespace culprit {

// Every instruction of `function` (a symbol) with what Describe() reads from it, and the digest of the code; no frames,
// which come from a LineTable. Nullopt if the cubin lacks the function or is not a cubin.
std::optional<MachineCode> CodeOf(std::span<const unsigned char> cubin, const std::string& function);

// The compute capability that a cubin is for, 90, from the ELF flags: bits 8 to 15 since ABI 8 (CUDA 13), before that
// the lowest eight. 0 for another ABI.
int ArchitectureOf(const ElfImage& cubin);

// Two builds of a function are the same code when this is: FNV-1a in 16 hexadecimal digits.
std::string CodeDigest(std::span<const unsigned char> code);

}  // namespace culprit
