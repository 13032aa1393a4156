// SPDX-License-Identifier: Apache-2.0
#include "bench/program/windows.h"

#include <algorithm>
#include <utility>

namespace culprit {
namespace {

constexpr double kNsPerUs = 1000;

double Us(std::int64_t from_ns, std::int64_t to_ns) {
  return static_cast<double>(static_cast<long double>(to_ns) - from_ns) / kNsPerUs;
}

}  // namespace

std::vector<Windows::Span> Windows::Merged(std::vector<Span> spans) {
  std::ranges::sort(spans, {}, &Span::from_ns);
  std::vector<Span> merged;
  for (const Span& span : spans) {
    if (merged.empty() || span.from_ns > merged.back().to_ns)
      merged.push_back(span);
    else
      merged.back().to_ns = std::max(merged.back().to_ns, span.to_ns);
  }
  return merged;
}

Windows::Windows(std::span<const ProcessTrace> traces) {
  for (const ProcessTrace& trace : traces) {
    const auto is_told = [](const TracedWindow& w) { return w.first_ns != w.open_ns || w.last_ns != w.close_ns; };
    const bool tells = std::ranges::any_of(trace.windows, is_told);
    for (const TracedWindow& window : trace.windows) {
      open_.push_back({window.open_ns, window.close_ns});
      if (!tells || is_told(window)) worked_.push_back({window.first_ns, window.last_ns});
    }
  }
  open_ = Merged(std::move(open_));
  worked_ = Merged(std::move(worked_));
}

std::optional<double> Windows::WallUs() const {
  if (open_.empty()) return std::nullopt;
  double us = 0;
  for (const Span& span : open_) us += Us(span.from_ns, span.to_ns);
  return us;
}

std::size_t Windows::Of(std::int64_t start_ns) const {
  const auto next = std::ranges::upper_bound(worked_, start_ns, {}, &Span::from_ns);
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, next - worked_.begin() - 1));
}

double Windows::ClosedUs(std::int64_t first_ns, std::int64_t last_ns) const {
  double us = 0;
  for (std::size_t i = 1; i < worked_.size(); ++i) {
    const std::int64_t from = std::max(first_ns, worked_[i - 1].to_ns);
    const std::int64_t to = std::min(last_ns, worked_[i].from_ns);
    if (to > from) us += Us(from, to);
  }
  return us;
}

}  // namespace culprit
