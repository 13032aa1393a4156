// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/idle_gaps.h"

#include <algorithm>
#include <tuple>

namespace culprit {

std::vector<IdleGap> IdleGaps(const TimelineRecord& timeline, int gpu) {
  struct Work {
    std::int64_t start_ns, end_ns, launch;
  };
  std::vector<Work> works;
  for (std::size_t i = 0; i < timeline.launches.size(); ++i) {
    const TimelineLaunch& l = timeline.launches[i];
    if (l.gpu == gpu) works.push_back({l.start_ns, l.start_ns + l.duration_ns, static_cast<std::int64_t>(i)});
  }
  for (const TimelineCopy& c : timeline.copies)
    if (c.gpu == gpu) works.push_back({c.start_ns, c.start_ns + c.duration_ns, -1});
  std::ranges::sort(works, {}, [](const Work& w) { return std::tuple(w.start_ns, w.end_ns, w.launch); });
  std::vector<IdleGap> gaps;
  auto next = works.begin();
  std::int64_t busy_until = 0, last = -1;
  for (const TimelineWindow& window : timeline.windows) {
    // What began before a window but outside all of them is not known. It cannot be told from idle time.
    if (busy_until < window.start_ns) busy_until = window.start_ns, last = -1;
    for (; next != works.end() && next->start_ns < window.end_ns; ++next) {
      if (next->start_ns > busy_until) gaps.push_back({busy_until, next->start_ns, last, next->launch});
      if (next->end_ns >= busy_until) busy_until = next->end_ns, last = next->launch;
    }
    if (busy_until < window.end_ns) gaps.push_back({busy_until, window.end_ns, last, -1});
  }
  return gaps;
}

}  // namespace culprit
