// SPDX-License-Identifier: Apache-2.0
// From machine code to source, as recordings name it. Needs no GPU.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/line_table.h"

namespace culprit {

// Of the lines that an instruction comes from, the innermost first, the one to look at: the first that is neither the
// toolkit's nor the system's; the innermost when all are. Its file is named as PlaceOf does. Nullopt when there is
// none.
std::optional<SourceLine> OwnLine(const std::vector<SourceLine>& lines);

// Where the instruction at `pc_offset` of `function` comes from, as CUPTI reads it: for an inlined function the line
// within it, whosesoever that is. For line information that LineTable does not read. Nullopt when the cubin lacks the
// function, or lines for it.
std::optional<SourceLine> InnermostLineOf(std::span<const unsigned char> cubin, const std::string& function,
                                          std::int64_t pc_offset);

// How a source file is named in recordings, which travel: relative to the repository root where it lies below it, else
// the file's name alone.
std::string PlaceOf(std::string_view path);

}  // namespace culprit
