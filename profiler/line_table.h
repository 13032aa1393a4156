// SPDX-License-Identifier: Apache-2.0
// Which source line each instruction of a cubin comes from, and through which calls of inlined functions: what
// nvcc -lineinfo leaves in .debug_line. Needs neither CUDA nor a GPU.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "profiler/sass/elf_image.h"

namespace culprit {

struct SourceLine {
  std::string file;
  int line = 0;  // from 1
  bool operator==(const SourceLine&) const = default;
};

class LineTable {
 public:
  // Never throws: a cubin that is damaged, or whose line information is of a kind that is not read here, has no lines.
  explicit LineTable(std::span<const unsigned char> cubin);

  // Where the instruction at `pc_offset` of `function` stands, the innermost line first: behind each line of an inlined
  // function the one that calls it, the last of them in the kernel itself. Paths as the compiler was given them. Empty
  // when there is no line for it. At most kMostInlined: what a damaged table has beyond them is left out.
  static constexpr std::size_t kMostInlined = 256;
  std::vector<SourceLine> At(const std::string& function, std::int64_t pc_offset) const;

  // Bytes of a file, named as At names it, when it was compiled. 0: not known.
  std::uint64_t SizeOf(const std::string& file) const;

 private:
  LineTable() = default;

  struct Row {
    std::uint64_t address = 0;  // from here on, within the section
    std::uint32_t file = 0;     // index of files_
    std::int32_t line = 0;
    std::uint32_t caller = 0;  // number of the row, from 1, that calls this one's function; 0: none
  };
  // Consecutive code of one section.
  struct Sequence {
    std::uint64_t end = 0;  // address behind the last instruction
    std::vector<Row> rows;  // by address; of several with one address the last holds
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
