// SPDX-License-Identifier: Apache-2.0
#include "analysis/number/line_ranges.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace culprit {

std::vector<LineRange> RangesOf(std::span<const SourceFrame> places) {
  std::vector<std::string> files;
  for (const SourceFrame& place : places)
    if (std::ranges::count(files, place.file) == 0) files.push_back(place.file);
  std::vector<LineRange> ranges;
  for (const std::string& file : files) {
    std::set<int> lines;
    for (const SourceFrame& place : places)
      if (place.file == file) lines.insert(place.line);
    for (const int line : lines) {
      const bool goes_on = !ranges.empty() && ranges.back().file == file && ranges.back().last + 1 == line;
      if (goes_on && ranges.back().first > 0)
        ranges.back().last = line;
      else
        ranges.push_back({file, line, line});
    }
  }
  return ranges;
}

std::string ToText(std::span<const LineRange> ranges, std::size_t most) {
  std::string text, file;
  int more = 0;
  for (std::size_t n = 0; n < ranges.size(); ++n) {
    const LineRange& range = ranges[n];
    if (n >= most) {
      more += range.last - range.first + 1;
      continue;
    }
    if (n > 0) text += ", ";
    if (n == 0 || range.file != file) text += range.file;
    file = range.file;
    if (range.first > 0) text += fmt::format(":{}", range.first);
    if (range.last > range.first) text += fmt::format("-{}", range.last);
  }
  return more == 0 ? text : fmt::format("{} and {} more line{}", text, more, more == 1 ? "" : "s");
}

}  // namespace culprit
