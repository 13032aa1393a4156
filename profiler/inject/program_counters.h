// SPDX-License-Identifier: Apache-2.0
// Samples the counters of the program's GPUs while it runs, and writes the records to the trace. The lists of counters
// (sampled_counters.h) take turns, because the hardware counts one at a time.
#pragma once
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "profiler/trace/trace.h"

namespace culprit {

class ProgramCounters {
 public:
  // Writes to `trace` under `mutex`, on threads of its own.
  ProgramCounters(TraceWriter& trace, std::timed_mutex& mutex);
  ~ProgramCounters();
  ProgramCounters(const ProgramCounters&) = delete;

  // Call before the first launch on a device, with a context on it. Takes 0.15 s. A failure becomes a warning.
  void Begin(int device, const std::string& chip);
  // Before each launch of a kernel or a graph.
  void NoteLaunch(int device) {
    Work& work = WorkOn(device);
    ++work.launches;
    if (work.rests) Wake(device);
  }
  // The window closed, or opened again. Begin finds it open.
  void Pause();
  void Resume();
  // Stops sampling, and waits at most a second until what is left is written.
  void Close();

 private:
  class Gpu;
  struct Work {
    std::atomic<std::int64_t> launches = 0;
    std::atomic<bool> rests = false;  // sampling, because nothing was launched for some time
  };
  void Wake(int device);
  void Warn(const std::string& why, const std::string& code = "counters_not_sampled");

  TraceWriter& trace_;
  std::timed_mutex& mutex_;
  std::vector<std::shared_ptr<Gpu>> Gpus();
  Work& WorkOn(int device) { return work_[static_cast<std::size_t>(device) % kMostGpus]; }

  static constexpr std::size_t kMostGpus = 64;  // beyond, two share a number
  std::array<Work, kMostGpus> work_;
  std::mutex gpus_mutex_;
  std::map<int, std::shared_ptr<Gpu>> gpus_;  // by ordinal; shared with its thread
};

}  // namespace culprit
