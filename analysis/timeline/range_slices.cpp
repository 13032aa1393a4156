// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/range_slices.h"

#include <algorithm>

namespace culprit {
namespace {

std::vector<std::string> Paths(const std::string& range) {  // "a", "a/b", "a/b/c"
  std::vector<std::string> paths;
  if (range.empty()) return paths;
  for (std::size_t at = range.find('/'); at != range.npos; at = range.find('/', at + 1))
    paths.push_back(range.substr(0, at));
  paths.push_back(range);
  return paths;
}

}  // namespace

std::vector<RangeSlice> SlicesOf(std::span<const TimelineLaunch* const> launches) {
  std::vector<RangeSlice> slices;
  std::vector<std::size_t> open;  // by depth
  for (const TimelineLaunch* launch : launches) {
    const std::vector<std::string> paths = Paths(launch->range);
    std::size_t same = 0;
    while (same < open.size() && same < paths.size() && slices[open[same]].path == paths[same]) ++same;
    // Kernels of a graph may overlap on their stream, but a slice ends where the next one begins.
    for (std::size_t d = same; d < open.size(); ++d)
      slices[open[d]].end_ns = std::min(slices[open[d]].end_ns, launch->start_ns);
    open.resize(same);
    for (std::size_t d = same; d < paths.size(); ++d) {
      const std::size_t slash = d == 0 ? 0 : paths[d - 1].size() + 1;
      open.push_back(slices.size());
      slices.push_back({paths[d].substr(slash), paths[d], static_cast<int>(d), launch->start_ns, launch->start_ns});
    }
    for (const std::size_t slice : open)
      slices[slice].end_ns = std::max(slices[slice].end_ns, launch->start_ns + launch->duration_ns);
  }
  return slices;
}

}  // namespace culprit
