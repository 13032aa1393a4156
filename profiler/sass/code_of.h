// SPDX-License-Identifier: Apache-2.0
// The machine code of one function of a cubin. No CUDA in here.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "db/code.h"

namespace culprit {

// Every instruction of `function` (a symbol) with what Describe() reads from it, and the digest of the code; no frames,
// which come from a LineTable. Nothing when the cubin does not have the function, or is none.
std::optional<MachineCode> CodeOf(std::span<const unsigned char> cubin, const std::string& function);

// Two builds of a function are the same code when this is: FNV-1a in 16 hexadecimal digits.
std::string CodeDigest(std::span<const unsigned char> code);

}  // namespace culprit
