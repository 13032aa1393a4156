// SPDX-License-Identifier: Apache-2.0
// Times one launch with CUDA events, with nothing else in the measured interval, and estimates the SM clock during it.
#pragma once
#include <cuda_runtime_api.h>

#include <chrono>
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
  std::optional<double> clock_mhz;  // nullopt: no SM was seen both before and after the launch
  bool gate_open = false;           // the gate gave up before everything was enqueued: the time may hold the host's
};

// How a sample is taken: a gate kernel occupies the stream until the host has enqueued everything, so that the interval
// between the two events holds the launch and no waiting for the host:
//   [flush] [gate: wait for host, then note cycles and time of each SM] [event] LAUNCH [event] [note cycles and time
//   again]
// The clock is the cycles of the SMs over the time between the two notes: both counters are read on the same SM.
// The gate gives up after kGateTimeout, because a launch that itself waits for the device would wait for ever; such a
// sample is marked.
inline constexpr std::chrono::milliseconds kGateTimeout{2};

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
