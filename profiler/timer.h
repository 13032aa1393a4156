// SPDX-License-Identifier: Apache-2.0
// Times one launch with CUDA events and estimates the SM clock during it.
#pragma once
#include <cuda_runtime_api.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace culprit {

enum class CacheState {
  kHot,    // L2 holds what the previous launch left there
  kFlush,  // twice the L2's size is written before each launch, outside the measured interval
};

struct TimedSample {
  double time_us = 0;
  std::optional<double> clock_mhz;  // nullopt: no SM was observed both before and after the launch
  bool gate_open = false;           // the gate gave up before the launch was enqueued; may include waiting for the host
};

// A gate kernel occupies the stream until the host has enqueued everything. So the interval between the two events
// contains only the launch, without waiting for the host:
//   [flush] [gate: wait for host, then note cycles and time of each SM] [event] LAUNCH [event] [note cycles and time
//   again]
// The clock is SM cycles / time between the two notes. Both counters are read on the same SM.
// The gate gives up after kGateTimeout, because a launch that waits for the device would never return. The sample is
// then marked (gate_open).
inline constexpr std::chrono::milliseconds kGateTimeout{2};

class Timer {
 public:
  explicit Timer(CacheState cache_state, cudaStream_t stream = nullptr);
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  // Runs `launch` once, waits for it and returns its time in microseconds. Throws culprit::Error when the launch fails.
  double Measure(const std::function<void()>& launch);

  // Flushes L2 if the cache state is kFlush, so that counting has the same conditions as timing.
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
