// SPDX-License-Identifier: Apache-2.0
// When each kernel, copy and set of the program ran, by CUPTI's activity records, which the GPU stamps.
#pragma once
#include <cupti.h>

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "db/trace.h"

namespace culprit {

// One in a process: CUPTI's callbacks for buffers know no object.
class ActivityLog {
 public:
  // Records go to `trace` under `mutex`, on a thread of CUPTI's.
  ActivityLog(TraceWriter& trace, std::timed_mutex& mutex);
  ActivityLog(const ActivityLog&) = delete;

  // Throws CuptiError.
  void Enable();
  // The launch that has this correlation id is one of this path. Called before it launches.
  void NoteRange(std::uint32_t correlation, const std::string& path);
  void ForgetRange(std::uint32_t correlation);  // it failed
  // What CUPTI has of work that is done; `all`: and of work that is not.
  void Collect(bool all);

  std::int64_t kernels() const { return kernels_; }  // that ran outside graphs; under the mutex
  std::size_t dropped() const { return dropped_; }
  const std::unordered_set<std::string>& symbols() const { return symbols_; }  // of kernels that ran

 private:
  static void CUPTIAPI GiveBuffer(std::uint8_t** buffer, std::size_t* size, std::size_t* records);
  static void CUPTIAPI TakeBuffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t size,
                                  std::size_t valid);
  void Take(std::uint8_t* buffer, std::size_t valid);
  void TakeRecord(const CUpti_Activity& record);
  // -1: in none.
  int RangeOf(std::uint32_t correlation, bool from_graph);

  TraceWriter& trace_;
  std::timed_mutex& mutex_;
  std::mutex ranges_mutex_;
  std::unordered_map<std::uint32_t, std::string> ranges_;  // by correlation id
  std::deque<std::uint32_t> graphs_;                       // of those that have had a record, the oldest first
  std::unordered_set<std::string> symbols_;
  std::int64_t kernels_ = 0;
  std::size_t dropped_ = 0;
};

}  // namespace culprit
