// SPDX-License-Identifier: Apache-2.0
// The windows of a program (`culprit record --capture`), merged from those of its processes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "profiler/trace/trace.h"

namespace culprit {

class Windows {
 public:
  // Windows of processes that overlap are one. Without a capture there are none.
  explicit Windows(std::span<const ProcessTrace> traces);

  // The sum of their lengths.
  std::optional<double> WallUs() const;
  std::size_t size() const { return windows_.size(); }
  // The window to which something that starts then belongs. Work may start after the window in which it was launched,
  // and does so before the next one opens. 0 where it started before all windows.
  std::size_t Of(std::int64_t start_ns) const;
  // The time between windows, from `first_ns` to `last_ns`.
  double ClosedUs(std::int64_t first_ns, std::int64_t last_ns) const;

 private:
  std::vector<TracedWindow> windows_;  // ascending, apart from each other
};

}  // namespace culprit
