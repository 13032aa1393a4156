// SPDX-License-Identifier: Apache-2.0
// Finds the source line of machine code, named as in recordings. Needs no GPU.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/code/line_table.h"

namespace culprit {

// The line of an instruction to show: of its lines, innermost first, the first that is neither the toolkit's nor the
// system's, else the innermost. PlaceOf names the file. Nullopt when there is no line.
std::optional<SourceFrame> OwnLine(const std::vector<SourceFrame>& lines);

// The line of the instruction at `pc_offset` of `function` as CUPTI reads it: for an inlined function, the line within
// that function. For line information that LineTable cannot read. Nullopt when the cubin lacks the function or its
// lines.
std::optional<SourceFrame> InnermostLineOf(std::span<const unsigned char> cubin, const std::string& function,
                                           std::int64_t pc_offset);

// The name of a source file in recordings: relative to the repository root when it is inside, else the file name alone.
std::string PlaceOf(std::string_view path);

}  // namespace culprit
