// SPDX-License-Identifier: Apache-2.0
// Samples the instructions of a program in all its contexts. CUPTI reports only the function of a sample, so launches
// of one kernel cannot be distinguished.
#pragma once
#include <cuda.h>

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

  // The window opened, or closed. What sampling needs stays armed meanwhile, because CUPTI knows only kernels that are
  // loaded after it was armed.
  void Open();
  void Pause();

  // Call when a context was created and nothing runs in it yet.
  void Begin(CUcontext context);
  // Call after each launch. Fetches samples from time to time.
  void NoteLaunch(CUcontext context, const std::string& symbol);
  // Call before a module is unloaded. Fetches its samples before another module reuses its addresses.
  void ReadAll();
  void Forget(CUcontext context);  // call before the context is destroyed
  void Close();                    // the same for all contexts

  // Call after Close. `code` returns the code of a function, if its module was kept.
  void Write(const std::function<std::optional<MachineCode>(const std::string&)>& code, TraceWriter& trace) const;

 private:
  void Fetch(SamplingSession& session, bool stop);

  const int period_;
  std::timed_mutex mutex_;  // guards what follows
  bool is_open_ = false;
  std::map<CUcontext, std::unique_ptr<SamplingSession>> sessions_;
  std::map<std::string, std::int64_t> launches_;  // by symbol
  SampleSums sums_;
  bool was_full_ = false;
  std::optional<Warning> trouble_;  // the first one
};

}  // namespace culprit
