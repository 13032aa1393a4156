// SPDX-License-Identifier: Apache-2.0
// Several lines of sources as one place: "a.cu:26-28", "a.cu:26, :31".
#pragma once
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

// The first three ranges, and how many lines there are besides.
std::string ToText(std::span<const LineRange> ranges);

}  // namespace culprit
