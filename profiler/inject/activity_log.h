// SPDX-License-Identifier: Apache-2.0
// When each kernel, copy and memset of the program ran, from CUPTI's activity records with GPU time stamps.
#pragma once
#include <cupti.h>

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "profiler/trace/trace.h"

namespace culprit {

// Only one per process, because CUPTI's buffer callbacks take no object.
class ActivityLog {
 public:
  // Writes records to `trace` under `mutex`, on a thread that CUPTI owns.
  ActivityLog(TraceWriter& trace, std::timed_mutex& mutex);
  ActivityLog(const ActivityLog&) = delete;

  // Throws CuptiError.
  void Enable();
  // Notes the NVTX path of the launch with this correlation id. Call it before the launch.
  void NoteRange(std::uint32_t correlation, const std::string& path);
  void ForgetRange(std::uint32_t correlation);  // the launch failed
  // Collects CUPTI's records of finished work. `all`: also those of unfinished work.
  void Collect(bool all);

  std::int64_t kernels() const { return kernels_; }  // kernels that ran outside graphs; guarded by the mutex
  std::size_t dropped() const { return dropped_; }
  const std::unordered_set<std::string>& symbols() const { return symbols_; }  // those of all kernels that ran

 private:
  static void CUPTIAPI GiveBuffer(std::uint8_t** buffer, std::size_t* size, std::size_t* records);
  static void CUPTIAPI TakeBuffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t size,
                                  std::size_t valid);
  void Take(std::uint8_t* buffer, std::size_t valid);
  void TakeRecord(const CUpti_Activity& record);
  // -1: none.
  int RangeOf(std::uint32_t correlation, bool from_graph);

  TraceWriter& trace_;
  std::timed_mutex& mutex_;
  std::mutex ranges_mutex_;
  std::unordered_map<std::uint32_t, std::string> ranges_;  // by correlation id
  std::deque<std::uint32_t> graphs_;                       // graphs that have had a record, oldest first
  std::unordered_set<std::string> symbols_;
  std::int64_t kernels_ = 0;
  std::size_t dropped_ = 0;
};

}  // namespace culprit
