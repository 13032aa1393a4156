// SPDX-License-Identifier: Apache-2.0
// Samples the instructions of a program in all its contexts. CUPTI reports only the function of a sample, so launches
// of one kernel cannot be distinguished.
#pragma once
#include <cuda.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "profiler/sampling_session.h"
#include "profiler/trace/trace.h"

namespace culprit {

class ProgramSampler {
 public:
  // Samples nothing until Open.
  explicit ProgramSampler(int period) : period_(period) {}
  ProgramSampler(const ProgramSampler&) = delete;

  // The window opened, or closed. May be called on any thread: sampling starts or stops with the next launch, because
  // CUPTI does both only on a thread of the program. What sampling needs stays armed meanwhile, because CUPTI knows
  // only kernels that are loaded after it was armed.
  void Open() { is_wanted_ = true; }
  void Pause() { is_wanted_ = false; }
  // Whether the last of these was followed.
  bool HasFollowed() const { return is_wanted_ == is_open_; }

  // Call when a context was created and nothing runs in it yet.
  void Begin(CUcontext context);
  // Call after each launch, also while paused. Fetches samples from time to time.
  void NoteLaunch(CUcontext context, const std::string& symbol);
  // Call before a module is unloaded. Fetches its samples before another module reuses its addresses.
  void ReadAll();
  void Forget(CUcontext context);  // call before the context is destroyed
  void Close();                    // the same for all contexts
  void CloseElsewhere();           // the same on another thread than the program's: does not stop CUPTI

  // Call after Close. `code` returns the code of a function, if its module was kept.
  void Write(const std::function<std::optional<MachineCode>(const std::string&)>& code, TraceWriter& trace) const;

 private:
  void Fetch(SamplingSession& session, bool stop);
  void Follow();

  const int period_;
  std::atomic<bool> is_wanted_ = false, is_open_ = false;
  std::timed_mutex mutex_;  // guards what follows
  std::map<CUcontext, std::unique_ptr<SamplingSession>> sessions_;
  std::map<std::string, std::int64_t> launches_;  // by symbol
  SampleSums sums_;
  bool was_full_ = false;
  std::optional<Warning> trouble_;  // the first one
};

}  // namespace culprit
