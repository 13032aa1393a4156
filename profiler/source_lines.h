// SPDX-License-Identifier: Apache-2.0
// From machine code to source: the line tables that nvcc -lineinfo leaves in a cubin, read by CUPTI. Needs no GPU.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace culprit {

struct SourceLine {
  std::string file;  // see PlaceOf
  int line = 0;
  bool operator==(const SourceLine&) const = default;
};

// Where the instruction at `pc_offset` of `function` comes from; for an inlined function, the line within it. Nullopt
// when the cubin lacks the function, or line information for it.
std::optional<SourceLine> SourceLineOf(std::span<const unsigned char> cubin, const std::string& function,
                                       std::int64_t pc_offset);

// How a source file is named in recordings, which travel: relative to the repository root where it lies below it, else
// the file's name alone.
std::string PlaceOf(std::string_view path);

}  // namespace culprit
