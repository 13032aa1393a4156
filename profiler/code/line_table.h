// SPDX-License-Identifier: Apache-2.0
// The source line of each instruction of a cubin, and the lines of the inlined calls around it, from .debug_line (nvcc
// -lineinfo). Needs neither CUDA nor a GPU.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "db/code.h"
#include "profiler/code/elf_image.h"

namespace culprit {

class LineTable {
 public:
  // Never throws: a damaged cubin, or one with unknown line information, has no lines.
  explicit LineTable(std::span<const unsigned char> cubin);

  // The source lines of the instruction at `pc_offset` of `function`. The innermost line comes first, then the call of
  // each inlined function; the last line is in the kernel itself. Paths are as the compiler got them. Empty: no line is
  // known. At most kMostInlined lines.
  static constexpr std::size_t kMostInlined = 256;
  std::vector<SourceFrame> At(const std::string& function, std::int64_t pc_offset) const;

  // The size in bytes of a file when it was compiled. `file` is a name that At returned. 0: not known.
  std::uint64_t SizeOf(const std::string& file) const;

 private:
  LineTable() = default;

  struct Row {
    std::uint64_t address = 0;  // from here on, within the section
    std::uint32_t file = 0;     // index of files_
    std::int32_t line = 0;
    std::uint32_t caller = 0;  // number, from 1, of the row with the call of this row's function; 0: none
  };
  // Consecutive code of one section.
  struct Sequence {
    std::uint64_t end = 0;  // address after the last instruction
    std::vector<Row> rows;  // by address; of several rows with one address, the last is used
  };
  struct Function {
    std::uint32_t section = 0;
    std::uint64_t begin = 0;  // address within the section
  };
  class Reader;

  std::vector<std::string> files_;
  std::vector<std::uint64_t> sizes_;                          // of files_
  std::map<std::uint32_t, std::vector<Sequence>> sequences_;  // by section
  std::map<std::string, Function> functions_;                 // by name
};

}  // namespace culprit
