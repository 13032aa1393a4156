// SPDX-License-Identifier: Apache-2.0
// Several lines of sources as one place: "a.cu:26-28", "a.cu:26, :31".
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "db/code.h"

namespace culprit {

struct LineRange {
  std::string file;
  int first = 0, last = 0;  // 0: of the file no line is known
};

// The file of the first place comes first, the lines of a file in their order; neighbours are one range.
std::vector<LineRange> RangesOf(std::span<const SourceFrame> places);

// The first ranges, and how many lines there are besides.
inline constexpr std::size_t kFewRanges = 3, kAllRanges = static_cast<std::size_t>(-1);
std::string ToText(std::span<const LineRange> ranges, std::size_t most = kFewRanges);

}  // namespace culprit
