// SPDX-License-Identifier: Apache-2.0
// When each kernel, copy and memset of the program ran, from CUPTI's activity records with GPU time stamps.
#pragma once
#include <cupti.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "profiler/trace/trace.h"

namespace culprit {

// Only one per process, because CUPTI's buffer callbacks take no object.
class ActivityLog {
 public:
  // Writes records to `trace` under `mutex`, on a thread that CUPTI owns. `has_window`: only those of launches that were
  // noted, and of copies that began within a window.
  ActivityLog(TraceWriter& trace, std::timed_mutex& mutex, bool has_window);
  ActivityLog(const ActivityLog&) = delete;

  // Throws CuptiError. May be called again after Disable.
  void Enable();
  // Ends records of what is launched from now on.
  void Disable();
  // Call these under the mutex.
  void WindowOpens(std::int64_t ns);
  void WindowCloses(std::int64_t ns) { windows_.back().close_ns = ns; }
  // Writes when the work of each window ran.
  void WriteWindows();
  // Notes the NVTX path of the launch with this correlation id. Call it before the launch. Without a window, a launch
  // outside of ranges need not be noted.
  void NoteLaunch(std::uint32_t correlation, const std::string& path);
  // It failed. Returns whether it was noted.
  bool ForgetLaunch(std::uint32_t correlation);
  // Collects CUPTI's records of finished work. `all`: also those of unfinished work.
  void Collect(bool all);

  // Written by CUPTI's thread, read by any.
  std::int64_t kernels() const { return kernels_; }  // kernels that ran outside graphs
  std::size_t dropped() const { return dropped_; }
  const std::unordered_set<std::string>& symbols() const { return symbols_; }  // those of all kernels that ran

 private:
  static void CUPTIAPI GiveBuffer(std::uint8_t** buffer, std::size_t* size, std::size_t* records);
  static void CUPTIAPI TakeBuffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t size,
                                  std::size_t valid);
  void Take(std::uint8_t* buffer, std::size_t valid);
  void TakeRecord(const CUpti_Activity& record);
  struct Noted {
    std::string path;
    std::size_t window;  // in which it was launched
  };
  struct NotedKernel {
    int range;  // -1: none
    std::size_t window;
  };
  // None: the launch was not noted.
  std::optional<NotedKernel> Find(std::uint32_t correlation, bool from_graph);
  void NoteWork(std::size_t window, std::int64_t start_ns, std::int64_t end_ns);
  bool IsInWindow(std::int64_t start_ns) const;
  void Copy(const TracedCopy& copy);

  static constexpr std::int64_t kStillOpen = INT64_MAX;

  TraceWriter& trace_;
  std::timed_mutex& mutex_;
  const bool has_window_;
  bool is_registered_ = false;
  std::vector<TracedWindow> windows_;
  std::atomic<std::size_t> window_ = 0;  // that opened last
  std::mutex ranges_mutex_;
  std::unordered_map<std::uint32_t, Noted> ranges_;  // by correlation id
  std::deque<std::uint32_t> graphs_;                 // graphs that have had a record, oldest first
  std::unordered_set<std::string> symbols_;
  std::atomic<std::int64_t> kernels_ = 0;
  std::size_t dropped_ = 0;
};

}  // namespace culprit
