// SPDX-License-Identifier: Apache-2.0
#include "profiler/trace/timeline.h"

#include <algorithm>

namespace culprit {
namespace {

struct Event {
  std::int64_t at_ns;
  std::uint32_t key;
  bool starts;
};

}  // namespace

TimelineShares SharesOf(const std::vector<BusyInterval>& intervals, std::size_t keys) {
  TimelineShares shares;
  shares.share_us.assign(keys, 0);
  std::vector<Event> events;
  events.reserve(2 * intervals.size());
  for (const BusyInterval& i : intervals) {
    events.push_back({i.start_ns, static_cast<std::uint32_t>(i.key), true});
    events.push_back({std::max(i.start_ns, i.end_ns), static_cast<std::uint32_t>(i.key), false});
  }
  if (events.empty()) return shares;
  std::ranges::sort(events, {}, &Event::at_ns);
  // What one of those that run all the time would have had until now: an interval's share is what this grows by while
  // it runs. Shares are sums of small differences of it, hence the long double.
  long double each_ns = 0, idle_ns = 0;
  std::vector<long double> share_ns(keys, 0);
  std::int64_t running = 0, now = events.front().at_ns;
  for (const Event& event : events) {
    const auto passed = static_cast<long double>(event.at_ns - now);
    if (running > 0)
      each_ns += passed / static_cast<long double>(running);
    else
      idle_ns += passed;
    now = event.at_ns;
    running += event.starts ? 1 : -1;
    share_ns[event.key] += event.starts ? -each_ns : each_ns;
  }
  constexpr long double kNsPerUs = 1000;
  for (std::size_t key = 0; key < keys; ++key) shares.share_us[key] = static_cast<double>(share_ns[key] / kNsPerUs);
  for (double& share : shares.share_us) share = std::max(share, 0.0);
  shares.idle_us = static_cast<double>(idle_ns / kNsPerUs);
  shares.span_us = static_cast<double>(static_cast<long double>(now - events.front().at_ns) / kNsPerUs);
  return shares;
}

}  // namespace culprit
