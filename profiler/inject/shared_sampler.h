// SPDX-License-Identifier: Apache-2.0
// A sampler that one thread reads while another may stop it. The thread that ends the program does that, because the program
// would wait for all further records.
#pragma once
#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <utility>

namespace culprit {

// `Sampler` has Start and Stop, which may throw. Its Stop may be called while another thread reads it.
template <class Sampler>
class SharedSampler {
 public:
  // This and what follows until Close is for the thread that reads.
  template <class... Args>
  void Make(Args&&... args) {
    Drop();
    sampler_.emplace(std::forward<Args>(args)...);
  }
  Sampler* operator->() { return &*sampler_; }
  // False: Close was called, so it does not start.
  bool Start() {
    const std::lock_guard lock(mutex_);
    if (is_closed_) return false;
    sampler_->Start();
    is_running_ = true;
    return true;
  }
  // Does nothing if it does not run.
  void Stop() {
    const std::lock_guard lock(mutex_);
    StopUnderLock();
  }
  // Destroys the sampler. One that cannot be stopped is destroyed as it is.
  void Drop() {
    {
      const std::lock_guard lock(mutex_);
      is_running_ = false;
    }
    sampler_.reset();
  }

  // Any thread. Stops the sampler for good. False: that failed, or the other thread took longer than `patience` to start or
  // stop it. Then that thread must stop it.
  bool Close(std::chrono::milliseconds patience) try {
    const std::unique_lock lock(mutex_, patience);
    is_closed_ = true;
    if (!lock) return false;
    StopUnderLock();
    return true;
  } catch (...) {
    return false;
  }

 private:
  void StopUnderLock() {
    if (!is_running_) return;
    sampler_->Stop();
    is_running_ = false;
  }

  std::timed_mutex mutex_;  // guards is_running_. While that is true, sampler_ exists.
  bool is_running_ = false;
  std::atomic<bool> is_closed_ = false;
  std::optional<Sampler> sampler_;
};

}  // namespace culprit
