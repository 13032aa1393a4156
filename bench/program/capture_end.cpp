// SPDX-License-Identifier: Apache-2.0
#include "bench/program/capture_end.h"

#include <csignal>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>

#include "bench/program/child.h"
#include "db/process.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

// How long a process may take to write what it has, from the end of its window.
constexpr std::chrono::seconds kToWrite{10};
// How long a program that got a signal may take to end by itself before what was recorded is stored.
constexpr std::chrono::seconds kToEnd{2};

std::chrono::steady_clock::time_point Latest(const TracePlan& plan) {
  using Clock = std::chrono::steady_clock;
  const std::chrono::duration<double> window(plan.capture.delay_s + plan.capture.duration_s);
  return Clock::time_point(std::chrono::nanoseconds(plan.began_ns)) +
         std::chrono::duration_cast<Clock::duration>(window) + kToWrite;
}

}  // namespace

CaptureEnd::CaptureEnd(fs::path folder, const TracePlan& plan, bool is_left_running)
    : folder_(std::move(folder)),
      ends_by_itself_(plan.capture.EndsByItself() || plan.ends_when_counted),
      is_timed_(plan.mode == TraceMode::kTime),
      is_left_running_(is_left_running),
      latest_(Latest(plan)) {}

// Of the processes that write a trace and still run. False where there are none.
bool CaptureEnd::HaveAllCaptured() const {
  bool any = false;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, error)) {
    if (entry.path().extension() != kTraceSuffix) continue;
    const std::int64_t pid = std::strtoll(entry.path().filename().c_str(), nullptr, 10);
    if (!FindProcess(pid)) continue;
    if (!HasCaptured(folder_, pid)) return false;
    any = true;
  }
  return any;
}

bool CaptureEnd::HasBeenStopped() {
  const int signal = SignalsPassedOn::Received();
  if (!is_stopped_ && (signal == SIGINT || signal == SIGTERM)) {
    is_stopped_ = true;
    stopped_ = Clock::now();
    StopCapture(folder_);
  }
  return is_stopped_;
}

bool CaptureEnd::IsOver() {
  if (HasBeenStopped()) {
    const Clock::duration passed = Clock::now() - stopped_;
    const bool need_not_end = is_left_running_ && SignalsPassedOn::Received() == SIGINT;
    return passed > kToWrite || ((need_not_end || passed > kToEnd) && HaveAllCaptured());
  }
  if (!ends_by_itself_) return false;
  // A process that is counted closes its window later: its time limit is that of the execution.
  return HaveAllCaptured() || (is_timed_ && Clock::now() > latest_);
}

}  // namespace culprit
