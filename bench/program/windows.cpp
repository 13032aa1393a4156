// SPDX-License-Identifier: Apache-2.0
#include "bench/program/windows.h"

#include <algorithm>

namespace culprit {
namespace {

constexpr double kNsPerUs = 1000;

double Us(std::int64_t from_ns, std::int64_t to_ns) {
  return static_cast<double>(static_cast<long double>(to_ns) - from_ns) / kNsPerUs;
}

}  // namespace

Windows::Windows(std::span<const ProcessTrace> traces) {
  std::vector<TracedWindow> all;
  for (const ProcessTrace& trace : traces) all.insert(all.end(), trace.windows.begin(), trace.windows.end());
  std::ranges::sort(all, {}, &TracedWindow::open_ns);
  for (const TracedWindow& window : all) {
    if (windows_.empty() || window.open_ns > windows_.back().close_ns)
      windows_.push_back(window);
    else
      windows_.back().close_ns = std::max(windows_.back().close_ns, window.close_ns);
  }
}

std::optional<double> Windows::WallUs() const {
  if (windows_.empty()) return std::nullopt;
  double us = 0;
  for (const TracedWindow& window : windows_) us += Us(window.open_ns, window.close_ns);
  return us;
}

std::size_t Windows::Of(std::int64_t start_ns) const {
  const auto next = std::ranges::upper_bound(windows_, start_ns, {}, &TracedWindow::open_ns);
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, next - windows_.begin() - 1));
}

double Windows::ClosedUs(std::int64_t first_ns, std::int64_t last_ns) const {
  double us = 0;
  for (std::size_t i = 1; i < windows_.size(); ++i) {
    const std::int64_t from = std::max(first_ns, windows_[i - 1].close_ns);
    const std::int64_t to = std::min(last_ns, windows_[i].open_ns);
    if (to > from) us += Us(from, to);
  }
  return us;
}

}  // namespace culprit
