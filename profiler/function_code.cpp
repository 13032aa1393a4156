// SPDX-License-Identifier: Apache-2.0
#include "profiler/function_code.h"

#include <utility>
#include <vector>

#include "profiler/sass/code_of.h"
#include "profiler/source_lines.h"
#include "profiler/source_quotes.h"

namespace culprit {

std::optional<MachineCode> FunctionCode(std::span<const unsigned char> cubin, const LineTable& lines,
                                        const std::string& function) {
  std::optional<MachineCode> code = CodeOf(cubin, function);
  if (!code) return std::nullopt;
  std::vector<SourceLine> named;
  for (MachineInstruction& instruction : code->instructions)
    for (SourceLine& line : lines.At(function, instruction.pc_offset)) {
      instruction.frames.push_back({PlaceOf(line.file), line.line});
      named.push_back(std::move(line));
    }
  code->quotes = QuotesOf(named, [&](const std::string& path) { return lines.SizeOf(path); });
  return code;
}

}  // namespace culprit
