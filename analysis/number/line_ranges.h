// SPDX-License-Identifier: Apache-2.0
// Formats several source lines as one place: "a.cu:26-28", "a.cu:26, :31".
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "db/code.h"

namespace culprit {

struct LineRange {
  std::string file;
  int first = 0, last = 0;  // 0: no line of the file is known
};

// Files in order of their first place, lines ascending; adjacent lines form one range.
std::vector<LineRange> RangesOf(std::span<const SourceFrame> places);

// Lists the first `most` ranges, then says how many lines were left out.
inline constexpr std::size_t kFewRanges = 3, kAllRanges = static_cast<std::size_t>(-1);
std::string ToText(std::span<const LineRange> ranges, std::size_t most = kFewRanges);

}  // namespace culprit
