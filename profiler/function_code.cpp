// SPDX-License-Identifier: Apache-2.0
#include "profiler/function_code.h"

#include "profiler/sass/code_of.h"
#include "profiler/source_lines.h"

namespace culprit {

std::optional<MachineCode> FunctionCode(std::span<const unsigned char> cubin, const LineTable& lines,
                                        const std::string& function) {
  std::optional<MachineCode> code = CodeOf(cubin, function);
  if (!code) return std::nullopt;
  for (MachineInstruction& instruction : code->instructions)
    for (const SourceLine& line : lines.At(function, instruction.pc_offset))
      instruction.frames.push_back({PlaceOf(line.file), line.line});
  return code;
}

}  // namespace culprit
