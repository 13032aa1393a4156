// SPDX-License-Identifier: Apache-2.0
// Times one launch with CUDA events, with nothing else in the measured interval, and estimates the SM clock during it.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace culprit {

enum class CacheState {
  kHot,    // the launch finds in L2 what the previous one left there
  kFlush,  // twice the L2's size is written before each launch, outside the measured interval
};

struct TimedSample {
  double time_us = 0;
  std::optional<double> clock_mhz;  // set by Clocks()
};

// How a sample is taken: a gate kernel occupies the stream until the host has enqueued everything, so that the interval
// between the two events holds the launch and no waiting for the host:
//   [flush] [gate: wait for host, then note cycles and time of each SM] [event] LAUNCH [event] [note cycles and time
//   again]
// The clock is the cycles of the SMs over the time between the two notes: both counters are read on the same SM.
class Timer {
 public:
  explicit Timer(CacheState cache_state, cudaStream_t stream = nullptr);
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  // Runs `launch` once, waits for it and returns its time in microseconds. Throws culprit::Error when the launch fails.
  double Measure(const std::function<void()>& launch);

  // Flushes or not, as the cache state says. For counting under the same conditions as timing.
  void PrepareCaches();

  // All samples since the last call, in order, with their clocks.
  std::vector<TimedSample> TakeSamples();

 private:
  struct Device;
  void GrowClockSums();

  CacheState cache_state_;
  cudaStream_t stream_;
  std::vector<double> times_us_;
  Device* device_;
};

}  // namespace culprit
