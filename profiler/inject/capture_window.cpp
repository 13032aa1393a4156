// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/capture_window.h"

#include <algorithm>
#include <utility>

#include "db/nvtx_range.h"

namespace culprit {
namespace {

using Clock = CaptureWindow::Clock;

Clock::duration Ticks(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

CaptureWindow::CaptureWindow(Capture capture, Clock::time_point began)
    : capture_(std::move(capture)),
      opens_(began + Ticks(capture_.delay_s)),
      closes_(capture_.EndsByItself() ? opens_ + Ticks(capture_.duration_s) : Clock::time_point::max()),
      is_open_(capture_.kind == CaptureKind::kAll || (capture_.kind == CaptureKind::kTime && capture_.delay_s == 0)) {}

WindowTurn CaptureWindow::Turn(bool open) {
  if (is_over_ || is_open_ == open) return WindowTurn::kNone;
  is_open_ = open;
  return open ? WindowTurn::kOpens : WindowTurn::kCloses;
}

WindowTurn CaptureWindow::OnTime(Clock::time_point now) {
  if (capture_.kind != CaptureKind::kTime) return WindowTurn::kNone;
  if (now >= closes_) return Stop();
  return Turn(now >= opens_);
}

WindowTurn CaptureWindow::OnRange(std::string_view name, bool begins) {
  if (capture_.kind != CaptureKind::kRange || !IsInRange(name, capture_.range)) return WindowTurn::kNone;
  depth_ = std::max(0, depth_ + (begins ? 1 : -1));
  return Turn(depth_ > 0);
}

WindowTurn CaptureWindow::OnProfiler(bool starts) {
  return capture_.kind == CaptureKind::kProfilerApi ? Turn(starts) : WindowTurn::kNone;
}

WindowTurn CaptureWindow::Stop() {
  const WindowTurn turn = Turn(false);
  is_over_ = true;
  return turn;
}

}  // namespace culprit
