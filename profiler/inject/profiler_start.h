// SPDX-License-Identifier: Apache-2.0
// Loads CUPTI's profiler while the program makes its first context, so that the first launch need not wait for it.
#pragma once
#include <future>
#include <mutex>

namespace culprit {

// Thread-safe.
class ProfilerStart {
 public:
  // The program begins to make a context. Loads on a thread of ours, and only once. Not earlier: a program that only asks
  // for the number of GPUs may end before the profiler is loaded, and its handlers of exit would run meanwhile.
  void Begin();
  // The context is made. Returns when the profiler is loaded, could not be loaded, or has taken long.
  void Await();

 private:
  std::mutex mutex_;
  std::shared_future<void> done_;  // guarded by mutex_
};

}  // namespace culprit
