// SPDX-License-Identifier: Apache-2.0
// Notices when the recording of an execution is over although the program still runs: its window has closed, all its
// kernels were counted, or a signal stopped the recording.
#pragma once
#include <chrono>
#include <filesystem>

#include "profiler/trace/trace.h"

namespace culprit {

class CaptureEnd {
 public:
  // `plan`: of the execution, whose processes write to `folder`. `is_left_running`: at SIGINT the
  // program is not expected to end.
  CaptureEnd(std::filesystem::path folder, const TracePlan& plan, bool is_left_running);

  // Ask it every 50 ms while the program runs. On SIGINT and SIGTERM (SignalsPassedOn) it ends the windows of all
  // processes.
  bool IsOver();

 private:
  using Clock = std::chrono::steady_clock;

  bool HasBeenStopped();
  bool HaveAllCaptured() const;

  const std::filesystem::path folder_;
  const bool ends_by_itself_, is_timed_, is_left_running_;
  const Clock::time_point latest_;  // when a window that ends by itself has closed in each process that still answers
  Clock::time_point stopped_;
  bool is_stopped_ = false;
};

}  // namespace culprit
