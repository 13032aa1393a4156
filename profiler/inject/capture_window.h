// SPDX-License-Identifier: Apache-2.0
// Decides whether the window of a capture is open in this process. It is told what happens in the program, and says
// what that changes.
#pragma once
#include <atomic>
#include <chrono>
#include <string_view>

#include "profiler/trace/capture.h"

namespace culprit {

enum class WindowTurn { kNone, kOpens, kCloses };

// Not thread-safe, except IsOpen and IsOver.
class CaptureWindow {
 public:
  using Clock = std::chrono::steady_clock;

  // `began`: when the program began, which may be before this process did. Without a capture, and with one that has no
  // delay, the window is open at once.
  CaptureWindow(Capture capture, Clock::time_point began);

  // Call it from time to time.
  WindowTurn OnTime(Clock::time_point now);
  // A thread began or ended an NVTX range. The window is open while any thread is in such a range.
  WindowTurn OnRange(std::string_view name, bool begins);
  // cuProfilerStart or cuProfilerStop, which do not nest.
  WindowTurn OnProfiler(bool starts);
  // For good.
  WindowTurn Stop();

  bool IsOpen() const { return is_open_; }
  // It does not open again.
  bool IsOver() const { return is_over_; }
  // There is no capture: the whole program is recorded.
  bool IsWholeProgram() const { return capture_.kind == CaptureKind::kAll; }
  const Capture& capture() const { return capture_; }

 private:
  WindowTurn Turn(bool open);

  const Capture capture_;
  const Clock::time_point opens_, closes_;  // kTime
  int depth_ = 0;                           // kRange: ranges that are open now
  std::atomic<bool> is_open_ = false, is_over_ = false;
};

}  // namespace culprit
